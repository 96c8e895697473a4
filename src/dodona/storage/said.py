"""What the JSON of a file says, of the type that it should have: it may come from anybody."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from dodona.records import fields
from dodona.treebank.sentence import Sentence

T = TypeVar("T")
PLAIN = {kind.__name__: kind for kind in (bool, int, float, str)}  # as settings write their types
LARGEST = 2**63 - 1  # whole numbers beyond are no numbers of ours


def said(about: Any, name: str, kind: type[T]) -> T:
    """What is said under a name: text, truth, numbers, `dict`, or a list of those.

    >>> said({"labels": ["root", "obj"]}, "labels", list[str])
    ['root', 'obj']
    >>> said({"labels": ["root", 7]}, "labels", list[str])
    Traceback (most recent call last):
    ValueError: 'labels' is not of the type list[str]
    """
    if not isinstance(about, Mapping):
        raise ValueError(f"there is no {name!r} in what is no mapping of names")
    value = about[name]
    if not _test_of(kind)(value):  # type: ignore[arg-type]
        shown = kind.__name__ if get_origin(kind) is None else kind
        raise ValueError(f"{name!r} is not of the type {shown}")
    return value  # type: ignore[no-any-return]


def said_settings(about: Any, kind: type[T]) -> T:
    """The settings that are said, each of the type that its class asks for.

    >>> from dodona.settings import SegmenterSettings
    >>> said_settings({"settings": {"epochs": 3}}, SegmenterSettings).epochs
    3
    """
    given = said(about, "settings", dict)
    for setting in fields(kind):  # type: ignore[arg-type]
        if setting.name in given:
            said(given, setting.name, PLAIN[str(setting.type)])
    return kind(**given)


def check_values(column: str, values: list[str]) -> None:
    """Refuse values that no treebank could have in a column: what is written must be readable.

    >>> check_values("deprels", ["root", "a\\tb"])
    Traceback (most recent call last):
    ValueError: deprel 2 is 'a\\tb'; a value is not empty and holds no tab and no line end
    """
    if not values:
        raise ValueError(f"there is no {column} at all")
    columns: dict[str, Any] = {column: values}
    Sentence.from_columns(["_"] * len(values), **columns)


@cache
def _test_of(kind: Any) -> Callable[[Any], bool]:
    """What tells whether a value is of a type."""
    if kind is Any:
        return lambda value: True
    if get_origin(kind) is dict:  # whose names are texts: JSON has no others
        return lambda value: isinstance(value, dict)
    if get_origin(kind) is list:
        (of,) = get_args(kind)
        if of is str or of is bool:  # lists of thousands, at once
            return lambda value: isinstance(value, list) and {*map(type, value)} <= {of}
        inner = _test_of(of)
        return lambda value: isinstance(value, list) and all(map(inner, value))
    if kind is float:  # neither infinite nor NaN
        most = sys.float_info.max
        return lambda value: type(value) in (int, float) and abs(value) <= most
    if kind is int:
        return lambda value: type(value) is int and abs(value) <= LARGEST
    return lambda value: type(value) is kind
