"""A model file as a recipe: a sample, and what is changed in it before it is sealed again.

    arc-eager
    ["about", ["settings", "beam"], 5]
    ["bytes", "weights.rows", 12, "ff00"]

A recipe is an input of a few lines that any Dodona can read, though its models are other files each
time, and most of what it changes gets past the checksum. Each line is one change:

    about  PATH VALUE       in what JSON says of the model; no value: it goes
    bytes  ARRAY AT HEX     some bytes of an array
    size   ARRAY FACTOR     an array of another length: as much of it, over and over
    type   ARRAY TYPE       the same bytes as other numbers
    drop   ARRAY            no such array
    rename ARRAY NAME       under another name
    blank                   weights that know nothing, so that any number of classes fits them
    header PATH VALUE       in the header that names the arrays; then it is sealed again
    raw    AT HEX           bytes of the file, after it was sealed
    cut    N                no more than this many bytes of it
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dodona.storage import container
from dodona.storage.container import ITEM_SIZE, Array
from fuzz.json_mutation import get, put

MISSING = (AttributeError, LookupError, TypeError, ValueError)  # no such place, or no such value
BLANK = 64  # bytes of a table with one bucket, which is empty
MOST_BYTES = 1 << 22  # of an array: what grows is to stay small


@dataclass
class Whole:
    """What a file is made of."""

    kind: str
    version: int
    about: Any
    arrays: dict[str, Array]
    header: list[tuple[list[Any], list[Any]]] = field(default_factory=list)
    raw: list[tuple[int, bytes]] = field(default_factory=list)
    end: int | None = None

    def copy(self) -> Whole:
        """One that may be changed."""
        return Whole(self.kind, self.version, json.loads(self._text), dict(self.arrays))

    @cached_property
    def _text(self) -> str:
        return json.dumps(self.about)

    def to_bytes(self) -> bytes:
        """The file."""
        data = container.to_bytes(self.kind, self.version, self.about, self.arrays)
        if self.header:
            data = _reseal(data, self.header)
        if self.raw:
            changed = bytearray(data)
            for at, new in self.raw:
                changed[at : at + len(new)] = new[: max(0, len(data) - at)]
            data = bytes(changed)
        return data[: self.end]


def name_sample(recipe: bytes, known: Sequence[str]) -> str:
    """The sample that a recipe begins with; the first, if it is none."""
    name = recipe.partition(b"\n")[0].decode(errors="replace")
    return name if name in known else known[0]


def cook(whole: Whole, recipe: bytes) -> bytes:
    """The file after all changes that can be made; others are passed over."""
    for line in recipe.split(b"\n")[1:]:
        try:
            kind, *rest = json.loads(line)
            _CHANGES[kind](whole, *rest)
        except (*MISSING, RecursionError):
            continue
    try:
        return whole.to_bytes()
    except (*MISSING, RecursionError):  # JSON cannot say it
        return b""


def _about(whole: Whole, path: list[Any], *value: Any) -> None:
    if value:
        whole.about = put(whole.about, tuple(path), value[0])
    else:
        del get(whole.about, tuple(path[:-1]))[path[-1]]


def _bytes(whole: Whole, name: str, at: int, new: str) -> None:
    old = whole.arrays[name]
    data = bytearray(old.data)
    new_bytes = bytes.fromhex(new)
    if not 0 <= at <= len(data) - len(new_bytes):
        raise IndexError
    data[at : at + len(new_bytes)] = new_bytes
    whole.arrays[name] = Array(old.type, bytes(data))


def _size(whole: Whole, name: str, factor: float) -> None:
    old = whole.arrays[name]
    size = ITEM_SIZE[old.type]
    n_items = min(int(len(old.data) // size * factor), MOST_BYTES // size)
    n_bytes = max(0, n_items * size)
    data = bytes(old.data) * (n_bytes // max(1, len(old.data)) + 1)
    whole.arrays[name] = Array(old.type, data[:n_bytes])


def _type(whole: Whole, name: str, type_: str) -> None:
    data = bytes(whole.arrays[name].data)
    whole.arrays[name] = Array(type_, data[: len(data) // ITEM_SIZE[type_] * ITEM_SIZE[type_]])


def _drop(whole: Whole, name: str) -> None:
    del whole.arrays[name]


def _rename(whole: Whole, name: str, new: str) -> None:
    whole.arrays[str(new)] = whole.arrays.pop(name)


def _blank(whole: Whole) -> None:
    for name, array in whole.arrays.items():
        if name.endswith((".buckets", ".rows")):
            whole.arrays[name] = Array(array.type, bytes(BLANK))


def _header(whole: Whole, path: list[Any], *value: Any) -> None:
    whole.header.append((path, list(value)))


def _raw(whole: Whole, at: int, new: str) -> None:
    whole.raw.append((max(0, at), bytes.fromhex(new)))


def _cut(whole: Whole, n_bytes: int) -> None:
    whole.end = int(n_bytes)


_CHANGES: Mapping[str, Callable[..., None]] = {
    "about": _about,
    "bytes": _bytes,
    "size": _size,
    "type": _type,
    "drop": _drop,
    "rename": _rename,
    "blank": _blank,
    "header": _header,
    "raw": _raw,
    "cut": _cut,
}
KINDS = tuple(_CHANGES)


def _reseal(data: bytes, changes: list[tuple[list[Any], list[Any]]]) -> bytes:
    """The same file with another header, and a checksum that says so."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    for path, value in changes:
        try:
            if value:
                header = put(header, tuple(path), value[0])
            else:
                del get(header, tuple(path[:-1]))[path[-1]]
        except MISSING:
            continue
    arrays = data[8 + length :]
    meta = header.get("__metadata__") if isinstance(header, dict) else None
    if isinstance(meta, dict):
        meta.pop("sha256", None)
        meta["sha256"] = hashlib.sha256(_as_json(header) + arrays).hexdigest()
    text = _as_json(header)
    text += b" " * (-(len(text) + 8) % container.ALIGNMENT)
    return struct.pack("<Q", len(text)) + text + arrays


def _as_json(header: Any) -> bytes:
    return json.dumps(header, ensure_ascii=False, sort_keys=True).encode(errors="surrogatepass")
