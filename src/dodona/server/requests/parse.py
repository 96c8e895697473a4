"""What /api/parse is asked: a text, CoNLL-U or words, and what to answer with."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dodona.server.errors import bad
from dodona.server.models import Model, Models
from dodona.server.requests.fields import (
    check_choice,
    check_flag,
    check_pixels,
    check_text,
    read_fields,
)
from dodona.server.requests.sentences import cut, read_conllu, read_text
from dodona.server.requests.words import read_horizontal, read_tokens
from dodona.treebank.sentence import Sentence

INPUTS = ("text", "conllu", "tokens")
OUTPUTS = ("all", "conllu", "sentences")
NAMES = (*INPUTS, "model", "input", "output", "svg", "width")


@dataclass(frozen=True)
class ParseRequest:
    """Sentences in one form or another, a model for them, and what to write of their trees."""

    model: Model
    data: Any
    input: str
    output: str
    svg: bool
    width: float | None

    @classmethod
    def read(cls, body: bytes, models: Models) -> ParseRequest:
        """From JSON, checked field by field."""
        fields = read_fields(body, NAMES)
        there = [name for name in INPUTS if name in fields]
        if len(there) != 1:
            raise bad(f"send one of {', '.join(INPUTS)}; found {' and '.join(there) or 'none'}")
        kind = there[0]
        return cls(
            models.find(check_text("model", fields.get("model", ""))),
            fields[kind],
            check_choice("input", fields.get("input"), INPUTS) if kind == "text" else kind,
            check_choice("output", fields.get("output"), OUTPUTS),
            check_flag("svg", fields.get("svg", False)),
            check_pixels("width", fields["width"]) if "width" in fields else None,
        )

    def sentences(self) -> Iterator[Sentence]:
        """The sentences of the data."""
        if self.input == "tokens" and not isinstance(self.data, str):
            return read_tokens(self.data)
        data = check_text(self.input, self.data)
        if self.input == "tokens":
            return read_horizontal(data)
        if self.input == "text":
            return read_text(self.model, cut(data))
        return read_conllu(io.BytesIO(data.encode())) if data.strip() else iter(())
