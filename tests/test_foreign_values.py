"""Strings and numbers of NumPy and pandas, and subclasses of str, in every public function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dodona
from dodona import Doc, Sentence
from dodona.treebank.trees.pseudoprojective import deprojectivise, projectivise
from support.small import treebank


class Text(str):
    """A subclass of str that prints something else than it is."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another text"


TEXT = "Oaks speak. They know your future."
KINDS = pytest.mark.parametrize("kind", [np.str_, Text])


@pytest.fixture(scope="module")
def parser() -> dodona.Parser:
    return dodona.load("en-linear")


@KINDS
def test_texts(parser: dodona.Parser, kind: Any) -> None:
    expected = parser(TEXT)
    doc = parser(kind(TEXT))
    assert doc == expected and type(doc.text) is str
    assert [*parser.docs([kind(TEXT)])] == [expected]
    (pair,) = parser.docs([(kind(TEXT), 7)], as_tuples=True)
    assert pair == (expected, 7) and type(pair[0].text) is str
    assert [*parser.pipe_text(iter([kind(TEXT[:9]), kind(TEXT[9:])]))] == list(expected)
    segmenter, tagger = parser.segmenter, parser.tagger
    assert segmenter is not None and tagger is not None
    assert segmenter.segment(kind(TEXT)) == segmenter.segment(TEXT)
    assert segmenter.segment(TEXT, sentences=kind("lines")) == segmenter.segment(
        TEXT, sentences="lines"
    )
    name = [*segmenter.stream([kind(TEXT)], name=kind("oaks"))]
    assert name == [*segmenter.stream([TEXT], name="oaks")]


def test_texts_of_an_array(parser: dodona.Parser) -> None:
    column: Any = np.array([TEXT, "Listen!"])
    assert [*parser.docs(column)] == [*parser.docs([TEXT, "Listen!"])]
    frame = pytest.importorskip("pandas").DataFrame({"text": [TEXT, "Listen!"]})
    assert [*parser.docs(frame["text"])] == [*parser.docs([TEXT, "Listen!"])]


def test_a_path_and_bytes_are_no_texts(parser: dodona.Parser) -> None:
    for odd in (Path("notes.txt"), TEXT.encode(), np.array([TEXT])):
        given: Any = odd
        with pytest.raises(TypeError, match="expected a text, not"):
            parser(given)
        assert parser.segmenter is not None
        with pytest.raises(TypeError, match="expected a text, not"):
            parser.segmenter.segment(given)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_columns_of_a_sentence(dtype: Any) -> None:
    plain = Sentence.from_columns(
        ["Oaks", "speak"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]
    )
    columns: Any = {
        "upos": np.array(["NOUN", "VERB"]),
        "heads": np.array([2, 0], dtype),
        "deprels": [Text("nsubj"), np.str_("root")],
    }
    forms: Any = np.array(["Oaks", "speak"])
    found = Sentence.from_columns(forms, format=Text("conllu"), **columns)
    assert bytes(found) == bytes(plain) and type(found.format) is str
    assert found == Sentence.from_columns(["Oaks", "speak"]).replace(**columns)
    index: Any = dtype(1)
    assert found[index].form == "speak" and Doc([found])[dtype(0)] == found


@pytest.mark.parametrize("head", [1.0, "1", np.float64(1), np.array([1]), 10**30, -1, b"1"])
def test_what_is_no_head_is_refused(head: Any) -> None:
    with pytest.raises(ValueError, match="expected a head from 0 to 2"):
        Sentence.from_columns(["Oaks", "speak"], heads=[head, 0])


@KINDS
def test_systems_and_patterns(kind: Any) -> None:
    labels = ["nsubj", "root"]
    plain = dodona.system("arc-eager", labels=labels, root="last", loss="graded")
    given = {"root": kind("last"), "loss": kind("graded"), "static_oracle": kind("static")}
    assert dodona.system(kind("arc-eager"), labels=[*map(kind, labels)], **given) == plain
    state = plain.start(2)
    number: Any = np.int64(2)
    assert plain.start(number) == state
    assert plain.step(state, kind("SHIFT")) == plain.step(state, "SHIFT")
    heads: Any = np.array([2, 0])
    gold = dodona.Gold(heads, [*map(kind, labels)])
    assert plain.costs(state, gold) == plain.costs(state, dodona.Gold([2, 0], labels))
    doc = Doc(treebank(1, 3))
    found = doc.match(kind("upos=NOUN"))
    assert [one.ids for one in found] == [one.ids for one in doc.match("upos=NOUN")] != []


@KINDS
def test_options_of_parsing_and_training(parser: dodona.Parser, kind: Any, tmp_path: Path) -> None:
    (sentence,) = treebank(1, 3)
    beam: Any = np.int64(2)
    threads: Any = np.int32(2)
    plain = [*parser.pipe([sentence], beam=2, threads=2, roots="many")]
    assert [*parser.pipe([sentence], beam=beam, threads=threads, roots=kind("many"))] == plain
    made = dodona.train(treebank(8, 3), epochs=1, pipeline=kind("parser"), language=kind("Oakish"))
    made.save(tmp_path / "oak.dodona")
    again = dodona.load(kind(f"{tmp_path}/oak.dodona"))
    assert again.record["card"] == {"language": "Oakish"}


@KINDS
def test_files_and_documents(kind: Any, tmp_path: Path) -> None:
    path: Any = kind(f"{tmp_path}/oaks.conllu")
    trees = treebank(4, 3)
    with dodona.Writer(path, format=kind("conllu")) as writer:
        for sentence in trees:
            writer.write(sentence)
    length: Any = np.int64(1000)
    options: Any = {"format": kind("conllu"), "trees": kind("optional"), "name": kind("oaks")}
    assert [*dodona.read(path, max_words=length, **options)] == trees
    seed: Any = np.int64(3)
    both = [dodona.compare(path, path, path, test=kind("bootstrap"), seed=s) for s in (seed, 3)]
    assert both[0] == both[1]
    assert dodona.train(path, epochs=1).to_bytes() == dodona.train(trees, epochs=1).to_bytes()
    doc = Doc(trees, kind("Oaks"))
    assert type(doc.text) is str and str(doc) == "Oaks"
    comment = Sentence.from_columns(["Oaks"], comments=[kind("# sent_id = 7")])
    assert comment.sent_id == "7"


@KINDS
def test_transformed_trees(kind: Any) -> None:
    heads, labels = [3, 4, 0, 3], ["det", "nmod", "root", "obj"]
    given: Any = np.array(heads)
    plain = projectivise(heads, labels, "head")
    found = projectivise(given, [*map(kind, labels)], kind("head"))
    assert found == plain and {*map(type, found.labels)} == {str}
    lifted = [*map(kind, plain.labels)]
    assert deprojectivise(plain.heads, lifted, kind("head")) == (heads, labels)


@pytest.mark.parametrize("head", [1.5, "1", np.float64(1)])
def test_a_gold_head_is_not_rounded(head: Any) -> None:
    with pytest.raises(TypeError, match="a head must be a whole number"):
        dodona.Gold([head, 0], ["nsubj", "root"])
    with pytest.raises(TypeError, match="a head must be a whole number"):
        dodona.Gold(arcs=[(head, "nsubj", 1)])
