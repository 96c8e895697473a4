"""Values that callers pass: whatever behaves like a string or a number becomes a plain one.

NumPy's scalars and subclasses of built-in types come out of every data frame. Plain values can be
written as JSON, compared by type, and passed to compiled code.
"""

from __future__ import annotations

import os
from math import isfinite
from operator import index
from typing import Any

LARGEST = 2**63 - 1  # no integer in a model file is larger
_SHOWN = 60  # characters of a value in a message


def show(value: object) -> str:
    """Return a short representation of a value for a message, however large it is.

    >>> show(2.0), show(10**5000)
    ('2.0', 'a number of 5,001 digits')
    """
    if isinstance(value, int) and abs(value) > LARGEST:
        return f"a number of {int(value.bit_length() * 0.30103) + 1:,} digits"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def to_int(value: Any, name: str) -> int:
    """Return a whole number as an int; a float or a truth value is none.

    >>> to_int(2.0, "epochs")
    Traceback (most recent call last):
    TypeError: epochs must be a whole number, not 2.0
    """
    try:
        if not isinstance(value, bool):
            return index(value)
    except TypeError:
        pass
    raise TypeError(f"{name} must be a whole number, not {show(value)}")


def to_float(value: Any, name: str) -> float:
    """Return a finite number as a float; a string or a truth value is none.

    >>> to_float(1, "dropout")
    1.0
    """
    try:
        if not isinstance(value, (bool, str, bytes)) and isfinite(found := float(value)):
            return found
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"{name} must be a finite number, not {show(value)}")


def to_bool(value: Any, name: str) -> bool:
    """Return a truth value as a bool; NumPy's count, numbers do not.

    >>> to_bool(1, "lemmas")
    Traceback (most recent call last):
    TypeError: lemmas must be True or False, not 1
    """
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {show(value)}")


def to_str(value: Any, name: str) -> str:
    """Return the characters of a string of any subclass, or of a path, as a plain string.

    >>> from pathlib import PurePosixPath
    >>> to_str(PurePosixPath("a/oak.txt"), "clusters")
    'a/oak.txt'
    """
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str):
        raise TypeError(f"{name} must be a string, not {show(value)}")
    return str.__str__(found)  # not str(): a subclass may print something else


# the types of settings, by the name of their annotation
PLAIN = {"int": to_int, "float": to_float, "bool": to_bool, "str": to_str}


def plural(n: int, thing: str) -> str:
    """Return a number with the name of what it counts.

    >>> plural(1, "error"), plural(1200, "error")
    ('1 error', '1,200 errors')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
