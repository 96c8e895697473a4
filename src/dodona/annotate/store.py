"""The sentences of a treebank, their history, and the files that keep both."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from dodona.annotate.errors import AnnotateError
from dodona.annotate.file_lock import FileLock
from dodona.annotate.journal import (
    FORMAT,
    Edit,
    Journal,
    JournalError,
    JsonObject,
    edits_from_json,
    edits_to_json,
)
from dodona.treebank.conllu.files import open_input, open_output
from dodona.treebank.conllu.reader import read


@dataclass(frozen=True)
class Block:
    """The bytes of a sentence, with a number that stays when others come or go."""

    uid: int
    data: bytes


@dataclass(frozen=True)
class Step:
    """A change as it was applied: what can be undone as a whole."""

    edits: tuple[Edit, ...]
    change: object  # as JSON
    finished: int | None = None  # arcs that a person set in a sentence that is done since


OnEdit = Callable[[list[Block], list[Block]], None]  # called with old and new blocks


def _ignore(old: list[Block], new: list[Block]) -> None:
    """Do nothing."""


class Store:
    """A treebank with an unlimited history of changes, which survives the death of its process.

    Not safe for threads: the workbench locks it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.on_edit: OnEdit = _ignore
        self._n_changes = self._n_written = self._n_saved = 0
        self._lock = FileLock(path.with_name(path.name + ".lock"), path)
        try:
            self._uids = count()
            self._stamp = _stamp(path)
            self.blocks = [Block(next(self._uids), data) for data in read_blocks(path)]
            self.steps: list[Step] = []
            self.position = 0  # steps that are in effect
            self._journal = Journal(path.with_name(path.name + ".journal"))
            self._replay(self._journal.read())
        except BaseException:
            self._lock.release()
            raise

    def _replay(self, records: list[JsonObject]) -> None:
        """Restore the history; apply what the file does not have yet."""
        digest = _digest(self.content())
        if not records:
            self._journal.append({"kind": "open", "format": FORMAT, "digest": digest})
            return
        if records[0].get("format") != FORMAT:
            raise JournalError(
                f"{self._journal.path}:1: format {records[0].get('format')}; this version reads "
                f"format {FORMAT}"
            )
        n_included = self._find_saved(records, digest)
        for number, record in enumerate(records):
            edits = list(self._follow(record))
            if number >= n_included and edits:
                self._apply(edits, number + 1)
                self._n_changes += 1

    def _find_saved(self, records: list[JsonObject], digest: str) -> int:
        """Return how many records the file includes, by its digest."""
        for record in reversed(records):
            if record.get("digest") == digest:
                n_records = record.get("n_records", 1)
                assert isinstance(n_records, int)
                return n_records
        raise JournalError(
            f"{self.path}: another program has changed this file since it was annotated, and its "
            f"journal does not fit any more; restore the file, or move {self._journal.path} away "
            "to go on without what is only in the journal"
        )

    def _follow(self, record: JsonObject) -> Iterator[Edit]:
        """Move through the history as a record says; yield the edits that this takes."""
        kind = record["kind"]
        if kind == "step":
            finished = record["finished"]
            assert finished is None or isinstance(finished, int)
            step = Step(edits_from_json(record["edits"]), record["change"], finished)
            del self.steps[self.position :]
            self.steps.append(step)
            self.position += 1
            yield from step.edits
        elif kind == "undo":
            self.position -= 1
            yield from map(_inverse, reversed(self.steps[self.position].edits))
        elif kind == "redo":
            self.position += 1
            yield from self.steps[self.position - 1].edits

    def _apply(self, edits: list[Edit], line: int = 0) -> None:
        for edit in edits:
            span = slice(edit.index, edit.index + len(edit.old))
            old = self.blocks[span]
            if tuple(block.data for block in old) != edit.old:
                where = f"{self._journal.path}:{line}" if line else str(self.path)
                raise JournalError(f"{where}: the change does not fit sentence {edit.index + 1}")
            uids = [block.uid for block in old]
            uids += [next(self._uids) for _ in edit.new[len(old) :]]
            self.blocks[span] = new = [Block(uids[i], data) for i, data in enumerate(edit.new)]
            self.on_edit(old, new)

    @property
    def is_saved(self) -> bool:
        """Whether the file has all changes."""
        return self._n_saved == self._n_changes

    def content(self) -> bytes:
        return b"".join(block.data for block in self.blocks)

    def add(self, step: Step) -> None:
        """Write a step into the journal, then apply it."""
        record: JsonObject = {
            "kind": "step",
            "change": step.change,
            "finished": step.finished,
            "edits": edits_to_json(step.edits),
        }
        self._write(record, list(step.edits))

    def undo(self) -> Step | None:
        """Take the last step back and return it; None if there is none."""
        if not self.position:
            return None
        step = self.steps[self.position - 1]
        self._write({"kind": "undo"}, [*map(_inverse, reversed(step.edits))])
        return step

    def redo(self) -> Step | None:
        """Apply again the last step that was taken back; None if there is none."""
        if self.position == len(self.steps):
            return None
        step = self.steps[self.position]
        self._write({"kind": "redo"}, list(step.edits))
        return step

    def _write(self, record: JsonObject, edits: list[Edit]) -> None:
        self._journal.append(record)
        self._apply(edits)
        for _ in self._follow(record):
            pass
        self._n_changes += 1

    def announce(self) -> bytes:
        """Write into the journal that the treebank is about to be saved; return its content."""
        if _stamp(self.path) not in (None, self._stamp):
            raise AnnotateError(
                f"{self.path}: another program has changed this file, which is not overwritten; "
                f"restore it to go on. What you annotated is in {self._journal.path}"
            )
        content, n_records = self.content(), self._journal.n_records
        self._journal.append({"kind": "save", "digest": _digest(content), "n_records": n_records})
        self._n_written = self._n_changes
        return content

    def write(self, content: bytes) -> None:
        """Replace the file, completely or not at all."""
        with open_output(self.path) as file:
            file.write(content)
        self._stamp = _stamp(self.path)
        self._n_saved = self._n_written

    def close(self) -> None:
        self._journal.close()
        self._lock.release()


def read_blocks(path: Path) -> list[bytes]:
    """Return the bytes of each sentence of a file; together, they are all of it."""
    with read(path, trees="optional") as reader:
        blocks = [*map(bytes, reader)]
    file, _, _ = open_input(path)
    with file:
        rest = file.read()[sum(map(len, blocks)) :]
    if blocks and rest:  # blank lines at the end
        blocks[-1] += rest
    return blocks


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what shows that a file has been changed; None if it is gone."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _inverse(edit: Edit) -> Edit:
    return Edit(edit.index, edit.new, edit.old)
