"""JSON lines with kept columns: every line is a row, and no value is changed in silence."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from random import Random
from typing import Any

from dodona.arrow.line_records import LineFile, read_json_lines
from fuzz.json_mutation import deep, json_values
from fuzz.kept_rows import KEPT, OPTIONS, Rows, parse_records
from fuzz.mutation import BLIND, change_lines, words
from fuzz.target import Mutator, Target, promise

PIECES = [
    *(
        '"x": 1',
        '"x": 2.75',
        '"y": NaN',
        "Infinity",
        "1e999",
        '"\\ud800"',
        '"text": "Lemi vunint."',
    ),
    *("9223372036854775808", "{}", "[]", "null", "true", '{"x": 1, "text": "Lemi."}\n', "\ufeff"),
]


def run(data: bytes) -> object:
    """Read the lines, parse them, and compare every kept value with the line that it is from."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    rows = parse_records(read_json_lines(LineFile(io.BytesIO(data), "input"), OPTIONS), data)
    promise(len(rows) == len(lines), "a row for each line")
    for line, row in zip(lines, rows, strict=True):
        check_row(line, row)
    return min(len(rows), 4), kinds(rows), sum(bool(row["error"]) for row in rows)


def check_row(line: bytes, row: dict[str, Any]) -> None:
    """Compare a row with its line, read by the library alone."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        promise(bool(row["error"]), "what is no object is an error")
        return
    for name, old in zip(KEPT, ("x", "y", "text"), strict=True):
        value, kept = given.get(old), row[name]
        if kept is not None:
            promise(is_kept(kept, value), f"{name} is kept: {kept!r}")
        elif value is not None:
            promise(bool(row["error"]), f"{name} is kept or an error")


def is_kept(kept: Any, value: Any) -> bool:
    """Tell whether a value is as it was, with null for missing fields, or is its JSON."""
    if isinstance(kept, dict) and isinstance(value, dict):
        return all(is_kept(kept.get(name), inner) for name, inner in value.items())
    if isinstance(kept, list) and isinstance(value, list):
        return len(kept) == len(value) and all(map(is_kept, kept, value))
    if isinstance(kept, str) and not isinstance(value, str):
        return kept == json.dumps(value)
    return bool(kept == value) and isinstance(kept, bool) == isinstance(value, bool)


def kinds(rows: Rows) -> tuple[str, ...]:
    return tuple(sorted({type(row["x"]).__name__ for row in rows}))


def in_one_line(change: Mutator) -> Mutator:
    """A mutator of one of the lines."""

    def change_line(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        lines = data.split(b"\n")
        at = random.randrange(len(lines))
        lines[at] = change(lines[at], random, others)
        return b"\n".join(lines)

    return change_line


def whole(data: bytes) -> tuple[bytes, bytes]:
    return b"", data


TARGET = Target(
    run=run,
    refuses=(),
    mutators=[
        *BLIND,
        *[change_lines] * 3,
        words(*PIECES),
        *[in_one_line(json_values("Lemi vunint.", {"a": 1}, part=whole))] * 4,
        in_one_line(deep(whole)),
    ],
    longest=400,
)
