"""Level 1: lines, columns and ids."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from dodona.validation.blocks import (
    FORM,
    ID,
    LEMMA,
    MISC,
    N_COLUMNS,
    NAMES,
    Block,
    Row,
)
from dodona.validation.problems import Found

LEVEL = 1
MAY_HAVE_SPACES = (FORM, LEMMA, MISC)


def check_format(block: Block) -> Iterator[Found]:
    """Everything about the lines of a sentence that no reader could overlook."""
    has_rows = False
    for number, line in block.numbered():
        if normalize("NFC", line) != line:
            yield Found(number, LEVEL, "nfc", "characters are not composed (NFC)", can_mend=True)
        if line.startswith("#"):
            if has_rows:
                said = "a comment among the words; expected above the first word"
                yield Found(number, LEVEL, "comment", said)
            continue
        has_rows = True
        fields = line.split("\t")
        if len(fields) != N_COLUMNS:
            said = f"expected 10 tab-separated columns, found {len(fields)}"
            yield Found(number, LEVEL, "columns", said)
        else:
            yield from _check_fields(Row(number, fields))
    if not has_rows:
        yield Found(block.line, LEVEL, "no-words", "comments without a sentence")
    else:
        yield from _check_ids(block)


def _check_fields(row: Row) -> Iterator[Found]:
    for column, value in enumerate(row.fields):
        name = NAMES[column]
        if not value:
            said = f"{name} is empty; expected '_' where there is no value"
            yield Found(row.line, LEVEL, "empty", said, can_mend=column != ID)
        elif value != value.strip():
            said = f"{name} begins or ends with white space"
            yield Found(row.line, LEVEL, "white-space", said, can_mend=bool(value.strip()))
        elif column not in MAY_HAVE_SPACES and any(map(str.isspace, value)):
            yield Found(row.line, LEVEL, "white-space", f"white space in {name}: {value!r}")


def _check_ids(block: Block) -> Iterator[Found]:
    """Words count up from 1; a range stands before its first word, an empty node after its word."""
    n_words, n_empty, range_end = 0, 0, 0
    range_line = block.line
    for row in block.rows:
        if row.is_word:
            n_words, n_empty = n_words + 1, 0
            if int(row.fields[ID]) != n_words:
                yield _wrong_id(row, f"expected id {n_words}, found {row.fields[ID]}")
                n_words = int(row.fields[ID])
        elif row.range is not None:
            first, last = row.range
            if last < first:
                yield _wrong_id(row, f"the range {row.fields[ID]} ends before it begins")
            elif first <= range_end:
                yield _wrong_id(row, f"the range {row.fields[ID]} overlaps the one before it")
            elif first != n_words + 1:
                said = f"the range {row.fields[ID]} is out of place; expected at word {n_words + 1}"
                yield _wrong_id(row, said)
            range_end, range_line = max(range_end, last), row.line
        elif row.empty_node is not None:
            n_empty += 1
            if row.empty_node != (n_words, n_empty):
                expected = f"{n_words}.{n_empty}"
                yield _wrong_id(row, f"empty node {row.fields[ID]}; expected {expected}")
        else:
            said = f"ID is {row.fields[ID]!r}; expected a number, a range 3-4 or an empty node 8.1"
            yield _wrong_id(row, said)
    if range_end > n_words:
        said = f"the range ends at {range_end}, but the sentence has {n_words} words"
        yield Found(range_line, LEVEL, "id", said)
    if not n_words:
        yield Found(block.line, LEVEL, "no-words", "a sentence without words")


def _wrong_id(row: Row, said: str) -> Found:
    return Found(row.line, LEVEL, "id", said)
