"""Requests to /api/parse: text, CoNLL-U or words, and the parts of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dodona.parsing.given import Given, GivenError
from dodona.server.errors import bad
from dodona.server.limits import Limits
from dodona.server.memory_budget import too_many_words
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
from dodona.settings import CONSTRAINTS, NO_CONSTRAINTS, SettingsError
from dodona.treebank.sentence import Sentence

INPUTS = ("text", "conllu", "tokens")
OUTPUTS = ("all", "conllu", "sentences")
OTHER_VALUES = 100  # JSON values beside words and sentences
OPTIONS = ("constraints", "svg", "graph", "width", "confidence", "given")
LONGEST_GIVEN = 250  # words of a sentence: the time grows with their square, or faster
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
    graph: bool  # make enhanced graphs, and draw them unless `svg` is false
    width: float | None
    confidence: bool = False
    given: bool = False  # keep heads, labels and tags
    draws: bool = True  # False if the client says that it wants no drawings

    @classmethod
    def read(cls, body: bytes | bytearray, models: Models, limits: Limits) -> ParseRequest:
        """Read JSON and check every field."""
        # each word and each sentence is a value, and a text with more commas has more words
        if count_values(body) > 2 * limits.max_words + OTHER_VALUES:
            raise too_many_words(limits)
        fields = read_fields(body, NAMES)
        there = [name for name in INPUTS if name in fields]
        if len(there) != 1:
            raise bad(f"send one of {', '.join(INPUTS)}; found {' and '.join(there) or 'none'}")
        kind = there[0]
        data = fields[kind]
        if kind != "tokens" or isinstance(data, str):
            data = check_text(kind, data).encode()  # smaller than a str, whatever its characters
        model = models.find(check_text("model", fields.get("model", "")))
        if kind == "text":
            kind = check_choice("input", fields.get("input"), INPUTS)
        given = check_flag("given", fields.get("given", False))
        if given and (kind != "conllu" or fields.get("confidence")):
            raise bad("given keeps what CoNLL-U has: send conllu, and not confidence")
        return cls(
            model,
            data,
            kind,
            check_choice("output", fields.get("output"), OUTPUTS),
            _check_constraints(model, fields.get("constraints")),
            check_flag("svg", fields.get("svg", False)),
            check_flag("graph", fields.get("graph", False)),
            check_pixels("width", fields["width"]) if "width" in fields else None,
            check_flag("confidence", fields.get("confidence", False)),
            given,
            fields.get("svg", True),
        )

    def sentences(self) -> Iterator[Sentence]:
        if not isinstance(self.data, bytes):
            return read_tokens(self.data)
        if self.input == "tokens":
            return read_horizontal(self.data)
        pieces = () if self.data.isspace() else cut(self.data)
        if self.given:
            return map(self._check_given, read_conllu(pieces, "optional"))
        return read_text(self.model, pieces) if self.input == "text" else read_conllu(pieces)

    def _check_given(self, sentence: Sentence) -> Sentence:
        """Return the sentence; refuse what no tree of it can have."""
        if len(sentence) > LONGEST_GIVEN:
            raise bad(f"given is for sentences of up to {LONGEST_GIVEN} words, not {len(sentence)}")
        try:
            self.model.parser.check_given(sentence, Given.from_sentence(sentence))
        except (GivenError, SettingsError) as error:
            raise bad(str(error)) from error
        return sentence


def _check_constraints(model: Model, value: object) -> str | None:
    if value in (None, ""):
        return None
    if value == NO_CONSTRAINTS or not model.parser.system.builds_graphs:
        return check_choice("constraints", value, CONSTRAINTS)
    raise bad(f"constraints are for trees, and {model.name} builds graphs")
