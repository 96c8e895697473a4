"""Arrays and text in one file that can be mapped into memory: the safetensors layout.

Eight bytes with the length of the header, a JSON header that names every array with its type, shape
and place, then the arrays. Nothing in it can execute. Any safetensors reader opens the file; here
it is read by mapping it, so that processes share the memory and nothing is copied. The header is
padded so that the first array starts on a cache line. The checksum in it covers header and arrays.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ALIGNMENT = 64
ITEM_SIZE = {"U8": 1, "I8": 1, "U16": 2, "U32": 4, "F32": 4, "U64": 8, "F64": 8}
FORMATS: dict[str, Any] = {  # as memoryview.cast knows them
    "U8": "B",
    "I8": "b",
    "U16": "H",
    "U32": "I",
    "F32": "f",
    "U64": "Q",
    "F64": "d",
}
MAX_HEADER = 100_000_000
MEMORY = "<memory>"  # what errors name where there is no file


class ContainerError(ValueError):
    """A file that is not what it should be; says which and why."""


@dataclass(frozen=True)
class Array:
    """Bytes and the type of the numbers in them."""

    type: str
    data: bytes | memoryview


def write(
    path: Path, kind: str, version: int, about: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a file of this kind and version: beside it first, then in its place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            for part in _layout(kind, version, about, arrays):
                file.write(part)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def to_bytes(
    kind: str, version: int, about: Mapping[str, Any], arrays: Mapping[str, Array]
) -> bytes:
    """What `write` would write."""
    return b"".join(_layout(kind, version, about, arrays))


def _layout(
    kind: str, version: int, about: Mapping[str, Any], arrays: Mapping[str, Array]
) -> list[bytes | memoryview]:
    """The header and the arrays, one after the other."""
    largest_first = sorted(arrays.items(), key=lambda item: -ITEM_SIZE[item[1].type])
    header: dict[str, Any] = {}
    place = 0
    for name, array in largest_first:
        n_bytes = len(array.data)
        header[name] = {
            "dtype": array.type,
            "shape": [n_bytes // ITEM_SIZE[array.type]],
            "data_offsets": [place, place + n_bytes],
        }
        place += n_bytes
    header["__metadata__"] = {
        "kind": kind,
        "version": str(version),
        "about": json.dumps(about, ensure_ascii=False, sort_keys=True),
    }
    checksum = _checksum(header, [array.data for _, array in largest_first])
    header["__metadata__"]["sha256"] = checksum
    text = _as_json(header)
    text += b" " * (-(len(text) + 8) % ALIGNMENT)
    return [struct.pack("<Q", len(text)) + text, *(array.data for _, array in largest_first)]


def read(
    path: Path, kind: str, version: int, oldest: int = 1
) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """What `write` wrote: the text about it, and the arrays as views of the mapped file."""
    return _read(path, _map(path, kind), kind, version, oldest)


def from_bytes(
    data: bytes, kind: str, version: int, oldest: int = 1
) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """What `to_bytes` made, as `read` gives it: in mapped memory, so that arrays are aligned."""
    mapped = mmap.mmap(-1, max(1, len(data)))
    mapped.write(data)
    return _read(Path(MEMORY), memoryview(mapped).toreadonly(), kind, version, oldest)


def check_version(where: str | Path, version: int, kind: str, newest: int, oldest: int) -> None:
    """Refuse what another Dodona has written in a way that this one does not read."""
    if version > newest:
        raise ContainerError(
            f"{where}: {kind} of version {version}, but this Dodona reads up to {newest}: "
            "install a newer one"
        )
    if version < oldest:
        raise ContainerError(
            f"{where}: {kind} of version {version}, but this Dodona computes features in "
            f"another way and reads from version {oldest} on: train it again"
        )


def _read(
    path: Path, mapped: memoryview, kind: str, version: int, oldest: int
) -> tuple[dict[str, Any], dict[str, memoryview]]:
    header, start = _header(path, kind, mapped)
    meta = header["__metadata__"]
    if (found := meta.get("kind")) != kind:
        raise ContainerError(
            f"{path}: this is a Dodona {found}, not a {kind}; open it as a {found}"
        )
    if number := _number(meta.get("version")):
        check_version(path, number, kind, version, oldest)
    data = mapped[start:]
    places = {name: _place(entry) for name, entry in header.items() if name != "__metadata__"}
    if max((end for _, end in places.values()), default=0) != len(data):
        raise ContainerError(f"{path}: the file is cut short or has grown; get a fresh copy")
    if meta.pop("sha256", None) != _checksum(header, [data]):
        raise ContainerError(f"{path}: the file is damaged (wrong checksum); get a fresh copy")
    check_version(path, number, kind, version, oldest)  # also where it is no number
    try:
        return json.loads(meta["about"]), {
            name: data[start:end].cast(FORMATS[header[name]["dtype"]])
            for name, (start, end) in places.items()
        }
    except (KeyError, RecursionError, TypeError, ValueError):
        raise ContainerError(
            f"{path}: the file is whole, but not as a Dodona {kind} is; get a fresh copy"
        ) from None


def is_container(path: Path) -> bool:
    """Whether a file begins as `write` begins it; damage further on is for `read` to tell.

    >>> is_container(Path(__file__))
    False
    """
    try:
        with path.open("rb") as file:
            start = file.read(9)
    except OSError:
        return False
    return (
        len(start) == 9
        and start.endswith(b"{")
        and int.from_bytes(start[:8], "little") <= MAX_HEADER
    )


def kind(path: Path) -> str:
    """What a file holds: "model", "tagger", …"""
    header, _ = _header(path, "model", _map(path, "model"))
    return str(header["__metadata__"].get("kind"))


def version(path: Path, kind: str) -> int:
    """The version of the format in which a file of this kind is written."""
    header, _ = _header(path, kind, _map(path, kind))
    return int(header["__metadata__"]["version"])


def _map(path: Path, kind: str) -> memoryview:
    try:
        with path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError:  # an empty file cannot be mapped
        raise ContainerError(
            f"{path}: the file is empty, not a Dodona {kind}; get a fresh copy"
        ) from None


def _header(path: Path, kind: str, mapped: memoryview) -> tuple[dict[str, Any], int]:
    problem = ContainerError(
        f"{path}: not a Dodona {kind}, or damaged at its beginning; get a fresh copy"
    )
    if len(mapped) < 8:
        raise problem
    (length,) = struct.unpack("<Q", mapped[:8])
    if length > min(MAX_HEADER, len(mapped) - 8):
        raise problem
    try:
        header = json.loads(bytes(mapped[8 : 8 + length]))
        header["__metadata__"]["about"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise problem from None
    return header, 8 + length


def _as_json(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, ensure_ascii=False, sort_keys=True).encode(errors="surrogatepass")


def _checksum(header: Mapping[str, Any], data: list[bytes | memoryview]) -> str:
    """Of the header, the checksum in it left out, and of the arrays."""
    digest = hashlib.sha256(_as_json(header))
    for part in data:
        digest.update(part)
    return digest.hexdigest()


def _number(text: object) -> int:
    """A version that damage has left no number is for the checksum to find."""
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() else 0


def _place(entry: object) -> tuple[int, int]:
    """Where an array begins and ends; nowhere, if damage has left no such numbers."""
    match entry:
        case {"data_offsets": [int(start), int(end)]}:
            return start, end
    return 0, 0
