"""Arrays and text in one file: the safetensors layout.

Eight bytes with the length of the header, a JSON header that names every array with its type, shape
and offsets, then the arrays. Nothing in it can execute. Any safetensors reader opens the file. The
header is padded so that the first array starts on a cache line; its checksum covers header and
arrays.

The arrays are copied into memory before they are checked, so later changes of the file do no harm.
They can be mapped instead, so that processes share the memory. A mapped file must not change while
it is in use: truncating it kills the process, and overwriting it changes numbers that were checked.
"""

import hashlib
import io
import json
import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from dodona.errors import DodonaError
from dodona.storage.atomic import atomic_write, naming

ALIGNMENT = 64
ITEM_SIZE = {"U8": 1, "I8": 1, "U16": 2, "U32": 4, "F32": 4, "U64": 8, "F64": 8}
FORMATS: dict[str, Any] = dict(zip(ITEM_SIZE, "BbHIfQd", strict=True))  # of memoryview.cast
MAX_HEADER = 100_000_000
MAX_VERSION_DIGITS = 9
MEMORY = "<memory>"  # the name in errors where there is no file
TRAIN_AGAIN = "train it again"  # the advice for a file that is too old


class ContainerError(DodonaError, ValueError):
    """An unreadable, damaged or incompatible file; the message names it and the reason."""


class Array(NamedTuple):
    """The bytes of an array and the type of its numbers."""

    type: str
    data: bytes | memoryview


Arrays = Mapping[str, Array]
Content = tuple[dict[str, Any], dict[str, memoryview]]


def write(path: Path, kind: str, version: int, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file of this kind and version atomically."""
    parts = _layout(kind, version, about, arrays)
    with atomic_write(path) as file:
        file.writelines(parts)


def to_bytes(kind: str, version: int, about: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes that `write` would write."""
    return b"".join(_layout(kind, version, about, arrays))


def _layout(
    kind: str, version: int, about: Mapping[str, Any], arrays: Arrays
) -> list[bytes | memoryview]:
    """Return the header and the arrays in file order."""
    largest_first = sorted(arrays.items(), key=lambda item: -ITEM_SIZE[item[1].type])
    header, offset = dict[str, Any](), 0
    for name, array in largest_first:
        end = offset + len(array.data)
        shape = [len(array.data) // ITEM_SIZE[array.type]]
        header[name] = {"dtype": array.type, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    data = [array.data for _, array in largest_first]
    header["__metadata__"] = {
        "kind": kind,
        "version": str(version),
        "about": json.dumps(about, ensure_ascii=False, sort_keys=True),
    }
    header["__metadata__"]["sha256"] = _checksum(header, data)
    text = _as_json(header)
    text += b" " * (-(len(text) + 8) % ALIGNMENT)
    return [struct.pack("<Q", len(text)) + text, *data]


def read(
    path: Path,
    kind: str,
    version: int,
    oldest: int = 1,
    *,
    advice: str = TRAIN_AGAIN,
    mapped: bool = False,
) -> Content:
    """Return the JSON object and the arrays of a file, copied or as views of the mapped file."""
    with _open(path) as file:
        size = os.fstat(file.fileno()).st_size
        found = Header.read(file, size, path, kind)
        found.check(version, oldest, advice)
        data = _map(file, size, found.end) if mapped else _copy(file, size - found.end)
    return found.unpack(data)


def from_bytes(
    data: bytes, kind: str, version: int, oldest: int = 1, *, name: str = MEMORY
) -> Content:
    """Return the JSON object and the arrays in the bytes of `to_bytes`."""
    file = io.BytesIO(data)
    found = Header.read(file, len(data), Path(name), kind)
    found.check(version, oldest, TRAIN_AGAIN)
    return found.unpack(_copy(file, len(data) - found.end))


def kind(path: Path) -> str:
    """Return the kind of a file: "model", "tagger", …"""
    return str(_header(path, "model").metadata["kind"])


def about(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file, reading its header only."""
    return _header(path, "model").about


def as_array(numbers: memoryview) -> Array:
    """Convert an array of `read` into one for `write`."""
    (type_,) = (name for name, format in FORMATS.items() if format == numbers.format)
    return Array(type_, numbers.cast("B"))


def version(path: Path, kind: str) -> int:
    """Return the format version of a file of this kind."""
    return _header(path, kind).version or 0


def is_container(path: Path) -> bool:
    """Return whether a file starts like a container; `read` reports damage further on.

    >>> is_container(Path(__file__))
    False
    """
    if not path.is_file():  # reading from a pipe would take bytes from its reader, or block
        return False
    try:
        with path.open("rb") as file:
            start = file.read(9)
    except OSError:
        return False
    length = int.from_bytes(start[:8], "little")
    return len(start) == 9 and start.endswith(b"{") and length <= MAX_HEADER


def check_version(
    where: str | Path, version: int, kind: str, newest: int, oldest: int, advice: str = TRAIN_AGAIN
) -> None:
    """Refuse a format version that this Dodona does not read."""
    reads = ""
    if version > newest:
        reads = f"reads up to {newest}: install a newer one"
    elif version < oldest:
        reads = f"computes features differently and reads from version {oldest} on: {advice}"
    if reads:
        raise ContainerError(f"{where}: {kind} of version {version}, but this Dodona {reads}")


class Header(NamedTuple):
    """The header of a file, to be checked against the file before it is trusted."""

    path: Path
    kind: str  # expected by the caller
    entries: dict[str, Any]
    end: int  # offset of the first array
    n_bytes: int  # of the arrays, by the size of the file

    @classmethod
    def read(cls, file: IO[bytes], size: int, path: Path, kind: str) -> "Header":
        """Read the header of a file of this size and check the types of its values."""
        problem = f"not a Dodona {kind}, or damaged at its beginning"
        if size == 0:
            problem = f"the file is empty, not a Dodona {kind}"
        try:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(MAX_HEADER, size - 8):
                raise ValueError
            entries = json.loads(file.read(length))
            if not _is_header(entries):
                raise ValueError
        except (ValueError, RecursionError, struct.error):
            raise ContainerError(f"{path}: {problem}; get a fresh copy") from None
        return cls(path, kind, entries, 8 + length, size - 8 - length)

    @property
    def metadata(self) -> dict[str, str]:
        """Return kind, version, checksum, and the JSON text about the content."""
        found: dict[str, str] = self.entries["__metadata__"]
        return found

    @property
    def about(self) -> dict[str, Any]:
        """Return the JSON object, before the checksum is verified."""
        try:
            return dict(json.loads(self.metadata["about"]))
        except (ValueError, TypeError, RecursionError):
            raise self._problem("damaged at its beginning") from None

    @property
    def version(self) -> int | None:
        """Return the format version; None if damage left no number (the checksum reports it)."""
        text = self.metadata.get("version", "")
        is_number = text.isascii() and text.isdigit() and len(text) <= MAX_VERSION_DIGITS
        return int(text) if is_number else None

    @property
    def arrays(self) -> dict[str, dict[str, Any]]:
        """Return type, shape and offsets of each array, by offset."""
        found = ((name, entry) for name, entry in self.entries.items() if name != "__metadata__")
        return dict(sorted(found, key=lambda item: item[1]["data_offsets"]))

    def check(self, newest: int, oldest: int, advice: str) -> None:
        """Refuse another kind, another version, and a wrong file size."""
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

    def unpack(self, data: memoryview) -> Content:
        """Verify the checksum and return the JSON object and the arrays in these bytes."""
        if len(data) != self.n_bytes:
            raise self._problem("the file is cut short or has grown")
        if self.metadata.pop("sha256", None) != _checksum(self.entries, [data]):
            raise self._problem("the file is damaged (wrong checksum)")
        try:
            if self.version is None or not _fill_without_gaps(self.arrays):
                raise ValueError
            about = json.loads(self.metadata["about"])
        except (ValueError, RecursionError):
            problem = f"the checksum is right, but this is no Dodona {self.kind}"
            raise self._problem(problem) from None
        return about, {
            name: data[slice(*entry["data_offsets"])].cast(FORMATS[entry["dtype"]])
            for name, entry in self.arrays.items()
        }

    def _problem(self, what: str) -> ContainerError:
        return ContainerError(f"{self.path}: {what}; get a fresh copy")


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """Open a file; a pipe or a device, which has no size and may block, is refused."""
    with naming(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ContainerError(f"{path}: this is a pipe or a device; expected a file")
        with path.open("rb") as file:
            yield file


def _header(path: Path, kind: str) -> Header:
    with _open(path) as file:
        return Header.read(file, os.fstat(file.fileno()).st_size, path, kind)


def _is_header(entries: object) -> bool:
    """Return whether JSON has the structure of a header."""
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
        case {"dtype": str(dtype), "shape": [int(n)], "data_offsets": [int(a), int(b)], **others}:
            return dtype in FORMATS and n >= 0 and 0 <= a <= b and not others
    return False


def _fill_without_gaps(arrays: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether the arrays are contiguous, aligned, and as long as their shapes."""
    before = 0
    for entry in arrays.values():
        size, (start, end) = ITEM_SIZE[entry["dtype"]], entry["data_offsets"]
        if start != before or start % size or entry["shape"] != [(end - start) / size]:
            return False
        before = end
    return True


def _copy(file: IO[bytes], n_bytes: int) -> memoryview:
    """Read up to `n_bytes` of the file into page-aligned memory."""
    is_posix = hasattr(mmap, "MAP_PRIVATE")
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if is_posix else {}
    try:
        block = mmap.mmap(-1, max(n_bytes, 1), **private)
    except OSError as error:
        raise MemoryError(f"cannot allocate {n_bytes:,} bytes") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):  # huge pages fill in half the time
        with suppress(OSError):
            block.madvise(mmap.MADV_HUGEPAGE)
    memory = memoryview(block)
    n_read = file.readinto(memory[:n_bytes])  # type: ignore[attr-defined]
    return memory[:n_read].toreadonly()


def _map(file: IO[bytes], size: int, start: int) -> memoryview:
    """Map the file from `start` on; empty if it has become shorter."""
    if start % ALIGNMENT:  # written by another program, without padding
        return _copy(file, size - start)
    try:
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))[start:]
    except ValueError:
        return memoryview(b"")


def _as_json(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, ensure_ascii=False, sort_keys=True).encode(errors="surrogatepass")


def _checksum(header: Mapping[str, Any], data: list[bytes | memoryview]) -> str:
    """Return the SHA-256 of the header (without its checksum) and the arrays."""
    digest = hashlib.sha256(_as_json(header))
    for part in data:
        digest.update(part)
    return digest.hexdigest()
