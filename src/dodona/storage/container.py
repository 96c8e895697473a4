"""Arrays and text in one file: the safetensors layout.

Eight bytes with the length of the header, a JSON header that names every array with its type, shape
and place, then the arrays. Nothing in it can execute. Any safetensors reader opens the file. The
header is padded so that the first array starts on a cache line. The checksum in it covers header
and arrays.

The arrays are copied into memory of our own, and all checks look at the copy: whatever becomes of
the file then is nothing to us. They can be mapped instead, so that processes share the memory. Then
nobody may change the file while it is in use: where it is cut short the system ends the process,
and where it is written over, numbers that were checked are others all of a sudden.
"""

import hashlib
import io
import json
import mmap
import os
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from dodona.errors import DodonaError
from dodona.storage.replacing import naming, replacing

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
MAX_VERSION_DIGITS = 9
MEMORY = "<memory>"  # what errors name where there is no file
TRAIN_AGAIN = "train it again"  # what to do about a file that is too old


class ContainerError(DodonaError, ValueError):
    """A file that is not what it should be; says which and why."""


class Array(NamedTuple):
    """Bytes and the type of the numbers in them."""

    type: str
    data: bytes | memoryview


def write(
    path: Path, kind: str, version: int, about: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a file of this kind and version: beside it first, then in its place."""
    parts = _layout(kind, version, about, arrays)
    with replacing(path) as file:
        for part in parts:
            file.write(part)


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
    path: Path,
    kind: str,
    version: int,
    oldest: int = 1,
    *,
    advice: str = TRAIN_AGAIN,
    mapped: bool = False,
) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """What `write` wrote: the text about it, and the arrays, copied or as views of the file."""
    with naming(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        found = Header.read(file, size, path, kind)
        found.check(version, oldest, advice)
        data = _map(file, size, found.end) if mapped else _copy(file, size - found.end)
    return found.unpack(data)


def from_bytes(
    data: bytes, kind: str, version: int, oldest: int = 1
) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """What `to_bytes` made, as `read` gives it."""
    file = io.BytesIO(data)
    found = Header.read(file, len(data), Path(MEMORY), kind)
    found.check(version, oldest, TRAIN_AGAIN)
    return found.unpack(_copy(file, len(data) - found.end))


def kind(path: Path) -> str:
    """What a file holds: "model", "tagger", …"""
    return str(_header(path, "model").metadata["kind"])


def about(path: Path) -> dict[str, Any]:
    """The text about the content, from the beginning of the file: the arrays are not looked at."""
    found = _header(path, "model").metadata["about"]
    try:
        return dict(json.loads(found))
    except (ValueError, TypeError, RecursionError):
        raise ContainerError(f"{path}: damaged at its beginning; get a fresh copy") from None


def as_array(numbers: memoryview) -> Array:
    """What `read` gave, as `write` takes it."""
    (type_,) = (name for name, format in FORMATS.items() if format == numbers.format)
    return Array(type_, numbers.cast("B"))


def version(path: Path, kind: str) -> int:
    """The version of the format in which a file of this kind is written."""
    return _header(path, kind).version or 0


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


def check_version(
    where: str | Path,
    version: int,
    kind: str,
    newest: int,
    oldest: int,
    advice: str = TRAIN_AGAIN,
) -> None:
    """Refuse what another Dodona has written in a way that this one does not read."""
    if version > newest:
        raise ContainerError(
            f"{where}: {kind} of version {version}, but this Dodona reads up to {newest}: "
            "install a newer one"
        )
    if version < oldest:
        raise ContainerError(
            f"{where}: {kind} of version {version}, but this Dodona computes features in "
            f"another way and reads from version {oldest} on: {advice}"
        )


class Header(NamedTuple):
    """What a file says of itself. Nothing of that is true before it is compared with the file."""

    path: Path
    kind: str  # that was asked for
    entries: dict[str, Any]
    end: int  # where the arrays begin
    n_bytes: int  # of the arrays, as large as the file is

    @classmethod
    def read(cls, file: IO[bytes], size: int, path: Path, kind: str) -> "Header":
        """The header of a file of this size, all of it of the types that it should have."""
        if size == 0:
            raise ContainerError(
                f"{path}: the file is empty, not a Dodona {kind}; get a fresh copy"
            )
        try:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(MAX_HEADER, size - 8):
                raise ValueError
            entries = json.loads(file.read(length))
            if not _is_header(entries):
                raise ValueError
        except (ValueError, RecursionError, struct.error):
            raise ContainerError(
                f"{path}: not a Dodona {kind}, or damaged at its beginning; get a fresh copy"
            ) from None
        return cls(path, kind, entries, 8 + length, size - 8 - length)

    @property
    def metadata(self) -> dict[str, str]:
        """Kind, version, checksum, and the text about the content."""
        found: dict[str, str] = self.entries["__metadata__"]
        return found

    @property
    def version(self) -> int | None:
        """None where damage has left no number: that is for the checksum to find."""
        text = self.metadata.get("version", "")
        is_number = text.isascii() and text.isdigit() and len(text) <= MAX_VERSION_DIGITS
        return int(text) if is_number else None

    @property
    def arrays(self) -> dict[str, dict[str, Any]]:
        """Type, shape and place of each array, in the order of their places."""
        found = ((name, entry) for name, entry in self.entries.items() if name != "__metadata__")
        return dict(sorted(found, key=lambda item: item[1]["data_offsets"]))

    def check(self, newest: int, oldest: int, advice: str) -> None:
        """Refuse another kind, another version, and a file of another size."""
        found = self.metadata["kind"]
        if found != self.kind:
            raise ContainerError(
                f"{self.path}: this is a Dodona {found}, not a {self.kind}; open it as a {found}"
            )
        if self.version is not None:
            check_version(self.path, self.version, self.kind, newest, oldest, advice)
        ends = [entry["data_offsets"][1] for entry in self.arrays.values()]
        if max(ends, default=0) != self.n_bytes:
            raise self._problem("the file is cut short or has grown")

    def unpack(self, data: memoryview) -> tuple[dict[str, Any], dict[str, memoryview]]:
        """The text about the content, and the arrays in these bytes, if they are undamaged."""
        if len(data) != self.n_bytes:
            raise self._problem("the file is cut short or has grown")
        if self.metadata.pop("sha256", None) != _checksum(self.entries, [data]):
            raise self._problem("the file is damaged (wrong checksum)")
        try:
            if self.version is None or not _fill_without_gaps(self.arrays):
                raise ValueError
            about = json.loads(self.metadata["about"])
        except (ValueError, RecursionError):
            raise self._problem(f"the file is whole, but not as a Dodona {self.kind} is") from None
        return about, {
            name: data[slice(*entry["data_offsets"])].cast(FORMATS[entry["dtype"]])
            for name, entry in self.arrays.items()
        }

    def _problem(self, what: str) -> ContainerError:
        return ContainerError(f"{self.path}: {what}; get a fresh copy")


def _header(path: Path, kind: str) -> Header:
    with naming(path), path.open("rb") as file:
        return Header.read(file, os.fstat(file.fileno()).st_size, path, kind)


def _is_header(entries: object) -> bool:
    """Whether JSON says what a header does; only then does the rest look at it."""
    match entries:
        case {"__metadata__": {"kind": str(kind), "about": str()} as metadata, **arrays}:
            return (
                kind.isascii()
                and kind.isalpha()
                and all(isinstance(value, str) for value in metadata.values())
                and all(map(_is_entry, arrays.values()))
            )
    return False


def _is_entry(entry: object) -> bool:
    match entry:
        case {
            "dtype": str(dtype),
            "shape": [int(n)],
            "data_offsets": [int(start), int(end)],
            **others,
        }:
            return dtype in FORMATS and n >= 0 and 0 <= start <= end and not others
    return False


def _fill_without_gaps(arrays: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether each array begins where the one before ends, as aligned as its numbers must be."""
    before = 0
    for entry in arrays.values():
        size, (start, end) = ITEM_SIZE[entry["dtype"]], entry["data_offsets"]
        if start != before or start % size or entry["shape"] != [(end - start) / size]:
            return False
        before = end
    return True


def _copy(file: IO[bytes], n_bytes: int) -> memoryview:
    """So many bytes of the file, less where it has less, as aligned as pages of memory are."""
    private = {}
    if hasattr(mmap, "MAP_PRIVATE"):
        private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
    try:
        room = mmap.mmap(-1, max(n_bytes, 1), **private)
    except OSError as error:
        raise MemoryError(f"no room for {n_bytes:,} bytes") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):  # where the system has them, filled in half the time
        with suppress(OSError):
            room.madvise(mmap.MADV_HUGEPAGE)
    memory = memoryview(room)
    n_read = file.readinto(memory[:n_bytes])  # type: ignore[attr-defined]
    return memory[:n_read].toreadonly()


def _map(file: IO[bytes], size: int, start: int) -> memoryview:
    """The file from there on, as it is and as it will be; nothing where it is shorter by now."""
    if start % ALIGNMENT:  # somebody else has written it
        return _copy(file, size - start)
    try:
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))[start:]
    except ValueError:
        return memoryview(b"")


def _as_json(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, ensure_ascii=False, sort_keys=True).encode(errors="surrogatepass")


def _checksum(header: Mapping[str, Any], data: list[bytes | memoryview]) -> str:
    """Of the header, the checksum in it left out, and of the arrays."""
    digest = hashlib.sha256(_as_json(header))
    for part in data:
        digest.update(part)
    return digest.hexdigest()
