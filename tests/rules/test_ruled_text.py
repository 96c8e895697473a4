"""Rules at work: tokens, sentences, tags and lemmas of real models."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona import Doc, Parser, Rules, Sentence
from dodona.records import replace
from dodona.rules.checks import RulesError
from dodona.segmentation.segmenter import NoSegmenterError, Segmenter
from dodona.treebank.raw_text import original_text

MODELS = ["en", "en-linear"]  # a network and a linear model
PIECES = [
    *("c/o", "Q4", "mph.", "10km", "New York", "c'mon", "oaks", "didn't", "Mr.", "(1)", "No. 5"),
    *("Speak", "the", ".", "!", ",", "é", "e\u0301", "\ud800", " ", " ", " ", "  ", "\n", "\r\n"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
RULES = Rules(
    whole=["c/o", "Q4", "New York", "Mr."],
    abbreviations=["mph."],
    split={"10km": ["10", "km"]},
    expand={"c'mon": ["c'm", "on"], "didn't": ["did", "not"]},
    sentence_starts=[r"^\s*\(1\)", "Speak"],
    unbroken=[r"No\. \d", "!.*!"],
)


@cache
def model(name: str) -> Parser:
    return dodona.load(name)


@cache
def segmenter(rules: Rules | None = RULES) -> Segmenter:
    found = model("en").segmenter
    assert found is not None
    return found.with_rules(rules)


def tokens(text: str, **given: Any) -> list[list[str]]:
    found = segmenter(Rules(**given)).segment(text)
    return [[token.form for token in sentence.tokens] for sentence in found]


def test_tokens_stay_whole_or_are_split() -> None:
    text = "He ran 10km c/o the a/b/c team."
    assert "10km" in tokens(text)[0] or "10" in tokens(text)[0]
    found = tokens(text, whole=["c/o", "a/b/c"], split={"10km": ["10", "k", "m"]})
    assert found == [["He", "ran", "10", "k", "m", "c/o", "the", "a/b/c", "team", "."]]
    assert tokens("in New York now", whole=["New York"]) == [["in", "New York", "now"]]


def test_a_whole_token_is_one_word() -> None:
    [plain] = segmenter(None).segment("They didn't listen.")
    assert plain.forms[1:3] == ["did", "n't"]
    [sentence] = segmenter(Rules(whole=["didn't"])).segment("They didn't listen.")
    assert sentence.forms[1] == "didn't"


def test_a_token_is_expanded_into_words() -> None:
    rules = Rules(expand={"gonna": ["going", "to"], "didn't": ["did", "not"]})
    [sentence] = segmenter(rules).segment("Didn't she say she's gonna?")
    assert sentence.forms[:2] == ["Did", "not"] and sentence.forms[-3:] == ["going", "to", "?"]
    token = sentence.tokens[0]
    assert (token.form, token.first, token.last) == ("Didn't", 1, 2)


def test_an_abbreviation_does_not_end_a_sentence_by_itself() -> None:
    text = "It has 3 xqz. of wool. It is red."
    assert tokens(text, abbreviations=["xqz."]) == [
        ["It", "has", "3", "xqz.", "of", "wool", "."],
        ["It", "is", "red", "."],
    ]


def test_sentences_begin_where_a_rule_says() -> None:
    text = "we saw oaks ; doves ; priests"
    assert len(tokens(text)) == 1
    assert tokens(text, sentence_starts=[r"(?<=; )"]) == [
        ["we", "saw", "oaks", ";"],
        ["doves", ";"],
        ["priests"],
    ]


def test_sentences_do_not_begin_where_a_rule_forbids_it() -> None:
    text = "It was over. Then he slept."
    assert len(tokens(text)) == 2
    assert len(tokens(text, unbroken=[r"over\. Then"])) == 1


def test_lines_are_sentences_whatever_rules_say() -> None:
    rules = Rules(sentence_starts=["b"], unbroken=["c.*d"], whole=["a b"])
    found = segmenter(rules).segment("a b c\nb d", sentences="lines")
    assert [s.forms for s in found] == [["a b", "c"], ["b", "d"]]


@settings(max_examples=150)
@given(text=TEXTS)
def test_no_character_is_lost_by_rules(text: str) -> None:
    doc = Doc(segmenter().segment(text), text)
    for word in doc.words:
        assert text[word.start : word.end].strip() != ""
    for sentence in doc:
        for token in sentence.tokens:
            piece = text[token.start : token.end]
            assert piece.replace("\ud800", "\ufffd") == token.form
    if len(doc) and "\ud800" not in text:
        assert "".join(original_text(doc)) == text


@settings(max_examples=100)
@given(text=TEXTS)
def test_rules_without_entries_change_no_byte(text: str) -> None:
    plain = model("en").segmenter
    assert plain is not None
    assert segmenter(Rules()).segment(text) == plain.segment(text)
    unrelated = Rules(
        whole=["☃☃"], unbroken=["☃"], sentence_starts=["☃"], expand={"☃☃☃": ["☃", "!"]}
    )
    assert segmenter(unrelated).segment(text) == plain.segment(text)


@settings(max_examples=30)
@given(text=st.lists(TEXTS, min_size=1, max_size=40).map("\n".join), seed=st.randoms())
def test_a_stream_is_segmented_like_the_whole_text(text: str, seed: Any) -> None:
    import dodona.segmentation.segmenter as module

    chunks, at = [], 0
    while at < len(text):
        n = seed.randint(1, 60)
        chunks.append(text[at : at + n])
        at += n
    before, module.PIECE = module.PIECE, 40
    try:
        found = [s for some in segmenter().stream(chunks) for s in some]
    finally:
        module.PIECE = before
    assert found == segmenter().segment(text)


@pytest.mark.parametrize("name", MODELS)
def test_tags_and_lemmas_of_words(name: str) -> None:
    rules = Rules(
        tags=[
            {"form": "zorb", "upos": "INTJ", "ignore_case": True},
            {"form": "oaks", "lemma": "OAK", "when": "NOUN"},
            {"form": "oaks", "lemma": "never", "when": "X"},
            {"form": "The", "xpos": "XYZ", "feats": "Odd=Yes"},
        ]
    )
    text = "The oaks Zorb near the river."
    before, after = model(name)(text)[0], model(name).with_rules(rules)(text)[0]
    assert before.lemmas[1] == "oak" and before.upos[2] != "INTJ"
    assert after.upos[2] == "INTJ" and after.lemmas[1] == "OAK"
    assert (after.xpos[0], after.feats[0]) == ("XYZ", "Odd=Yes")
    assert after.xpos[4] != "XYZ" and after.forms == before.forms
    assert sum(head == 0 for head in after.heads) == 1


@pytest.mark.parametrize("name", MODELS)
def test_tags_of_rules_do_not_disturb_confidences(name: str) -> None:
    rules = Rules(tags=[{"form": "oaks", "upos": "X", "xpos": "XYZ", "feats": "Odd=Yes"}])
    [sentence] = model(name).with_rules(rules)("The oaks speak.", confidence=True)
    assert sentence[1].upos == "X" and sentence[1].xpos == "XYZ"
    for word in sentence:
        assert word.upos_confidence is not None and 0 <= word.upos_confidence <= 1
        assert word.xpos_confidence is not None and word.confidence is not None


def test_the_parser_sees_the_tags_of_rules() -> None:
    parser = model("en-linear")
    changed = parser.with_rules(Rules(tags=[{"form": "run", "upos": "NOUN", "xpos": "NN"}]))
    text = "They run fast."
    assert parser(text)[0].upos[1] == "VERB"
    given = parser.parse(changed(text)[0].replace(heads=[None] * 4, deprels=["_"] * 4))
    assert changed(text)[0] == given  # as if the tags had been in the input
    assert changed(text)[0].heads != parser(text)[0].heads


@pytest.mark.parametrize("name", MODELS)
def test_tags_that_are_given_and_kept_beat_rules(name: str) -> None:
    parser = model(name).with_rules(Rules(tags=[{"form": "oaks", "upos": "X"}]))
    given = Sentence.from_columns(["oaks", "speak"], upos=["NOUN", "VERB"])
    assert [s.upos for s in parser.pipe([given])] == [["NOUN", "VERB"]]
    assert [s.upos[0] for s in parser.pipe([given], retag=True)] == ["X"]


def test_a_parser_keeps_its_rules_in_a_pickle_and_not_in_its_file(tmp_path: Path) -> None:
    rules = Rules(whole=["c/o"], tags=[{"form": "c/o", "upos": "ADP"}])
    parser = model("en-linear").with_rules(rules)
    again = pickle.loads(pickle.dumps(parser))
    assert again.user_rules == rules
    assert again("Send it c/o Zeus.") == parser("Send it c/o Zeus.")
    file = tmp_path / "my.dodona"
    parser.save(file)
    assert dodona.load(file).user_rules is None
    (tmp_path / "my.rules.toml").write_text('whole = ["c/o"]', encoding="utf-8")
    assert dodona.load(file).user_rules == Rules(whole=["c/o"])
    assert dodona.load(file, rules=Rules()).user_rules == Rules()
    assert dodona.load(file, rules=rules)("c/o me")[0].forms[0] == "c/o"
    assert parser.with_rules(None)("Send it.") == model("en-linear")("Send it.")


def test_rules_that_a_model_cannot_apply_are_refused() -> None:
    parser = model("en-linear")
    with pytest.raises(RulesError, match="'Dodona', has the UPOS 'PROPER'; the tags are: ADJ"):
        parser.with_rules(Rules(tags=[{"form": "Dodona", "upos": "PROPER"}]))
    without = replace(parser, segmenter=None)
    with pytest.raises(NoSegmenterError):
        without.with_rules(Rules(whole=["c/o"]))
    bare = replace(parser, scorer=parser.scorer.with_tagger(None))
    with pytest.raises(RulesError, match="the model has no tagger"):
        bare.with_rules(Rules(tags=[{"form": "a", "upos": "X"}]))


@pytest.mark.parametrize("name", MODELS)
def test_words_may_be_given(name: str) -> None:
    parser = model(name)
    doc = parser(["Oaks", "speak", "."])
    assert [s.forms for s in doc] == [["Oaks", "speak", "."]] and doc.text == "Oaks speak ."
    assert doc[0].heads.count(0) == 1 and "_" not in doc[0].upos
    both = [["Oaks", "speak", "."], ["Listen", "!"]]
    assert [s.forms for s in parser(both)] == both
    mixed = parser.docs([both[0], "Oaks speak. Listen!", both, []])
    assert [[len(s) for s in doc] for doc in mixed] == [[3], [3, 2], [3, 2], []]
    assert parser(both).char_span(0, 4) == parser(both).span(0, 1)


def test_lists_that_are_no_words_are_refused_with_advice() -> None:
    parser = model("en-linear")
    with pytest.raises(TypeError, match=r"parser\.docs\(texts\) parses several texts"):
        parser(["Oaks speak.", "Listen!"])
    wrong: Any = ["Oaks", 1]
    with pytest.raises(TypeError, match="expected a word, not 1"):
        parser(wrong)
    with pytest.raises(TypeError, match="expected a list of words for each sentence"):
        parser([["Oaks"], []])


def test_who_uses_no_rules_and_no_spans_loads_none() -> None:
    program = """
import sys, dodona
doc = dodona.load("en-linear")("Oaks speak. Listen!")
assert len(doc) == 2
names = "rules.rules", "rules.boundaries", "rules.rules_file", "treebank.span", "glossary.explain"
print([name for name in names if f"dodona.{name}" in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
