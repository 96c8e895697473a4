"""The public names of the package, and errors with advice for common mistakes."""

from __future__ import annotations

import logging
import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import dodona
from dodona import Doc, Gold, Parser, Sentence

TEXTS = ["Oaks speak.", "", "The priests didn't listen. They slept.", "   ", "Zeus sees."]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return dodona.load("en")


@pytest.mark.parametrize("name", ["download", "Pipeline", "blank"])
def test_names_of_other_tools_get_advice(name: str) -> None:
    with pytest.raises(AttributeError, match=r"dodona get|dodona\.(load|train)"):
        getattr(dodona, name)


def test_the_version_is_there() -> None:
    assert re.fullmatch(r"\d+\.\d+.*", dodona.__version__)
    assert "__version__" in dir(dodona)


def test_names_of_things_are_short(parser: Parser) -> None:
    doc = parser("Oaks speak.")
    assert repr(doc) == "<Doc of 1 sentence, 3 words>"
    for thing in (parser, parser.tagger, parser.segmenter, doc[0], doc[0][0]):
        assert len(repr(thing)) < 100 and "\n" not in repr(thing)
    assert repr(parser).startswith("<Parser ")


@pytest.mark.parametrize("threads", [1, 2])
def test_docs_are_one_for_each_text_in_order(parser: Parser, threads: int) -> None:
    docs = list(parser.docs(TEXTS * 40, threads=threads))
    assert [doc.text for doc in docs] == TEXTS * 40
    assert docs[:5] == [parser(text) for text in TEXTS]
    assert [len(doc) for doc in docs[:5]] == [1, 0, 2, 0, 1]


def test_docs_take_their_context_along(parser: Parser) -> None:
    pairs = [(text, {"id": i}) for i, text in enumerate(TEXTS)]
    found = list(parser.docs(pairs, as_tuples=True))
    assert [context["id"] for _, context in found] == [0, 1, 2, 3, 4]
    assert [doc.text for doc, _ in found] == TEXTS
    assert list(parser.docs([])) == []


def test_docs_are_a_stream(parser: Parser) -> None:
    n_read = 0

    def texts() -> Iterator[str]:
        nonlocal n_read
        while True:
            n_read += 1
            yield "Oaks speak."

    docs = parser.docs(texts())
    assert next(docs).text == "Oaks speak."
    assert n_read < 2000


def test_what_comes_before_an_error_is_given_out(parser: Parser) -> None:
    docs = parser.docs(["Oaks speak.", None])  # type: ignore[list-item]
    assert next(docs).text == "Oaks speak."
    with pytest.raises(TypeError, match="expected a text, not NoneType"):
        next(docs)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda p: p(None), "expected a text, not NoneType"),
        (lambda p: p(["Oaks speak.", "Listen."]), r"parser\.docs\(texts\)"),
        (lambda p: p.parse("Oaks speak."), r"parser\(text\)"),
        (lambda p: p.pipe_text(["a tweet", "another"]), r"parser\.docs\(texts\)"),
        (lambda p: p.pipe_text("a text"), r"parser\(text\)"),
        (lambda p: p.docs("a text"), r"parser\(text\)"),
    ],
)
def test_wrong_types_are_errors_with_advice(parser: Parser, call: object, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        call(parser)  # type: ignore[operator]


def test_words_of_contractions_have_places_of_their_own(parser: Parser) -> None:
    text = "They didn't lie."
    words = parser(text).words
    assert [(word.text, word.start, word.end) for word in words[:3]] == [
        ("They", 0, 4),
        ("did", 5, 8),
        ("n't", 8, 11),
    ]
    assert all(text[word.start : word.end] == word.text for word in words)


def test_sentences_words_and_what_is_around_them(parser: Parser) -> None:
    doc = parser("The priests listened.")
    assert doc.sentences == tuple(doc)
    (sentence,) = doc.sentences
    assert sentence.words == list(sentence)
    priests = sentence.words[1]
    assert priests.text == priests.form == "priests"
    assert [word.text for word in priests.children] == ["The"]
    assert [word.text for word in priests.subtree] == ["The", "priests"]


def test_noun_phrases(parser: Parser) -> None:
    doc = parser("The old priests of Dodona heard my friend's oak trees and Zeus.")
    phrases = [" ".join(word.form for word in phrase) for phrase in doc.noun_phrases()]
    assert phrases == ["The old priests", "Dodona", "my friend 's oak trees", "Zeus"]


def test_noun_phrases_by_hand() -> None:
    rows = [
        ("Saint", "PROPN", 3, "nsubj"),
        ("Peter", "PROPN", 1, "flat"),
        ("saw", "VERB", 0, "root"),
        ("two", "NUM", 6, "nummod"),
        ("very", "ADV", 6, "advmod"),
        ("oaks", "NOUN", 3, "obj"),
        (",", "PUNCT", 8, "punct"),
        ("elms", "NOUN", 6, "conj"),
    ]
    forms, upos, heads, deprels = zip(*rows, strict=True)
    sentence = Sentence.from_columns(forms, upos=upos, heads=heads, deprels=deprels)
    assert [[w.id for w in phrase] for phrase in sentence.noun_phrases()] == [
        [1, 2],
        [4, 5, 6],
        [8],
    ]


def test_gold_from_a_sentence(parser: Parser) -> None:
    sentence = parser("Oaks speak.")[0]
    gold = Gold.from_sentence(sentence)
    assert list(gold.heads or ()) == sentence.heads
    assert list(gold.labels or ()) == sentence.deprels
    partial = Gold.from_sentence(Sentence.from_columns(["a", "b"], heads=[2, None]))
    assert partial.heads == (2, None) and partial.labels == (None, None)


def test_a_data_frame(parser: Parser) -> None:
    pytest.importorskip("pandas")
    frame = parser("The priests listened.").to_pandas()
    assert list(frame["form"]) == ["The", "priests", "listened", "."]
    assert list(frame["start"]) == [0, 4, 12, 20]
    assert frame[frame["deprel"] == "root"]["lemma"].tolist() == ["listen"]
    assert len(Doc([]).to_pandas()) == 0
    unparsed = Doc([Sentence.from_columns(["x"])]).to_pandas()
    assert unparsed["head"].isna().all()


def test_logging_is_silent_until_somebody_listens(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    dodona.load("en")
    assert capfd.readouterr() == ("", "")
    with caplog.at_level(logging.INFO, logger="dodona"):
        dodona.load("en")
    assert [record.name for record in caplog.records] == ["dodona"]
    assert "en.dodona" in caplog.text


def test_our_errors_are_one_family(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(b"1\n\n")
    calls = [
        lambda: list(dodona.read(bad)),
        lambda: dodona.load(bad),
        lambda: dodona.Pattern("?"),
        lambda: dodona.evaluate([], []),
        lambda: dodona.train(bad, features=str(bad)),
        lambda: dodona.Settings(beam=-1),
        lambda: dodona.Settings(system="arc-lazy"),
    ]
    for call in calls:
        with pytest.raises(dodona.DodonaError) as caught:
            call()
        assert isinstance(caught.value, ValueError)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_errors_of_files_are_of_the_family_too(parser: Parser) -> None:
    with pytest.raises(dodona.DodonaError, match="no model of that name") as caught:
        dodona.load("klingon")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(dodona.DodonaError, match="no segmenter"):
        replace(parser, segmenter=None)("Oaks speak.")


def test_a_notebook_shows_trees(parser: Parser) -> None:
    doc = parser("Oaks speak. Oaks sleep.")
    html = doc._repr_html_()
    assert html.startswith("<svg") and html.count('class="word"') == 6
    assert doc[0]._repr_svg_().startswith("<svg")
    long = Doc([doc[0]] * 30)._repr_html_()
    assert "… and 10 more sentences" in long
