"""Writers of sentences: CoNLL-U, CoNLL-X, JSON lines or pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Any, Protocol

from dodona.cli.inputs import SentenceOrBad
from dodona.cli.pictures import PICTURES, open_pictures
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import FORMATS
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence

OUTPUTS = (*FORMATS, "json", *PICTURES)
SUFFIXES = {  # of files in each format
    "conllu": ".conllu",
    "conllx": ".conllx",
    "json": ".jsonl",
    "svg": ".svg",
    "html": ".html",
    "tree": ".txt",
    "png": ".png",
    "pdf": ".pdf",
}


class Writing(Protocol):
    """A writer of sentences."""

    def write(self, sentence: SentenceOrBad, /) -> None: ...


def open_writer(path: str, format: Any) -> AbstractContextManager[Writing]:
    """Return a writer to a file that is created only if everything succeeds."""
    if format in PICTURES:
        return open_pictures(path, format)
    return _open_json(path) if format == "json" else Writer(path, format=format)


@contextmanager
def _open_json(path: str) -> Iterator[JsonWriter]:
    with open_output(path) as file:
        yield JsonWriter(file)


class JsonWriter:
    """A writer of JSON lines, one object per sentence.

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

    def write(self, sentence: SentenceOrBad, /) -> None:
        """Write a sentence; an invalid one becomes its text and the error."""
        found = sentence.to_dict() if isinstance(sentence, Sentence) else _explain(sentence)
        self._file.write(self._dumps(found, ensure_ascii=False).encode() + b"\n")


def _explain(sentence: BadSentence) -> dict[str, Any]:
    return {"error": str(sentence.error), "text": bytes(sentence).decode(errors="replace")}
