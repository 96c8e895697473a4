"""Error messages for lines and sentences: what was found and what was expected."""

from __future__ import annotations

from dodona.treebank.sentence import NAMES

_MOST_WORDS_NAMED = 10
_MOST_CHARACTERS = 40


def utf8(line: bytes) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return (
            f"invalid UTF-8 at byte {error.start + 1} of the line, 0x{line[error.start]:02x} "
            f"({error.reason}); expected a file in UTF-8"
        )
    raise AssertionError(f"valid UTF-8: {line!r}")


def columns(line: bytes) -> str:
    if not line.strip():
        return "a line of spaces only; expected a blank line to be empty"
    n_columns = line.count(b"\t") + 1
    return f"expected 10 tab-separated columns, found {n_columns}"


def empty_field(line: bytes) -> str:
    k = line.split(b"\t").index(b"")
    return f"column {k + 1} ({NAMES[k]}) is empty; expected '_' where there is no value"


def bad_id(line: bytes, expected: int) -> str:
    return f"expected id {expected}, found {_field(line, 0)!r}"


def not_in_conllx(line: bytes, expected: int) -> str:
    found = _field(line, 0)
    return f"expected id {expected}, found {found!r}; CoNLL-X has no ranges and no empty nodes"


def bad_range(line: bytes, expected: int) -> str:
    return f"the range {_field(line, 0)} is out of place; expected it to begin at {expected}"


def reversed_range(line: bytes) -> str:
    return f"the range {_field(line, 0)} ends before it begins"


def range_overlap(line: bytes, range_end: int) -> str:
    return f"the range {_field(line, 0)} overlaps the one before it, which ends at {range_end}"


def range_beyond(range_end: int, n_words: int) -> str:
    return f"the range ends at {range_end}, but the sentence has {_words(n_words)}"


def empty_node(line: bytes, word: int, expected: int) -> str:
    found = _field(line, 0)
    return f"the empty node {found} is out of place; expected {word}.{expected} or id {word + 1}"


def bad_head(line: bytes, word: int) -> str:
    found = _field(line, 6)
    return f"word {word} has head {found!r}; expected a number from 0 to the number of words"


def head_beyond(word: int, head: bytes, n_words: int) -> str:
    return f"word {word} has head {_short(head)}, but the sentence has {_words(n_words)}"


def cycle(first: int, heads: list[int]) -> str:
    found = [first]
    while heads[found[-1] - 1] != first:
        found.append(heads[found[-1] - 1])
    if len(found) == 1:
        return f"word {first} is its own head"
    if len(found) > _MOST_WORDS_NAMED:
        named = ", ".join(map(str, found[:_MOST_WORDS_NAMED]))
        return f"the heads of {len(found)} words ({named}, …) form a cycle"
    return f"the heads of words {', '.join(map(str, found[:-1]))} and {found[-1]} form a cycle"


def no_sentence(is_conllx: bool) -> str:
    return f"no words in the whole file; expected sentences in CoNLL-{'X' if is_conllx else 'U'}"


def too_long(max_words: int, max_bytes: int) -> str:
    return (
        f"a sentence of more than {max_words:,} words or {max_bytes:,} bytes; "
        "expected a blank line after each sentence (or raise max_words)"
    )


def _field(line: bytes, k: int) -> str:
    return _short(line.split(b"\t")[k])


def _short(field: bytes) -> str:
    text = field.decode()
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _words(n: int) -> str:
    return "1 word" if n == 1 else f"{n} words"
