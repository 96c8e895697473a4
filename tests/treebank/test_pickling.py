"""Parsers and taggers go through pickle, and so to other processes, unchanged."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import dodona
from dodona.storage import container
from dodona.storage.container import Array, ContainerError
from support.small import parser, train, treebank


def saved(model: dodona.Parser | dodona.Tagger, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


def test_a_parser_comes_back_as_it_was(tmp_path: Path) -> None:
    again = pickle.loads(pickle.dumps(parser()))
    corpus = treebank(40, 9)
    assert list(again.pipe(corpus)) == list(parser().pipe(corpus))
    assert again.settings == parser().settings and again.record == parser().record
    assert saved(again, tmp_path / "again") == saved(parser(), tmp_path / "first")


def test_a_tagger_comes_back_as_it_was(tmp_path: Path) -> None:
    tagger = dodona.train_tagger(treebank(40, 3), epochs=2)
    again = pickle.loads(pickle.dumps(tagger))
    corpus = treebank(40, 9)
    assert list(again.pipe(corpus)) == list(tagger.pipe(corpus))
    assert saved(again, tmp_path / "again") == saved(tagger, tmp_path / "first")


def test_a_parser_brings_its_tagger_along() -> None:
    both = train(treebank(40, 3), tags="predicted")
    again = pickle.loads(pickle.dumps(both))
    words = dodona.Sentence.from_columns(treebank(40, 9)[0].forms)
    assert again.tagger is not None and again.parse(words) == both.parse(words)


def test_other_processes_parse_alike() -> None:
    corpus = treebank(20, 9)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert list(pool.map(parser().parse, corpus)) == list(parser().pipe(corpus))


def test_a_container_in_memory_is_the_one_on_disk(tmp_path: Path) -> None:
    about, arrays = {"a": 1}, {"x": Array("U32", b"\1\0\0\0"), "y": Array("U8", b"oak")}
    data = container.to_bytes("model", 3, about, arrays)
    container.write(tmp_path / "file", "model", 3, about, arrays)
    assert (tmp_path / "file").read_bytes() == data
    found, views = container.from_bytes(data, "model", 3)
    assert found == about and views["x"].tolist() == [1] and bytes(views["y"]) == b"oak"
    assert all(view.readonly for view in views.values())
    with pytest.raises(ContainerError, match="damaged"):
        container.from_bytes(data[:-1] + b"!", "model", 3)
    with pytest.raises(ContainerError, match="not a Dodona model"):
        container.from_bytes(b"", "model", 3)
