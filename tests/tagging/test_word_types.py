"""Word types: equal forms are one type, which is encoded once."""

from __future__ import annotations

from array import array
from itertools import pairwise

import pytest

import dodona
from dodona.tagging.word_types import FIELDS, HASHED, WordTypes
from dodona.treebank.encoding.vocabulary import Vocabulary

SIZES = [64] * len(HASHED) + [128]
FORMS = Vocabulary([b"oak", b"speaks"])


def spelled(types: WordTypes) -> list[list[list[int]]]:
    """Return the rows of each type and field."""
    first, rows = (array("i", data).tolist() for data in types.field_rows())
    n = len(types.fields)
    lists = [rows[a:b] for a, b in pairwise(first)]
    return [lists[i : i + n] for i in range(0, len(lists), n)]


def numbers(types: WordTypes, *forms: str) -> list[int]:
    return array("i", types.numbers([dodona.Sentence.from_columns(list(forms))])).tolist()


def test_a_form_is_one_type_and_others_share_what_they_have_in_common() -> None:
    types = WordTypes(FORMS, SIZES)
    assert numbers(types, "Oak", "oak", "soak", "Oak") == [0, 1, 2, 0]
    assert numbers(types, "soak") == [2] and len(types) == 3
    title, lower, other = spelled(types)
    place = FIELDS.index
    assert title[place("lower")] == lower[place("lower")] == [1] and other[place("lower")] == [0]
    assert title[place("form")] != lower[place("form")]
    assert title[place("shape")] != lower[place("shape")]
    assert title[place("grams")] == lower[place("grams")]  # in lower case
    assert lower[place("suffix3")] == other[place("suffix3")]
    assert len(lower[place("grams")]) == 3 + 2 + 1  # <oa oak ak> <oak oak> <oak>
    types.clear()
    assert len(types) == 0 and spelled(types) == []


def test_affixes_longer_than_the_form_are_the_first_row() -> None:
    types = WordTypes(FORMS, SIZES)
    numbers(types, "a")
    [rows] = spelled(types)
    assert rows[FIELDS.index("suffix2")] == [0] != rows[FIELDS.index("suffix1")]


def test_vectors_are_of_the_form_or_else_of_it_in_lower_case() -> None:
    types = WordTypes(FORMS, SIZES, Vocabulary([b"oak", b"Zeus"]))
    numbers(types, "OAK", "Zeus", "zeus")
    assert [rows[-1] for rows in spelled(types)] == [[1], [2], [0]]
    assert types.table_sizes == (3, *SIZES, 3)


def test_a_form_as_long_as_a_book_has_as_many_rows_as_others() -> None:
    types = WordTypes(FORMS, SIZES)
    numbers(types, "é" * 100_000, "".join(map(chr, range(0x4E00, 0x5600))))
    assert all(len(rows[FIELDS.index("grams")]) <= 64 for rows in spelled(types))


def test_only_later_types_are_told_on_demand() -> None:
    types = WordTypes(FORMS, SIZES)
    numbers(types, "oak", "leaf", "branch")
    first, rows = (array("i", data).tolist() for data in types.field_rows(2))
    whole = spelled(types)[2]
    assert first[0] == 0 and rows == [row for field in whole for row in field]


@pytest.mark.parametrize("sizes", [[], SIZES[1:], [1, *SIZES[1:]], [1 << 30, *SIZES[1:]]])
def test_tables_of_impossible_sizes_are_refused(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="expected the sizes of 12 tables"):
        WordTypes(FORMS, sizes)
