"""Typed reading of the JSON in a model file, which may come from an untrusted source."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from dodona.records import flat_fields
from dodona.treebank.sentence import Sentence

T = TypeVar("T")
PLAIN = {kind.__name__: kind for kind in (bool, int, float, str)}  # the types of settings, by name
LARGEST = 2**63 - 1  # larger integers are refused


def read_field(about: Any, name: str, kind: type[T]) -> T:
    """Return the field `name` of a JSON object, checked to be a scalar, `dict` or list of `kind`.

    >>> read_field({"labels": ["root", "obj"]}, "labels", list[str])
    ['root', 'obj']
    >>> read_field({"labels": ["root", 7]}, "labels", list[str])
    Traceback (most recent call last):
    ValueError: 'labels' is not of the type list[str]
    """
    if not isinstance(about, Mapping):
        raise ValueError(f"{name!r} is looked up in what is not a JSON object")
    value = about[name]
    if not _test_of(kind)(value):  # type: ignore[arg-type]
        shown = kind.__name__ if get_origin(kind) is None else kind
        raise ValueError(f"{name!r} is not of the type {shown}")
    return value  # type: ignore[no-any-return]


def read_settings(about: Any, kind: type[T]) -> T:
    """Return the field `settings` as a settings record, each value checked against its type.

    >>> from dodona.settings import SegmenterSettings
    >>> read_settings({"settings": {"epochs": 3}}, SegmenterSettings).epochs
    3
    """
    given = read_field(about, "settings", dict)
    for setting in flat_fields(kind):
        if setting.name in given:
            read_field(given, setting.name, PLAIN[str(setting.type)])
    return kind(**given)


def check_column_values(column: str, values: list[str]) -> None:
    """Refuse values that cannot be written in a CoNLL-U column and read back.

    >>> check_column_values("deprels", ["root", "a\\tb"])
    Traceback (most recent call last):
    ValueError: deprel 2 is 'a\\tb'; a value is not empty and holds no tab and no line end
    """
    if not values:
        raise ValueError(f"the list of {column} is empty")
    columns: dict[str, Any] = {column: values}
    Sentence.from_columns(["_"] * len(values), **columns)


@cache
def _test_of(kind: Any) -> Callable[[Any], bool]:
    """Return a predicate that tests whether a JSON value has the type `kind`."""
    if kind is Any:
        return lambda value: True
    if get_origin(kind) is dict:  # the keys of a JSON object are strings
        return lambda value: isinstance(value, dict)
    if get_origin(kind) is list:
        (of,) = get_args(kind)
        if of is str or of is bool:  # faster for lists of thousands
            return lambda value: isinstance(value, list) and {*map(type, value)} <= {of}
        inner = _test_of(of)
        return lambda value: isinstance(value, list) and all(map(inner, value))
    if kind is float:  # neither infinite nor NaN
        most = sys.float_info.max
        return lambda value: type(value) in (int, float) and abs(value) <= most
    if kind is int:
        return lambda value: type(value) is int and abs(value) <= LARGEST
    return lambda value: type(value) is kind
