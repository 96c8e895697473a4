"""Text in, trees out: training all parts, using them, leaving some out; no character is lost."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona.pipeline.sources import PartSources
from dodona.pipeline.trainers import new_trainer
from dodona.synthetic.generator import write_treebank
from dodona.treebank.raw_text import original_text, raw_text


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("invented")
    for seed, (part, n_sentences) in enumerate({"train": 250, "dev": 60, "test": 60}.items()):
        write_treebank(folder / f"{part}.conllu", n_sentences, seed)
    return folder


@pytest.fixture(scope="module")
def files(data: Path) -> tuple[Path, Path]:
    return data / "train.conllu", data / "dev.conllu"


@pytest.fixture(scope="module")
def parser(files: tuple[Path, Path]) -> dodona.Parser:
    parser = dodona.train(*files, pipeline="text", epochs=3)
    assert isinstance(parser, dodona.Parser)
    return parser


@pytest.fixture(scope="module")
def text(data: Path) -> str:
    return "".join(raw_text(dodona.read(data / "test.conllu")))


@pytest.fixture(scope="module")
def model(parser: dodona.Parser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "text.dodona"
    parser.save(path)
    return path


def test_text_becomes_trees(parser: dodona.Parser, text: str, data: Path) -> None:
    doc = parser(text)
    assert doc.text == original_text(doc) == text
    scores = dodona.evaluate_text(data / "test.conllu", list(doc))
    assert scores.tokens.f1 > 95
    assert scores.upos.f1 > 85
    assert scores.lemmas.f1 > 85
    assert scores.las is not None
    assert scores.las.f1 > 50
    for sentence in doc:
        for word in sentence:
            assert text[word.start : word.end] == word.form


def test_the_record_has_the_scores_of_the_dev_set(
    parser: dodona.Parser, files: tuple[Path, Path]
) -> None:
    dev = list(dodona.read(files[1]))
    scores = dodona.evaluate_text(dev, list(parser("".join(raw_text(dev)))))
    assert scores.las is not None
    assert parser.record["dev_text"]["las"] == scores.las.f1
    assert parser.record["dev_text"]["sentences"] == scores.sentences.f1


def test_a_saved_model_does_the_same(parser: dodona.Parser, model: Path, text: str) -> None:
    doc = parser(text)
    assert dodona.load(model)(text) == doc
    assert pickle.loads(pickle.dumps(parser))(text) == doc
    assert parser(text, threads=2) == doc


def test_training_twice_gives_the_same_bytes(
    parser: dodona.Parser, model: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    trainer = new_trainer(*files, dodona.Settings(epochs=3), PartSources())
    for _ in trainer.epochs():
        pass
    trainer.parser().save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == model.read_bytes()


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_text_in_pieces_is_the_text(parser: dodona.Parser, text: str, size: int) -> None:
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert [*map(bytes, parser.pipe_text(iter(pieces)))] == [*map(bytes, parser(text))]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_any_text_comes_through(parser: dodona.Parser, text: str) -> None:
    doc = parser(text)
    assert doc.text == text
    if doc:
        assert original_text(doc) == re.sub("[\ud800-\udfff]", "\ufffd", text)
    again = dodona.Doc.from_conllu(doc.to_conllu())
    assert [s.heads for s in again] == [s.heads for s in doc]
    for sentence in doc:
        assert sentence.heads.count(0) == 1


HOSTILE = {
    "empty": "",
    "white space": " \n\t\u2003\n\n ",
    "nulls": "Oaks\0speak\0. \0\0 And?",
    "surrogates": "Oaks \ud800 speak\udfff.",
    "no space": "x" * 300_000,
    "right to left": "\u202eשלום עולם. مرحبا بالعالم.",  # noqa: RUF001
    "combining": "e\u0301" * 50 + " Z\u0351\u036f\u0337a\u0324lgo.",
    "emoji": "👩‍👩‍👧‍👦👍🏽 ok 🇬🇷!",
    "controls": "a\x01b\x1bc\x7f d\x85e\u2028f",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_loses_nothing(parser: dodona.Parser, name: str) -> None:
    text = HOSTILE[name]
    doc = parser(text)
    covered = {i for word in doc.words for i in range(word.start or 0, word.end or 0)}
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)
    assert len(original_text(doc)) == len(text) or not doc


def test_a_parser_without_a_segmenter_says_so(files: tuple[Path, Path]) -> None:
    parser = dodona.train(*files, epochs=1)
    with pytest.raises(ValueError, match=r"no segmenter.*--pipeline text"):
        parser("Oaks speak.")


def test_a_dev_set_that_cannot_be_scored_loses_no_parser(files: tuple[Path, Path]) -> None:
    dev = [
        dodona.Sentence.from_columns(s.forms, upos=s.upos, heads=[None, *s.heads[1:]])
        for s in dodona.read(files[1])
    ]
    trainer = new_trainer(files[0], dev, dodona.Settings(epochs=1), PartSources())
    for _ in trainer.epochs():
        pass
    assert trainer.parser().record["dev_text"] == {}
    assert "head" in trainer.text_problem


class TestParts:
    """Parts can be left out, or taken from other models."""

    def test_without_a_segmenter(self, files: tuple[Path, Path]) -> None:
        parser = dodona.train(*files, pipeline="text", segmenter="none", epochs=1)
        assert parser.segmenter is None
        assert isinstance(parser, dodona.Parser)
        assert parser.tagger is not None

    def test_without_a_tagger(self, files: tuple[Path, Path]) -> None:
        parser = dodona.train(*files, pipeline="text", tagger="none", epochs=1)
        assert isinstance(parser, dodona.Parser)
        assert parser.tagger is None and not parser.needs_tags
        assert parser("Oaks speak.").words[0].upos == "_"

    def test_without_a_parser(self, files: tuple[Path, Path], text: str, tmp_path: Path) -> None:
        tagger = dodona.train(*files, pipeline="text", parser="none")
        assert isinstance(tagger, dodona.Tagger)
        tagger.save(tmp_path / "tagger")
        doc = dodona.Tagger.load(tmp_path / "tagger")(text)
        assert doc == tagger(text) == pickle.loads(pickle.dumps(tagger))(text)
        assert all(word.upos != "_" and word.head is None for word in doc.words)

    def test_ready_parts_are_taken_as_they_are(
        self, files: tuple[Path, Path], model: Path, parser: dodona.Parser, text: str
    ) -> None:
        ready = str(model)
        other = dodona.train(*files, pipeline="text", segmenter=ready, tagger=ready, epochs=1)
        assert isinstance(other, dodona.Parser)
        ours, theirs = parser(text), other(text)
        assert [s.forms for s in ours] == [s.forms for s in theirs]
        assert [s.upos for s in ours] == [s.upos for s in theirs]
        frozen = dodona.train(*files, pipeline="text", tagger=ready, parser=ready, segmenter=ready)
        assert frozen(text) == ours

    def test_what_does_not_go_together(self, files: tuple[Path, Path], tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="pipeline='text'"):
            dodona.train(*files, segmenter="none")
        with pytest.raises(ValueError, match="epochs: the parser is not trained"):
            dodona.train(*files, pipeline="text", parser="none", epochs=3)
        with pytest.raises(ValueError, match="one of parser, text"):
            dodona.train(*files, pipeline="speech")
        with pytest.raises(ValueError, match="nothing to make a model of"):
            PartSources(tagger="none", parser="none")
        dodona.train(*files, epochs=1, tags="gold").save(tmp_path / "bare.dodona")
        bare = str(tmp_path / "bare.dodona")
        with pytest.raises(ValueError, match="no segmenter to take"):
            dodona.train(*files, pipeline="text", segmenter=bare)
        with pytest.raises(ValueError, match="this parser has no tagger"):
            dodona.train(*files, pipeline="text", tagger=bare)
