"""Changes of JSON: a value somewhere in it becomes another, goes, moves or is wrapped up deep."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from fuzz.target import Mutator

Path = tuple[str | int, ...]

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 64, 127, 128, 255, 256, 32767, 65535, 65536),
    *(2**31 - 1, 2**31, 2**32, 2**63, 2**64, 10**30, -(2**31) - 1, -(2**63), 0.5, -0.0),
    *(1e308, 1e-320, float("nan"), float("inf"), float("-inf")),
    *("", " ", "_", "0", "-1", "x", "\n", "\t", "\x00", "\u2028", "\ud800", "root", "a" * 1000),
    *([], [[]], {}, {"": None}, [0], [0, 0], [None] * 9, ["a", "b"]),
]
VALUE = re.compile(rb"(?<=: )")  # where one begins, in what Python writes
DEPTHS = (2, 40, 300, 900, 980, 1100, 3000)  # around what Python descends


def paths(value: Any, here: Path = ()) -> Iterator[Path]:
    """Every place in a value, the whole of it first."""
    yield here
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from paths(inner, (*here, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from paths(inner, (*here, i))


def get(value: Any, path: Path) -> Any:
    """What stands there; LookupError or TypeError if there is no such place."""
    for step in path:
        value = value[step]
    return value


def put(value: Any, path: Path, new: Any) -> Any:
    """The value with something else in that place."""
    if not path:
        return new
    get(value, path[:-1])[path[-1]] = new
    return value


def other_value(old: Any, pool: Sequence[Any], random: Random) -> Any:
    """Something else for this place: near to what is there, or far from it."""
    chance = random.random()
    if chance < 0.3 and isinstance(old, int) and not isinstance(old, bool):
        return old + random.choice((-1, 1, 2, -old, old))
    if chance < 0.3 and isinstance(old, list) and old:
        some = [inner for inner in old if random.random() < 0.5]
        return random.choice((old[1:], old[:-1], some, some, old * 2, old[::-1], [old], old[0]))
    if chance < 0.3 and isinstance(old, str):
        return random.choice((old[1:], old + old, old.upper(), [old], old + "\n", old + "0"))
    return random.choice(pool) if chance < 0.6 and pool else random.choice(VALUES)


def json_values(*known: Any, part: Callable[[bytes], tuple[bytes, bytes]]) -> Mutator:
    """A mutator of what is JSON in an input; `part` parts it from what stands before."""

    def change_value(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        before, text = part(data)
        try:
            value = json.loads(text)
            all_paths = list(paths(value))
        except (ValueError, RecursionError):
            return data
        path = random.choice(all_paths)
        old = get(value, path)
        if random.random() < 0.1 and path and isinstance(get(value, path[:-1]), dict):
            del get(value, path[:-1])[path[-1]]
        elif random.random() < 0.1:
            value = put(value, path, get(value, random.choice(all_paths)))
        else:
            value = put(value, path, other_value(old, known, random))
        try:
            return before + json.dumps(value).encode()
        except (ValueError, RecursionError):  # put into itself
            return data

    return change_value


def deep(part: Callable[[bytes], tuple[bytes, bytes]]) -> Mutator:
    """A mutator that puts brackets within brackets, around all or around one value."""

    def dig(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        before, text = part(data)
        at = random.choice([0, *(found.start() for found in VALUE.finditer(text))])
        opening, closing = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"text":', b"}]")))
        depth = random.choice(DEPTHS)
        closings = closing * (depth if random.random() < 0.8 else 0)
        end = len(text) if at == 0 else max(at, text.find(b",", at))
        return before + text[:at] + opening * depth + text[at:end] + closings + text[end:]

    return dig
