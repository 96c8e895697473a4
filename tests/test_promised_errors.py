"""Errors in files, models, settings and patterns are `DodonaError`, as `dodona.errors` promises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.clustering.clusters import cluster
from dodona.models.cards import Card
from dodona.models.wheels import ModelPackage
from support.small import treebank

TREES = treebank(6, 3)
PLAIN = [dodona.Sentence.from_columns(["Oaks", "speak"])]
PARTIAL = [dodona.Sentence.from_columns(["Oaks", "speak"], heads=[2, None], deprels=["a", "_"])]


def train(**settings: Any) -> Callable[[], object]:
    return lambda: dodona.train(TREES, **{"epochs": 1} | settings)


CASES: dict[str, Callable[[], object]] = {
    "pipeline": train(pipeline="speech"),
    "parts without a pipeline": train(segmenter="none"),
    "no part at all": train(pipeline="text", parser="none", tagger="none"),
    "settings of a parser that is not trained": train(pipeline="text", parser="none", beam=4),
    "language": train(language="two\nlines"),
    "licence": train(licence=7),
    "no such model": train(pipeline="text", segmenter="no-such-model"),
    "system": train(system="oak"),
    "number of another type": train(epochs=1.5),
    "folds": train(tags="jackknife:9"),
    "templates": train(features="no-such-file"),
    "templates of graphs": train(features="graph"),
    "lexicon without lemmas": lambda: dodona.train_tagger(TREES, lexicon=__file__, lemmas=False),
    "nothing to tag": lambda: dodona.train_tagger(PLAIN),
    "nothing to parse": lambda: dodona.train(PLAIN),
    "partial trees": lambda: dodona.train(PARTIAL, training="static"),
    "clusters": lambda: cluster([["an", "oak"]], clusters=1),
    "words of clusters": lambda: cluster([["oak"]]),
    "card": Card("two\nlines").check,
    "package": lambda: ModelPackage("an oak", b"", Card(version="1.0"), "", ""),
    "pattern": lambda: dodona.Pattern("form=/(/"),
    "model": lambda: dodona.load("no-such-model"),
    "model that is none": lambda: dodona.load(__file__),
    "treebank": lambda: list(dodona.read(__file__)),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_an_error_of_ours(case: str) -> None:
    with pytest.raises(dodona.DodonaError) as caught:
        CASES[case]()
    assert isinstance(caught.value, (ValueError, OSError)) and str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"roots": "three"},
        {"beam": 0},
        {"beam": 10**9},
        {"beam": 10**50},
        {"beam": 2.0},
        {"threads": 0},
        {"threads": 10**9},
        {"constraints": "oak"},
        {"keep_tags": True, "retag": True},
    ],
    ids=str,
)
def test_options_of_parsing_are_settings(options: dict[str, Any]) -> None:
    parser = dodona.train(TREES, epochs=1)
    with pytest.raises(dodona.DodonaError):
        list(parser.pipe(TREES, **options))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.txt", b"oak 1 2\nelm 1\n"),
        ("x.txt", b"oak 1 two\n"),
        ("x.txt", b""),
        ("x.npy", b"no array"),
        ("x.npy", b""),
    ],
)
def test_files_of_vectors(name: str, data: bytes, tmp_path: Path) -> None:
    pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')
    from dodona.training.neural.network import read_vectors

    (tmp_path / name).write_bytes(data)
    with pytest.raises(dodona.DodonaError):
        read_vectors(tmp_path / name)
    (tmp_path / "x.words").write_bytes(b"oak\n")
    with pytest.raises(dodona.DodonaError):
        read_vectors(tmp_path / name)
