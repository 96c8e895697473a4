"""The fields of a request in JSON, each checked: what is wrong with one is told by its name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from reprlib import repr as shorten
from typing import Any

from dodona.server.errors import bad
from dodona.server.limits import WIDEST_PICTURE

LONGEST_NUMBER = 100  # digits; Python itself has a limit, of which it speaks in its own words


def read_fields(body: bytes | bytearray, names: Sequence[str]) -> dict[str, Any]:
    """The fields of an object, which have these names; one that is null is not there.

    >>> read_fields(b'{"text": "Oaks whisper.", "model": null}', ["text", "model"])
    {'text': 'Oaks whisper.'}
    >>> read_fields(b'{"txt": "Oaks whisper."}', ["text", "model"])
    Traceback (most recent call last):
    dodona.server.errors.Refused: no field 'txt'; there are: text, model
    """
    found = _load(body)
    if not isinstance(found, dict):
        raise bad(f'expected a JSON object, as in {{"{names[0]}": "Oaks whisper."}}')
    for name in found:
        if name not in names:
            raise bad(f"no field {shorten(name)}; there are: {', '.join(names)}")
    return {name: value for name, value in found.items() if value is not None}


def count_values(body: bytes | bytearray) -> int:
    """Not less than the values in JSON; a text of so many commas and brackets counts as well.

    >>> count_values(b'{"tokens": [["Ask", "oaks"], ["Ask"]]}')
    6
    """
    return sum(map(body.count, (b",", b"[", b"{")))


def _load(body: bytes | bytearray) -> Any:
    """What JSON says, or in our own words why it does not."""
    try:
        return json.loads(body.decode(), parse_int=_read_int)
    except UnicodeDecodeError as error:
        raise bad(f"the request is not in UTF-8: {error.reason} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise bad(f"this is no JSON: line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise bad("this is no JSON that we take: it is nested too deeply") from error


def _read_int(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise bad(f"a number of more than {LONGEST_NUMBER} digits")
    return int(digits)


def check_text(name: str, value: object) -> str:
    """A text that can be written in UTF-8."""
    if not isinstance(value, str):
        raise bad(f"{name} is a text, not {shorten(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise bad(f"half a character (a lone surrogate) at position {error.start}") from error
    return value


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """One of several; an empty choice is the first."""
    if not value:
        return choices[0]
    if value not in choices:
        raise bad(f"{name} is one of {', '.join(choices)}, not {shorten(value)}")
    return str(value)


def check_flag(name: str, value: object) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise bad(f"{name} is true or false, not {shorten(value)}")
    return value


def check_count(name: str, value: object, highest: int) -> int:
    """A whole number from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise bad(f"{name} is a whole number from 1 to {highest}, not {shorten(value)}")
    return value


def check_pixels(name: str, value: Any) -> float:
    """The width of a picture."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= WIDEST_PICTURE:
        raise bad(f"{name} is a number of pixels up to {WIDEST_PICTURE}, not {shorten(value)}")
    return float(value)
