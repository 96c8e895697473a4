"""Typed reading of the JSON in a model file, which may come from an untrusted source."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from dodona.core.base.values import LARGEST
from dodona.treebank.sentence import Sentence

T = TypeVar("T")


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
    if not has_type(value, kind):
        shown = kind.__name__ if get_origin(kind) is None else kind
        raise ValueError(f"{name!r} is not of the type {shown}")
    return value  # type: ignore[no-any-return]


def has_type(value: object, kind: Any) -> bool:
    """Return whether a JSON value is of a type; an infinite number or NaN is no float.

    >>> has_type(3, float), has_type(True, float), has_type(float("nan"), float)
    (True, False, False)
    """
    return _test_of(kind)(value)


def read_settings(about: Any, kind: type[T]) -> T:
    """Return the field `settings` as a settings record, which checks its values.

    >>> from dodona.settings import SegmenterSettings
    >>> read_settings({"settings": {"epochs": 3}}, SegmenterSettings).epochs
    3
    """
    return kind(**read_field(about, "settings", dict))


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
