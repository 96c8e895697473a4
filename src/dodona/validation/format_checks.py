"""Level 1: lines, columns and ids."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from dodona.validation.sentence_blocks import NAMES, ConlluRow, Finding, SentenceBlock

MAY_HAVE_SPACES = ("FORM", "LEMMA", "MISC")


def check_format(block: SentenceBlock) -> Iterator[Finding]:
    """Check lines, number of columns and ids of a sentence."""
    has_rows = False
    for number, line in block.numbered():
        if normalize("NFC", line) != line:
            yield Finding(number, 1, "nfc", "characters are not in NFC", can_fix=True)
        if line.startswith("#"):
            if has_rows:
                message = "a comment among the words; expected above the first word"
                yield Finding(number, 1, "comment", message)
            continue
        has_rows = True
        fields = line.split("\t")
        if len(fields) != len(NAMES):
            message = f"expected 10 tab-separated columns, found {len(fields)}"
            yield Finding(number, 1, "columns", message)
        else:
            yield from _check_fields(ConlluRow(number, *fields))
    if not has_rows:
        yield Finding(block.line, 1, "no-words", "comments without a sentence")
    else:
        yield from _check_ids(block)


def _check_fields(row: ConlluRow) -> Iterator[Finding]:
    for name, value in zip(NAMES, row[1:], strict=True):
        if not value:
            message = f"{name} is empty; expected '_' where there is no value"
            yield row.finding(1, "empty", message, can_fix=name != "ID")
        elif value != value.strip():
            message = f"{name} begins or ends with white space"
            yield row.finding(1, "white-space", message, can_fix=bool(value.strip()))
        elif name not in MAY_HAVE_SPACES and any(map(str.isspace, value)):
            yield row.finding(1, "white-space", f"white space in {name}: {value!r}")


def _check_ids(block: SentenceBlock) -> Iterator[Finding]:
    """Check that words count up from 1, ranges precede their first word, and empty nodes follow."""
    n_words, n_empty, range_end = 0, 0, 0
    range_line = block.line
    for row in block.rows:
        if row.is_word:
            n_words, n_empty = n_words + 1, 0
            if int(row.id) != n_words:
                yield row.finding(1, "id", f"expected id {n_words}, found {row.id}")
                n_words = int(row.id)
        elif row.range is not None:
            first, last = row.range
            if last < first:
                yield row.finding(1, "id", f"the range {row.id} ends before it begins")
            elif first <= range_end:
                yield row.finding(1, "id", f"the range {row.id} overlaps the one before it")
            elif first != n_words + 1:
                message = f"the range {row.id} is out of place; expected at word {n_words + 1}"
                yield row.finding(1, "id", message)
            range_end, range_line = max(range_end, last), row.line
        elif row.empty_node is not None:
            n_empty += 1
            if row.empty_node != (n_words, n_empty):
                expected = f"{n_words}.{n_empty}"
                yield row.finding(1, "id", f"empty node {row.id}; expected {expected}")
        else:
            message = f"ID is {row.id!r}; expected a number, a range 3-4 or an empty node 8.1"
            yield row.finding(1, "id", message)
    if range_end > n_words:
        message = f"the range ends at {range_end}, but the sentence has {n_words} words"
        yield Finding(range_line, 1, "id", message)
    if not n_words:
        yield Finding(block.line, 1, "no-words", "a sentence without words")
