"""Requests to /api/parse: text, CoNLL-U or words, and the parts of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dodona.parsing.given import Given, GivenError
from dodona.server.errors import bad
from dodona.server.memory_budget import RequestBudget, too_many_words
from dodona.server.models import Model, Models
from dodona.server.requests.json_fields import (
    Field,
    check_choice,
    check_text,
    choice_field,
    count_values,
    flag_field,
    pixels_field,
    read_fields,
    text_field,
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
VALUE_BYTES = 64  # of a JSON value as an object: a string, and its place in a list
WORDS = {"type": "array", "items": {"type": "string"}}
OTHER_VALUES = 100  # JSON values beside words and sentences
LONGEST_GIVEN = 250  # words of a sentence: the time grows with their square, or faster
FIELDS = {
    "text": text_field("Raw text, or the format given by `input`."),
    "conllu": text_field("Sentences in CoNLL-U; their trees are ignored, their tags kept."),
    "tokens": Field(
        "Lists of words, or one sentence per line with spaces between words.",
        {"anyOf": [{"type": "array", "items": WORDS}, {"type": "string"}]},
        lambda name, value: check_text(name, value) if isinstance(value, str) else value,
    ),
    "model": text_field("Name of a model or its first parts; else the default."),
    "input": choice_field("The format of `text`.", INPUTS),
    "output": choice_field("The parts of the answer.", OUTPUTS),
    "constraints": Field(
        "Rules that trees obey; default: those of the model.",
        {"enum": list(CONSTRAINTS)},
        lambda name, value: check_choice(name, value, CONSTRAINTS) if value != "" else None,
    ),
    "svg": flag_field("Whether to draw the trees."),
    "graph": flag_field("Whether to make enhanced graphs, if the model can; svg=false draws none."),
    "width": pixels_field("Maximum width of the pictures in pixels."),
    "confidence": flag_field("Whether words say how sure the model is."),
    "given": flag_field("Whether heads, labels and tags of `conllu` are kept."),
}


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
    def read(cls, body: bytes | bytearray, models: Models, allowed: RequestBudget) -> ParseRequest:
        """Read JSON and check every field."""
        # each word and each sentence is a value, and a text with more commas has more words
        n_values = count_values(body)
        if n_values > 2 * allowed.limits.max_words + OTHER_VALUES:
            raise too_many_words(allowed.limits)
        allowed.hold(VALUE_BYTES * n_values)
        found = read_fields(body, tuple(FIELDS))
        there = [name for name in INPUTS if name in found]
        if len(there) != 1:
            raise bad(f"send one of {', '.join(INPUTS)}; found {' and '.join(there) or 'none'}")
        fields = {name: FIELDS[name].check(name, value) for name, value in found.items()}
        kind = there[0]
        data = fields[kind]
        if isinstance(data, str):
            data = data.encode()  # smaller than a str, whatever its characters
        model = models.find(fields.get("model"))
        if fields.get("constraints") not in (None, NO_CONSTRAINTS):
            _check_constraints(model)
        if kind == "text":
            kind = fields.get("input", INPUTS[0])
        given = fields.get("given", False)
        if given and (kind != "conllu" or fields.get("confidence")):
            raise bad("given keeps what CoNLL-U has: send conllu, and not confidence")
        return cls(
            model,
            data,
            kind,
            fields.get("output", OUTPUTS[0]),
            fields.get("constraints"),
            fields.get("svg", False),
            fields.get("graph", False),
            fields.get("width"),
            fields.get("confidence", False),
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


def _check_constraints(model: Model) -> None:
    if model.parser.system.builds_graphs:
        raise bad(f"constraints are for trees, and {model.name} builds graphs")
