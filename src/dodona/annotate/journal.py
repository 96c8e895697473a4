"""The journal: every change, on disk before it is acknowledged.

A file of JSON lines beside the treebank, `corpus.conllu.journal`. Each line has a checksum, so that
a torn last line, left by a crash, is recognised and dropped:

    {"crc32": "8c736521", "record": {"kind": "step", …}}

| record | fields |
|---|---|
| `open` | `format`, and `digest` of the treebank that the journal begins with |
| `step` | `change` (as JSON, or a list), `finished`, and `edits`: place, old and new sentences |
| `undo`, `redo` | none |
| `save` | `digest` of the treebank that is about to be written, `n_records` that it includes |

`finished` is null or, if a sentence is done since, the number of arcs that a person set in it.
Sentences are those of the file, byte by byte (bytes that are not UTF-8 are lone surrogates), with
the parser's guesses: replaying needs no model. A `digest` is the SHA-256 of the treebank's content.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zlib import crc32

from dodona.annotate.errors import AnnotateError

FORMAT = 1
_HEAD, _MIDDLE, _END = b'{"crc32": "', b'", "record": ', b"}\n"
_PREFIX = len(_HEAD) + 8 + len(_MIDDLE)

JsonObject = dict[str, object]


class JournalError(AnnotateError):
    """A journal that does not fit its treebank, or is damaged."""


@dataclass(frozen=True)
class Edit:
    """Sentences that take the place of others, from an index on."""

    index: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]


def encode(record: JsonObject) -> bytes:
    """Return a record as a line with its checksum.

    >>> encode({"kind": "undo"})
    b'{"crc32": "706f43d4", "record": {"kind": "undo"}}\\n'
    """
    body = json.dumps(record).encode()
    return _HEAD + f"{crc32(body):08x}".encode() + _MIDDLE + body + _END


def decode(line: bytes) -> JsonObject | None:
    """Return the record of a line; None if the line is damaged."""
    body = line[_PREFIX : -len(_END)]
    expected = _HEAD + f"{crc32(body):08x}".encode() + _MIDDLE + body + _END
    if line != expected:
        return None
    record = json.loads(body)
    return record if isinstance(record, dict) else None


class Journal:
    """An open journal, to which records are appended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None
        self.n_records = 0

    def read(self) -> list[JsonObject]:
        """Return all records; drop what a crash has left of the last one."""
        if not self.path.exists():
            return []
        records, size = [], 0
        lines = self.path.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            record = decode(line)
            if record is None:
                if number < len(lines):
                    raise JournalError(
                        f"{self.path}:{number}: the checksum is wrong: the journal is damaged; "
                        "move it away to go on with the treebank as it was last saved"
                    )
                break
            records.append(record)
            size += len(line)
        if size < sum(map(len, lines)):
            with self.path.open("r+b") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        self.n_records = len(records)
        return records

    def append(self, record: JsonObject) -> None:
        """Write a record, and return when it is on disk."""
        if self._file is None:
            is_new = not self.path.exists()
            self._file = self.path.open("ab", buffering=0)
            if is_new:
                _sync_folder(self.path.parent)
        line, size = encode(record), self._file.tell()
        try:
            if self._file.write(line) != len(line):
                raise OSError(28, "No space left on device", str(self.path))
            os.fsync(self._file.fileno())
        except BaseException:  # half a line must not stay before the next one
            self._file.truncate(size)
            raise
        self.n_records += 1

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _sync_folder(path: Path) -> None:
    """Make the name of a new file durable, where folders can be opened."""
    try:
        folder = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def edits_to_json(edits: tuple[Edit, ...]) -> list[object]:
    return [[edit.index, [*map(_text, edit.old)], [*map(_text, edit.new)]] for edit in edits]


def edits_from_json(value: object) -> tuple[Edit, ...]:
    """Return the edits of a record; the checksum vouches for their form."""
    return tuple(_edits(value))


def _edits(value: object) -> Iterator[Edit]:
    assert isinstance(value, list)
    for index, old, new in value:
        yield Edit(index, tuple(map(_data, old)), tuple(map(_data, new)))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
