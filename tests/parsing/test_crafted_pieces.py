"""A model whose pieces would lead the core astray, or take all memory, is refused at once."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

import dodona
from dodona.storage import container
from dodona.storage.container import Array, ContainerError
from dodona.storage.serialisable import Serialisable
from support.small import treebank

About = dict[str, Any]
Arrays = dict[str, Array]


@cache
def made(kind: type[Serialisable]) -> Serialisable:
    book = [
        s.replace(lemmas=[form.lower().rstrip("s") or "s" for form in s.forms])
        for s in treebank(10, 1)
    ]
    if kind is dodona.Parser:
        return dodona.train(book, epochs=1)
    return (dodona.train_tagger if kind is dodona.Tagger else dodona.train_segmenter)(
        book, epochs=1
    )


def refused(kind: type[Serialisable], change: Callable[[About, Arrays], None], said: str) -> None:
    about, arrays = deepcopy(made(kind)._with_parts())
    change(about, arrays)
    data = container.to_bytes(kind.FORMAT.kind, kind.FORMAT.version, about, arrays)
    with pytest.raises(ContainerError, match=said):
        kind.from_bytes(data)


def test_a_parser_without_classes() -> None:
    def change(about: About, arrays: Arrays) -> None:
        about["actions"] = []

    refused(dodona.Parser, change, "at least one class")


@pytest.mark.parametrize("label", ["", "a\tb", "a\nb"])
def test_a_label_that_no_file_can_hold(label: str) -> None:
    def change(about: About, arrays: Arrays) -> None:
        about["labels"][0] = label

    refused(dodona.Parser, change, "holds no tab and no line end")


@pytest.mark.parametrize("n_learned", [0, 1])
def test_a_tagger_without_classes(n_learned: int) -> None:
    def change(about: About, arrays: Arrays) -> None:
        about["tasks"][0] |= {"classes": [], "n_learned": n_learned}

    refused(dodona.Tagger, change, "the list of upos is empty|1 of 0 classes of upos")


@pytest.mark.parametrize("n_learned", [-1, 10_000])
def test_a_tagger_that_learns_more_classes_than_there_are(n_learned: int) -> None:
    def change(about: About, arrays: Arrays) -> None:
        about["tasks"][-1]["n_learned"] = n_learned

    refused(dodona.Tagger, change, f"{n_learned} of 2 classes of lemma are learned")


@pytest.mark.parametrize("tag", ["", "NO\tUN", "NO\nUN"])
def test_a_tag_that_no_file_can_hold(tag: str) -> None:
    def change(about: About, arrays: Arrays) -> None:
        about["tasks"][0]["classes"][0] = tag

    refused(dodona.Tagger, change, "holds no tab and no line end")


@pytest.mark.parametrize("entry", [10_000, 2**30 - 1, 2**32 - 1])
def test_a_word_for_certain_that_is_not_known(entry: int) -> None:
    """A few bytes would else have asked for four gigabytes."""

    def change(about: About, arrays: Arrays) -> None:
        for name, values in (("entries", [0, entry]), ("before", [0, 0]), ("fixed", [0, 0])):
            arrays[f"tagger.upos.{name}"] = Array("U32", array("I", values).tobytes())

    refused(dodona.Tagger, change, f"word {entry} has a fixed class, but ")


def test_a_beam_of_a_tagger_beyond_all_measure() -> None:
    def change(about: About, arrays: Arrays) -> None:
        about["settings"] |= {"search": "beam", "beam": 2**31 - 1}

    refused(dodona.Tagger, change, "beam must be at most 1,000")


def test_a_segmenter_without_classes() -> None:
    def change(about: About, arrays: Arrays) -> None:
        arrays["segmenter.buckets"] = Array("U32", b"")

    refused(dodona.Segmenter, change, "no empty slot")


def test_rows_of_weights_that_many_features_share() -> None:
    """To look through them would take as long as there are features, times the longest row."""

    def change(about: About, arrays: Arrays) -> None:
        rows = struct.pack("<H", 3 << 12 | 0xFFF) + bytes(2 * 10_000)
        arrays["weights.rows"] = Array("I8", rows)
        bucket = struct.pack("<16I", 1, 3, 5, 7, 0, 0, 0, 0, *[0] * 8)
        arrays["weights.buckets"] = Array("U32", bucket * 5000)

    refused(dodona.Parser, change, "outside the table or the classes")


def test_a_table_that_would_be_searched_from_end_to_end() -> None:
    def change(about: About, arrays: Arrays) -> None:
        full = struct.pack("<16I", *range(1, 17, 2), *range(8))
        arrays["weights.rows"] = Array("I8", bytes(100_000))
        arrays["weights.buckets"] = Array("U32", bytes(64) + full * 300)

    refused(dodona.Parser, change, "no empty slot where there should be one")
