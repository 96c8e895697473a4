"""What /api/parse is asked: a text, CoNLL-U or words, and what to answer with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dodona.server.errors import bad
from dodona.server.limits import Limits
from dodona.server.memory import too_many_words
from dodona.server.models import Model, Models
from dodona.server.requests.fields import (
    check_choice,
    check_flag,
    check_pixels,
    check_text,
    count_values,
    read_fields,
)
from dodona.server.requests.sentences import cut, read_conllu, read_text
from dodona.server.requests.words import read_horizontal, read_tokens
from dodona.treebank.sentence import Sentence

INPUTS = ("text", "conllu", "tokens")
OUTPUTS = ("all", "conllu", "sentences")
FEW = 100  # values in JSON beside words and sentences
NAMES = (*INPUTS, "model", "input", "output", "svg", "graph", "width")


@dataclass(frozen=True)
class ParseRequest:
    """Sentences in one form or another, a model for them, and what to write of their trees."""

    model: Model
    data: Any  # bytes, unless it is JSON
    input: str
    output: str
    svg: bool
    graph: bool  # the enhanced graph as a picture, too
    width: float | None

    @classmethod
    def read(cls, body: bytes | bytearray, models: Models, limits: Limits) -> ParseRequest:
        """From JSON, checked field by field."""
        # each word has one value, and each sentence; a text that has more commas has more words
        if count_values(body) > 2 * limits.max_words + FEW:
            raise too_many_words(limits)
        fields = read_fields(body, NAMES)
        there = [name for name in INPUTS if name in fields]
        if len(there) != 1:
            raise bad(f"send one of {', '.join(INPUTS)}; found {' and '.join(there) or 'none'}")
        kind = there[0]
        data = fields[kind]
        if kind != "tokens" or isinstance(data, str):
            data = check_text(kind, data).encode()  # shorter than a string, whatever is in it
        return cls(
            models.find(check_text("model", fields.get("model", ""))),
            data,
            check_choice("input", fields.get("input"), INPUTS) if kind == "text" else kind,
            check_choice("output", fields.get("output"), OUTPUTS),
            check_flag("svg", fields.get("svg", False)),
            check_flag("graph", fields.get("graph", False)),
            check_pixels("width", fields["width"]) if "width" in fields else None,
        )

    def sentences(self) -> Iterator[Sentence]:
        """The sentences of the data."""
        if not isinstance(self.data, bytes):
            return read_tokens(self.data)
        if self.input == "tokens":
            return read_horizontal(self.data)
        pieces = () if self.data.isspace() else cut(self.data)
        return read_text(self.model, pieces) if self.input == "text" else read_conllu(pieces)
