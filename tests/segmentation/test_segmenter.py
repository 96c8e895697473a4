"""Segmenters: training, segmentation of text, files, hostile text."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona.segmentation.expansion_rules import learn_rules
from dodona.segmentation.segmenter import Segmenter, Splitting
from dodona.segmentation.segmenter_training import (
    SegmenterTrainer,
    segmentation_scores,
    train_segmenter,
)
from dodona.settings import SegmenterSettings
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.raw_text import gold_text, original_text, tokens_of

Sentences = list[dodona.Sentence]

NAMES = ["Zeus", "Dione", "Selene", "Kadmos"]
VERBS = ["hears", "sees", "asks", "doesn't see", "can't hear"]
THINGS = ["the oak", "du chêne", "Mr. Elm", "3.5 leaves", "10 000 leaves", "the 7"]
THINGS += ["the priest's dove"]
WORDS = {
    "doesn't": ["does", "n't"],
    "can't": ["ca", "n't"],
    "priest's": ["priest", "'s"],
    "du": ["de", "le"],
    "Du": ["De", "le"],
}


def sentence(pieces: list[str], *, new_paragraph: bool = False) -> dodona.Sentence:
    """Make a sentence of tokens; "+" marks a token without a space before it."""
    lines, n_words = ["# newpar"] if new_paragraph else [], 0
    for i, piece in enumerate(pieces):
        form = piece.removeprefix("+")
        is_glued = i + 1 < len(pieces) and pieces[i + 1].startswith("+")
        misc = "SpaceAfter=No" if is_glued else "_"
        words = WORDS.get(form, [form])
        rest = "\t".join("_" * 7)
        if len(words) > 1:
            lines.append(f"{n_words + 1}-{n_words + len(words)}\t{form}\t{rest}\t{misc}")
            misc = "_"
        for word in words:
            n_words += 1
            lines.append(f"{n_words}\t{word}\t{rest}\t{misc}")
    return next(iter(read(io.BytesIO("\n".join([*lines, "", ""]).encode()), trees="ignored")))


def treebank(n: int, seed: int) -> Sentences:
    """Make sentences of an invented English with abbreviations, numbers, clitics, brackets."""
    rng = Random(seed)
    made = []
    for i in range(n):
        pieces = [rng.choice(NAMES), *rng.choice(VERBS).split()]
        thing = rng.choice(THINGS)
        pieces += ["10 000", "leaves"] if thing.startswith("10 ") else thing.split()
        if rng.random() < 0.3:
            pieces += ["(", "+" + rng.choice(NAMES), "+)"]
        if rng.random() < 0.3:
            pieces += ["+,", "says", rng.choice(NAMES)]
        pieces.append("+" + rng.choice(".!?"))
        made.append(sentence(pieces, new_paragraph=i % 7 == 0))
    return made


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return train_segmenter(treebank(300, 1), treebank(60, 2), epochs=5)


def shown(sentences: Sentences) -> list[list[str]]:
    return [[token.form for token in tokens_of(found)] for found in sentences]


def test_a_segmenter_learns() -> None:
    gold = gold_text(treebank(80, 3))
    found = train_segmenter(treebank(300, 1), epochs=5).segment(gold.text)
    scores = segmentation_scores(gold, found)
    assert min(scores.values()) > 98, scores


def test_scores_fall_with_every_kind_of_error() -> None:
    gold = gold_text([sentence(["Zeus", "sees", "du", "bois", "+."])] * 2)
    right = train_segmenter(treebank(300, 1), epochs=3)
    assert segmentation_scores(gold, right.segment(gold.text))["sentences"] == 100
    one = right.segment(gold.text, sentences="lines")
    scores = segmentation_scores(gold, one)
    assert scores["tokens"] == 100
    assert scores["sentences"] == 0
    assert segmentation_scores(gold, one[:0])["tokens"] == 0


def test_abbreviations_numbers_and_brackets(segmenter: Segmenter) -> None:
    text = "Zeus hears Mr. Elm (Kadmos). Selene sees 3.5 leaves, says Dione."
    assert shown(segmenter.segment(text)) == [
        ["Zeus", "hears", "Mr.", "Elm", "(", "Kadmos", ")", "."],
        ["Selene", "sees", "3.5", "leaves", ",", "says", "Dione", "."],
    ]


def test_a_token_may_hold_a_space(segmenter: Segmenter) -> None:
    assert shown(segmenter.segment("Zeus sees 10 000 leaves.")) == [
        ["Zeus", "sees", "10 000", "leaves", "."]
    ]
    assert "10" in shown(segmenter.segment("Zeus sees 10\n000 leaves."))[0]


def test_tokens_become_words_and_keep_their_case(segmenter: Segmenter) -> None:
    (found,) = segmenter.segment("Zeus doesn't see du bois.")
    assert found.forms == ["Zeus", "does", "n't", "see", "de", "le", "bois", "."]
    (found,) = segmenter.segment("Zeus DOESN'T see Du bois.")
    assert found.forms[1:3] == ["DOES", "N'T"]
    assert found.forms[4:6] == ["De", "le"]


def test_a_rule_holds_for_tokens_that_training_has_not_seen(segmenter: Segmenter) -> None:
    (found,) = segmenter.segment("Zeus wouldn't see the oak.")
    assert found.forms[1:3] == ["would", "n't"]


def test_rules_are_for_affixes_where_several_tokens_have_them() -> None:
    forms = ["don't", "won't", "du"]
    rules, gold = learn_rules(forms, [("do", "n't"), ("wo", "n't"), ("de", "le")])
    assert rules.rules == [("suffix", "n't", ("", "n't")), ("whole", "du", ("de", "le"))]
    assert gold == [1, 1, 2]


def test_a_blank_line_ends_a_sentence_and_begins_a_paragraph(segmenter: Segmenter) -> None:
    found = segmenter.segment("Zeus sees\n\nthe oak\r\n\r\nof Selene\nand Dione")
    assert shown(found) == [["Zeus", "sees"], ["the", "oak"], ["of", "Selene", "and", "Dione"]]
    assert found[0].comments == ["# newdoc", "# newpar", "# sent_id = 1", "# text = Zeus sees"]
    assert found[2].comments[0] == "# newpar"
    assert [one.line for one in found] == [1, 3, 5]


def test_lines_are_sentences_with_sentences_lines(segmenter: Segmenter) -> None:
    text = "Zeus sees. Selene hears.\nDione\n"
    assert shown(segmenter.segment(text, sentences="lines")) == [
        ["Zeus", "sees", ".", "Selene", "hears", "."],
        ["Dione"],
    ]
    with pytest.raises(ValueError, match="'learned' or 'lines', not 'words'"):
        segmenter.segment(text, sentences="words")  # type: ignore[arg-type]


def test_misc_records_white_space_and_position(segmenter: Segmenter) -> None:
    (found,) = segmenter.segment(" \tZeus\n sees.\u00a0")
    assert found.misc == [
        r"SpacesAfter=\n\s|SpacesBefore=\s\t|TokenRange=2:6",
        "SpaceAfter=No|TokenRange=8:12",
        "SpacesAfter=\u00a0|TokenRange=12:13",
    ]


@pytest.mark.parametrize(
    "atom",
    [
        "https://dodona.example/a?b=c,d",
        "www.oak.example",
        "zeus.thunder@olympos.example.org",
        "\U0001f469\u200d\U0001f680",
        "\U0001f44d\U0001f3fd",
        "\U0001f1ec\U0001f1f7",
        "1\ufe0f\u20e3",
        "e\u0301t\u0323e",
    ],
)
def test_addresses_emoji_and_combining_marks_are_one_token(segmenter: Segmenter, atom: str) -> None:
    forms = shown(segmenter.segment(f"Zeus sees {atom}, says Dione. Kadmos hears {atom}."))
    assert forms == [
        ["Zeus", "sees", atom, ",", "says", "Dione", "."],
        ["Kadmos", "hears", atom, "."],
    ]


def test_flags_are_pairs(segmenter: Segmenter) -> None:
    flags = "\U0001f1ec\U0001f1f7\U0001f1ee\U0001f1f9"
    assert shown(segmenter.segment(flags)) == [[flags[:2], flags[2:]]]


def assert_whole(segmenter: Segmenter, text: str) -> None:
    """Check that no character is lost and that the output is valid CoNLL-U."""
    found = segmenter.segment(text)
    kept = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert original_text(found) == (kept if text.strip() else "")
    again = read(io.BytesIO(b"".join(map(bytes, found))), trees="optional")
    assert [(one.forms, one.misc) for one in again] == [(one.forms, one.misc) for one in found]
    for one in found:
        for token in tokens_of(one):
            start, end = map(int, (token.attribute("TokenRange") or "").split(":"))
            assert kept[start:end] == token.form


HOSTILE = "abZ 1.,!?'\"()[]-/@:_#|\\\n\r\t\0\x1f\x85\xa0"
HOSTILE += "\u200d\u0301\u2029\ud800\udfff\U0001f469\u05d0中"


@given(text=st.text(st.sampled_from(HOSTILE) | st.characters(), max_size=80))
@settings(max_examples=300, deadline=None)
def test_no_character_is_lost(segmenter: Segmenter, text: str) -> None:
    assert_whole(segmenter, text)


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_stream_gives_what_the_text_gives(segmenter: Segmenter, data: st.DataObject) -> None:
    piece = st.sampled_from(["Zeus sees. ", "Selene", " ", "\n", "\n\n", "Mr. ", "x" * 3000, "😀"])
    text = "".join(data.draw(st.lists(piece, max_size=60))) * data.draw(st.integers(1, 4))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dodona.segmentation.segmenter.PIECE", 50)
        streamed = [one for batch in segmenter.stream(chunks) for one in batch]
    whole = segmenter.segment(text)
    assert [bytes(one) for one in streamed] == [bytes(one) for one in whole]
    assert [one.line for one in streamed] == [one.line for one in whole]


def test_a_stream_yields_before_its_end(segmenter: Segmenter) -> None:
    n_read = 0

    def chunks() -> object:
        nonlocal n_read
        for _ in range(50):
            n_read += 1
            yield "Zeus sees the oak. " * 500

    batches = segmenter.stream(chunks())  # type: ignore[arg-type]
    assert len(next(batches)) > 100
    assert n_read < 20
    assert sum(map(len, batches)) > 20_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "\0",
        "\ud800",
        "a" * 1_000_000,
        "." * 100_000,
        "\n" * 100_000 + "x",
        " " * 200_000 + "x" + " " * 200_000,
        "http://" + "a/" * 100_000,
        "a." * 100_000 + "@",
        "\u0301" * 100_000,
        "\u202eabc\u202c \u05d0\u05d1",
    ],
    ids=lambda text: f"{text[:8]!a}-{len(text)}",
)
def test_hostile_text_loses_no_character(segmenter: Segmenter, text: str) -> None:
    assert_whole(segmenter, text)


def test_languages_without_spaces() -> None:
    rng = Random(5)
    words = ["木", "听见", "神", "问", "鸽子"]

    def made(n: int) -> Sentences:
        return [
            sentence([("+" if i else "") + rng.choice(words) for i in range(5)] + ["+。"])
            for _ in range(n)
        ]

    gold = gold_text(made(30))
    scores = segmentation_scores(gold, train_segmenter(made(200), epochs=5).segment(gold.text))
    assert min(scores.values()) > 95, scores


def test_a_treebank_without_space_after_and_punctuation() -> None:
    plain = [dodona.Sentence.from_columns(["oaks", "speak", "softly"])] * 20
    found = train_segmenter(plain, epochs=3).segment("oaks speak softly oaks speak softly")
    assert shown(found) == [["oaks", "speak", "softly"]] * 2


def test_a_file_brings_back_the_same_segmenter(segmenter: Segmenter, tmp_path: Path) -> None:
    segmenter.save(tmp_path / "s.dodona")
    again = Segmenter.load(tmp_path / "s.dodona")
    text = "Zeus doesn't see du bois (Elm). Mr. Elm hears."
    assert [bytes(s) for s in again.segment(text)] == [bytes(s) for s in segmenter.segment(text)]
    assert again.record == segmenter.record
    assert again.record["dev"]["sentences"] > 90
    again.save(tmp_path / "t.dodona")
    assert (tmp_path / "t.dodona").read_bytes() == (tmp_path / "s.dodona").read_bytes()


def test_training_twice_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        train_segmenter(treebank(40, 1), treebank(10, 2), epochs=2).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_run_resumed_after_any_epoch_gives_the_same_file(tmp_path: Path) -> None:
    """Resuming also restores multiword tokens, whose best epoch may be a later one."""
    data, settings = (treebank(40, 5), treebank(20, 6)), SegmenterSettings(epochs=4)
    whole = SegmenterTrainer(*data, settings)
    for epoch in whole.epochs():
        whole.save_checkpoint(tmp_path / f"{epoch.number}")
    whole.segmenter().save(tmp_path / "whole")
    assert whole.words.n_updates > 0
    for number in range(1, 5):
        resumed = SegmenterTrainer(*data, settings)
        resumed.resume(tmp_path / f"{number}")
        assert [epoch.number for epoch in resumed.epochs()] == list(range(number + 1, 5))
        resumed.segmenter().save(tmp_path / "resumed")
        assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("part", ["segmenter.certain", "segmenter.words.answers"])
def test_a_file_that_does_not_fit_together_is_refused(
    segmenter: Segmenter, tmp_path: Path, part: str
) -> None:
    about, arrays = segmenter.serialise()
    data = bytearray(arrays[part].data)
    data[:4] = b"\xff\xff\xff\xff"
    arrays[part] = container.Array(arrays[part].type, bytes(data))
    form = Segmenter.FORMAT
    container.write(tmp_path / "bad", form.kind, form.version, about, arrays)
    with pytest.raises(ContainerError, match="does not fit together"):
        Segmenter.load(tmp_path / "bad")


@pytest.mark.parametrize("rule", [["whole", "du", ["de"]], ["suffix", "", ["a", "b"]]])
def test_a_rule_without_several_words_is_refused(segmenter: Segmenter, rule: list[object]) -> None:
    about, arrays = segmenter.serialise()
    about["rules"] = [rule, *about["rules"][1:]]
    form = Segmenter.FORMAT
    data = container.to_bytes(form.kind, form.version, about, arrays)
    with pytest.raises(ContainerError, match="does not expand to several words"):
        Segmenter.from_bytes(data)


def test_errors_say_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("")
    with pytest.raises(TreebankError, match="nothing to learn from"):
        train_segmenter(tmp_path / "empty.conllu")
    with pytest.raises(ValueError, match="epochs must be at least 1"):
        SegmenterSettings(epochs=0)
    with pytest.raises(ValueError, match="there is no segmenter before"):
        SegmenterTrainer(treebank(5, 1), None, SegmenterSettings()).segmenter()


@pytest.mark.parametrize("text", ["oak " * 3_000, "oak, " * 1_500, "(" * 2_500, "oak\n" * 2_100])
@pytest.mark.parametrize("splitting", ["learned", "lines"])
def test_a_sentence_is_cut_after_1024_tokens(
    segmenter: Segmenter, text: str, splitting: Splitting
) -> None:
    found = segmenter.segment(text, sentences=splitting)
    assert max(len(sentence.tokens) for sentence in found) <= 1024
    assert original_text(found) == text
    chunks = (text[i : i + 999] for i in range(0, len(text), 999))
    streamed = [s for block in segmenter.stream(chunks, sentences=splitting) for s in block]
    assert streamed == found
