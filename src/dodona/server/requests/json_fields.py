"""Fields of JSON requests and their checks; error messages name the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from reprlib import repr as shorten
from typing import Any

from dodona.server.errors import bad
from dodona.server.limits import WIDEST_PICTURE

LONGEST_NUMBER = 100  # digits; above Python's own limit its error message would be shown


@dataclass(frozen=True)
class Field:
    """A field of a request: its meaning, its JSON Schema, and the function that checks it."""

    about: str
    schema: Mapping[str, Any]
    check: Callable[[str, Any], Any]

    @property
    def description(self) -> dict[str, Any]:
        """The field in OpenAPI."""
        return {**self.schema, "description": self.about}


def read_fields(body: bytes | bytearray, names: Sequence[str]) -> dict[str, Any]:
    """Read the fields of a JSON object; those that are null count as missing.

    >>> read_fields(b'{"text": "Oaks whisper.", "model": null}', ["text", "model"])
    {'text': 'Oaks whisper.'}
    >>> read_fields(b'{"txt": "Oaks whisper."}', ["text", "model"])
    Traceback (most recent call last):
    dodona.server.errors.Refused: unknown field 'txt'; known are: text, model
    """
    try:
        found = _DECODER.decode(body.decode())
    except UnicodeDecodeError as error:
        raise bad(f"the request is not in UTF-8: {error.reason} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise bad(f"invalid JSON at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise bad("invalid JSON: it is nested too deeply") from error
    if not isinstance(found, dict):
        raise bad(f'expected a JSON object, as in {{"{names[0]}": "Oaks whisper."}}')
    for name in found:
        if name not in names:
            raise bad(f"unknown field {shorten(name)}; known are: {', '.join(names)}")
    return {name: value for name, value in found.items() if value is not None}


def count_values(body: bytes | bytearray) -> int:
    """Return an upper bound of the number of JSON values, by counting commas and brackets.

    >>> count_values(b'{"tokens": [["Ask", "oaks"], ["Ask"]]}')
    6
    """
    return sum(map(body.count, (b",", b"[", b"{")))


def _read_int(digits: str) -> int:
    _check_length(digits)
    return int(digits)


def _read_float(digits: str) -> float:
    _check_length(digits)
    return float(digits)


def _check_length(digits: str) -> None:
    if len(digits) > LONGEST_NUMBER:
        raise bad(f"a number has more than {LONGEST_NUMBER} digits")


_DECODER = json.JSONDecoder(parse_int=_read_int, parse_float=_read_float)


def check_text(name: str, value: object) -> str:
    """Return a string that can be encoded in UTF-8."""
    if not isinstance(value, str):
        raise bad(f"{name} must be a string, not {shorten(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise bad(
            f"{name} has a lone surrogate (half a character) at position {error.start}"
        ) from error
    return value


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return one of the choices; an empty value selects the first."""
    if not value:
        return choices[0]
    if value not in choices:
        raise bad(f"{name} must be one of {', '.join(choices)}, not {shorten(value)}")
    return str(value)


def check_flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise bad(f"{name} must be true or false, not {shorten(value)}")
    return value


def check_count(name: str, value: object, highest: int) -> int:
    """Return an integer from 1 to `highest`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise bad(f"{name} must be an integer from 1 to {highest}, not {shorten(value)}")
    return value


def text_field(about: str) -> Field:
    """Return a field with a string.

    >>> text_field("Name of a model.").description
    {'type': 'string', 'description': 'Name of a model.'}
    """
    return Field(about, {"type": "string"}, check_text)


def choice_field(about: str, choices: Sequence[str]) -> Field:
    """Return a field with one of several strings; the first is the default."""
    check = partial(check_choice, choices=choices)
    return Field(about, {"enum": list(choices), "default": choices[0]}, check)


def flag_field(about: str) -> Field:
    return Field(about, {"type": "boolean", "default": False}, check_flag)


def count_field(about: str, highest: int) -> Field:
    """Return a field with an integer from 1 on."""
    schema = {"type": "integer", "minimum": 1, "maximum": highest}
    return Field(about, schema, partial(check_count, highest=highest))


def pixels_field(about: str) -> Field:
    schema = {"type": "number", "exclusiveMinimum": 0, "maximum": WIDEST_PICTURE}
    return Field(about, schema, check_pixels)


def check_pixels(name: str, value: Any) -> float:
    """Return the width of a picture."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= WIDEST_PICTURE:
        raise bad(f"{name} must be a number of pixels up to {WIDEST_PICTURE}, not {shorten(value)}")
    return float(value)
