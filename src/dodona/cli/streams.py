"""Sentences from several files, and to one: as CoNLL-U, CoNLL-X, JSON lines or pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Any, Literal, Protocol

from dodona.cli.errors import say
from dodona.cli.pictures import PICTURES, open_pictures
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import FORMATS, read
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence

OUTPUTS = (*FORMATS, "json", *PICTURES)
Item = Sentence | BadSentence
Trees = Literal["required", "optional", "ignored"]


class Writing(Protocol):
    """Where sentences go."""

    def write(self, sentence: Item, /) -> None: ...


def read_all(paths: Iterable[str], format: Any, trees: Trees, skip_bad: bool) -> Iterator[Item]:
    """The sentences of all files, one after the other."""
    for path in paths:
        bad: Any = "pass" if skip_bad else "raise"
        with read(path, format=format, trees=trees, bad=bad) as reader:
            yield from reader


def open_writer(path: str, format: Any) -> AbstractContextManager[Writing]:
    """A writer of the format to a file that appears only when all went well."""
    if format in PICTURES:
        return open_pictures(path, format)
    return _json_writer(path) if format == "json" else Writer(path, format=format)


class Skipped:
    """Counts what is passed on because it is no sentence."""

    def __init__(self) -> None:
        self.n_bad = 0
        self.first = ""

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items, counted."""
        for item in items:
            if isinstance(item, BadSentence):
                self.n_bad += 1
                self.first = self.first or str(item.error)
            yield item

    def say(self, done: str = "passed on") -> None:
        """Tell how many there were, if any, and what is wrong with the first."""
        if self.n_bad:
            plural = "s" if self.n_bad > 1 else ""
            say(f"{self.n_bad:,} bad sentence{plural} {done}; the first: {self.first}")


@contextmanager
def _json_writer(path: str) -> Iterator[JsonWriter]:
    with open_output(path) as file:
        yield JsonWriter(file)


class JsonWriter:
    """One JSON object a line.

    >>> import io
    >>> memory = io.BytesIO()
    >>> JsonWriter(memory).write(Sentence.from_columns(["Speak"], heads=[0], deprels=["root"]))
    >>> memory.getvalue()[:57]
    b'{"comments": [], "text": "Speak", "words": [{"id": 1, "fo'
    """

    def __init__(self, file: IO[bytes]) -> None:
        from json import dumps

        self._file = file
        self._dumps = dumps

    def write(self, sentence: Item, /) -> None:
        """Write one sentence; one that is bad as its text and what is wrong with it."""
        found = sentence.to_dict() if isinstance(sentence, Sentence) else _bad(sentence)
        self._file.write(self._dumps(found, ensure_ascii=False).encode() + b"\n")


def _bad(sentence: BadSentence) -> dict[str, Any]:
    return {"error": str(sentence.error), "text": bytes(sentence).decode(errors="replace")}
