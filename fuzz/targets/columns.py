"""Sentences from columns whose values only behave like strings and numbers, as NumPy's do.

In an input, {"as": "int8", "value": 3} stands for a value of another type, and `wrapped` names
columns that are passed as arrays or tuples.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import dodona
from fuzz import samples
from fuzz.json_mutation import deep, json_values
from fuzz.mutation import BLIND
from fuzz.parses import check_parses
from fuzz.target import Target, promise

COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")


class Text(str):
    """A subclass of str that prints something else than it is."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another text"


TYPES: dict[str, Any] = {
    name: getattr(np, name) for name in ("int8", "int64", "uint16", "float64", "bool_", "str_")
} | {"Text": Text, "bytes": str.encode}
WRAPPERS: dict[str, Any] = {"array": np.array, "tuple": tuple, "object": lambda v: np.array(v, "O")}
ODD = [{"as": name, "value": value} for name in TYPES for value in (0, 1, 2, "Oaks", "_")]
ODD_COLUMNS = ["NOUN", "nsubj", "_", "Case=Nom|Case=Acc", "0:root|1:x", "SpaceAfter=No", "1-2"]


def run(data: bytes) -> object:
    """Make the sentence of the values, and of plain ones; write, read and parse it."""
    try:
        given = json.loads(data)
    except RecursionError:
        raise ValueError("JSON that Python does not descend") from None
    if not isinstance(given, dict):
        raise ValueError("expected an object")
    columns, plain = _columns(given)
    sentence = dodona.Sentence.from_columns(**columns)
    again = dodona.Sentence.from_columns(**plain)
    promise(bytes(sentence) == bytes(again), "values of other types mean the same")
    promise(all(type(form) is str for form in sentence.forms), "forms are plain strings")
    promise(all(head is None or type(head) is int for head in sentence.heads), "and heads numbers")
    read = list(dodona.Doc.from_conllu(sentence.to_conllu(), trees="optional"))
    promise([bytes(one) for one in read] == [bytes(sentence)], "what is written reads the same")
    check_parses([sentence], list(samples.parser("pipeline").pipe([sentence])))
    return len(sentence), *sorted(columns)[:4], sentence.heads[:3] == [None] * 3


def _columns(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns as they are passed, and as plain strings and numbers."""
    wrapped = given.get("wrapped")
    columns: dict[str, Any] = {"forms": []}
    plain: dict[str, Any] = {"forms": []}
    for name in (*COLUMNS, "comments"):
        values = given.get(name)
        if not isinstance(values, list):
            continue
        columns[name] = [_value(value)[0] for value in values]
        plain[name] = [_value(value)[1] for value in values]
        wrapper = wrapped.get(name) if isinstance(wrapped, dict) else None
        if name != "comments" and wrapper in WRAPPERS and _is_even(columns[name]):
            columns[name] = WRAPPERS[wrapper](columns[name])
    return columns, plain


def _is_even(values: list[Any]) -> bool:
    """Tell whether NumPy leaves the values of a list as they are."""
    kinds = {type(value) for value in values}
    return len(kinds) == 1 and kinds <= {str, int} and not any("\0" in str(v) for v in values)


def _value(value: Any) -> tuple[Any, Any]:
    """Return a value of the input as its other type, and as a plain one."""
    match value:
        case {"as": str(name), "value": inner} if name in TYPES:
            try:
                found = TYPES[name](inner)
            except (TypeError, OverflowError, UnicodeError) as error:
                raise ValueError(f"no {name}: {error}") from None
            if isinstance(found, np.generic):
                return found, found.item()
            return found, str.__str__(found) if isinstance(found, str) else found
    return value, value


def _whole(data: bytes) -> tuple[bytes, bytes]:
    return b"", data


TARGET = Target(
    run=run,
    refuses=(ValueError, TypeError),
    mutators=[*BLIND, *[json_values(*ODD, *ODD_COLUMNS, part=_whole)] * 12, deep(_whole)],
    longest=600,
)
