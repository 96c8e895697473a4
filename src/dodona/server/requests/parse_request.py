"""Requests to /api/parse: text, CoNLL-U or words, and the parts of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dodona.server.errors import bad
from dodona.server.memory_budget import RequestBudget, too_many_words
from dodona.server.models import Model, Models
from dodona.server.requests.json_fields import (
    check_choice,
    check_flag,
    check_pixels,
    check_text,
    count_values,
    read_fields,
)
from dodona.server.requests.sentences import (
    cut,
    read_conllu,
    read_horizontal,
    read_text,
    read_tokens,
)
from dodona.settings import CONSTRAINTS, NO_CONSTRAINTS
from dodona.treebank.sentence import Sentence

INPUTS = ("text", "conllu", "tokens")
OUTPUTS = ("all", "conllu", "sentences")
VALUE_BYTES = 64  # of a JSON value as an object: a string, and its place in a list
OTHER_VALUES = 100  # JSON values beside words and sentences
OPTIONS = ("constraints", "svg", "graph", "width", "confidence")
NAMES = (*INPUTS, "model", "input", "output", *OPTIONS)


@dataclass(frozen=True)
class ParseRequest:
    """The sentences, the model, and the parts of the answer."""

    model: Model
    data: Any  # bytes, or decoded JSON
    input: str
    output: str
    constraints: str | None  # None: those of the model
    svg: bool
    graph: bool  # make enhanced graphs, and draw them
    width: float | None
    confidence: bool = False

    @classmethod
    def read(cls, body: bytes | bytearray, models: Models, allowed: RequestBudget) -> ParseRequest:
        """Read JSON and check every field."""
        # each word and each sentence is a value, and a text with more commas has more words
        n_values = count_values(body)
        if n_values > 2 * allowed.limits.max_words + OTHER_VALUES:
            raise too_many_words(allowed.limits)
        allowed.hold(VALUE_BYTES * n_values)
        fields = read_fields(body, NAMES)
        there = [name for name in INPUTS if name in fields]
        if len(there) != 1:
            raise bad(f"send one of {', '.join(INPUTS)}; found {' and '.join(there) or 'none'}")
        kind = there[0]
        data = fields[kind]
        if kind != "tokens" or isinstance(data, str):
            data = check_text(kind, data).encode()  # smaller than a str, whatever its characters
        model = models.find(check_text("model", fields.get("model", "")))
        return cls(
            model,
            data,
            check_choice("input", fields.get("input"), INPUTS) if kind == "text" else kind,
            check_choice("output", fields.get("output"), OUTPUTS),
            _check_constraints(model, fields.get("constraints")),
            check_flag("svg", fields.get("svg", False)),
            check_flag("graph", fields.get("graph", False)),
            check_pixels("width", fields["width"]) if "width" in fields else None,
            check_flag("confidence", fields.get("confidence", False)),
        )

    def sentences(self) -> Iterator[Sentence]:
        if not isinstance(self.data, bytes):
            return read_tokens(self.data)
        if self.input == "tokens":
            return read_horizontal(self.data)
        pieces = () if self.data.isspace() else cut(self.data)
        return read_text(self.model, pieces) if self.input == "text" else read_conllu(pieces)


def _check_constraints(model: Model, value: object) -> str | None:
    if value in (None, ""):
        return None
    if value == NO_CONSTRAINTS or not model.parser.system.builds_graphs:
        return check_choice("constraints", value, CONSTRAINTS)
    raise bad(f"constraints are for trees, and {model.name} builds graphs")
