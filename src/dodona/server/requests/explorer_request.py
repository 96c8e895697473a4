"""Requests of the explorer's page; each is complete, so the server keeps no state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dodona.core.search.agenda import MAX_WIDTH
from dodona.explorer.beam import WIDTH
from dodona.explorer.explore import Explorer, read_path
from dodona.explorer.typed import read_typed
from dodona.server.errors import bad
from dodona.server.limits import Limits
from dodona.server.models import Model, Models
from dodona.server.requests.json_fields import (
    LONGEST_NUMBER,
    Field,
    check_text,
    count_field,
    count_values,
    flag_field,
    pixels_field,
    read_fields,
    text_field,
)
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action

MAX_CHARACTERS = 1 << 18  # of the text that holds the sentence
MAX_BYTES = 12 * MAX_CHARACTERS + (1 << 20)  # in JSON, up to 12 bytes a character, and a path
MAX_HYPOTHESES = min(64, MAX_WIDTH)
MAX_SENTENCES = 1_000_000
MAX_LABELS = 500
DEPS = 8  # the column of CoNLL-U

_LONG_NUMBER = re.compile(rf"\d{{{LONGEST_NUMBER + 1}}}")


@dataclass(frozen=True)
class ExploreRequest:
    """A sentence, a transition system, a path, and what to show."""

    sentence: str
    limits: Limits
    number: int = 1  # of the sentence, if there are several
    system: str | None = None
    root: str | None = None
    loss: str | None = None
    static_oracle: str | None = None
    constraints: str | None = None
    model: Model | None = None
    labels: tuple[str, ...] = ()  # in addition to those of the gold tree and the model
    path: tuple[Action, ...] = ()
    lenient: bool = False  # stop before the first invalid action and report it
    action: Action | None = None  # after the path, to be explained
    pattern: str | None = None  # to search for in all sentences
    film: bool = False  # draw every state on the path, not only the last
    oracle: str = "static"  # of a derivation
    beam: int = WIDTH
    width: float | None = None  # of the picture, in pixels
    best_width: float | None = None  # of the picture of the best tree

    @classmethod
    def read(cls, body: bytes | bytearray, models: Models, limits: Limits) -> ExploreRequest:
        """Read JSON and check every field; an empty string counts as missing."""
        if count_values(body) > MAX_CHARACTERS + limits.explore_actions:
            raise bad("too many JSON values for a sentence and a path")
        found = read_fields(body, tuple(FIELDS))
        checks = {name: field.check for name, field in FIELDS.items()}
        checks["path"] = partial(_check_path, limit=limits.explore_actions)
        values = {name: checks[name](name, value) for name, value in found.items() if value != ""}
        if "sentence" not in values:
            raise bad("no sentence; type one, or paste CoNLL-U")
        if "model" in values:
            values["model"] = models.find(values["model"])
        return cls(limits=limits, **values)

    def read_sentences(self) -> list[Sentence]:
        return read_typed(self.sentence, name="sentence")

    def read_sentence(self) -> Sentence:
        """Return the requested sentence, if it is within the limits."""
        sentences = self.read_sentences()
        if not 1 <= self.number <= len(sentences):
            raise bad(f"no sentence {self.number}; there are {len(sentences)}")
        sentence = sentences[self.number - 1]
        _check_size(sentence, self.limits)
        return sentence

    def explorer(self) -> Explorer:
        return Explorer(
            self.read_sentence(),
            self.system,
            root=self.root,
            loss=self.loss,
            static_oracle=self.static_oracle,
            parser=None if self.model is None else self.model.parser,
            constraints=self.constraints,
            labels=self.labels,
        )


def _check_sentence(name: str, value: object) -> str:
    text = check_text(name, value)
    if len(text) > MAX_CHARACTERS:
        raise bad(f"{name} has more than {MAX_CHARACTERS:,} characters; send one at a time")
    if _LONG_NUMBER.search(text):
        raise bad(f"{name} has a number of more than {LONGEST_NUMBER} digits")
    return text


def _check_size(sentence: Sentence, limits: Limits) -> None:
    """Refuse a sentence or graph beyond the limits; arcs of empty nodes count, too."""
    if len(sentence) > limits.explore_words:
        raise bad(
            f"the sentence has {len(sentence)} words; the explorer shows up to "
            f"{limits.explore_words}"
        )
    n_arcs = count_arcs(sentence)
    if n_arcs > limits.explore_arcs:
        raise bad(f"the graph has {n_arcs} arcs; the explorer shows up to {limits.explore_arcs}")


def count_arcs(sentence: Sentence) -> int:
    """Return the number of arcs in the DEPS of a sentence's words and empty nodes."""
    lines = [line.split("\t", DEPS + 1) for line in bytes(sentence).decode().split("\n")]
    return sum(line[DEPS].count("|") + 1 for line in lines if len(line) > DEPS + 1)


def _check_path(name: str, value: object, limit: int) -> tuple[Action, ...]:
    if not isinstance(value, list) or not all(isinstance(action, str) for action in value):
        raise bad(f"{name} must be a list of strings such as RIGHT-ARC:obj")
    if len(value) > limit:
        raise bad(f"the path has {len(value)} actions; the explorer follows up to {limit}")
    return tuple(read_path([check_text(name, action) for action in value]))


def _check_labels(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_LABELS:
        raise bad(f"{name} must be a list of up to {MAX_LABELS} labels")
    labels = tuple(check_text(name, label) for label in value)
    if not all(label.split() == [label] for label in labels):
        raise bad(f"{name} must be non-empty and without spaces")
    return labels


_TEXTS = {"type": "array", "items": {"type": "string"}}
FIELDS: dict[str, Field] = {
    "sentence": Field(
        "The sentence: words, `word head relation` on lines, or CoNLL-U.",
        {"type": "string", "maxLength": MAX_CHARACTERS},
        _check_sentence,
    ),
    "number": count_field("Which of the sentences, if there are several.", MAX_SENTENCES),
    "system": text_field("Name of a transition system; /api/systems lists them."),
    "root": text_field("Where the root is, as /api/systems lists it for the system."),
    "loss": text_field("What costs count, as /api/systems lists it for the system."),
    "static_oracle": text_field("The static oracle, as /api/systems lists it for the system."),
    "constraints": text_field("Rules that trees obey."),
    "model": text_field("Name of a model, whose scores are shown."),
    "labels": Field(
        "Relations in addition to those of the gold tree and the model.",
        {**_TEXTS, "maxItems": MAX_LABELS},
        _check_labels,
    ),
    "path": Field(
        "Actions that lead to the state, as in RIGHT-ARC:obj.",
        _TEXTS,
        partial(_check_path, limit=Limits().explore_actions),
    ),
    "lenient": flag_field("Whether to stop before the first invalid action and report it."),
    "action": Field(
        "The action to explain, after the path.",
        {"type": "string"},
        lambda name, value: _check_path(name, [value], limit=1)[0],
    ),
    "pattern": text_field("The pattern to search for in all sentences."),
    "film": flag_field("Whether to draw every state on the path, not only the last."),
    "oracle": text_field("Whose derivation: an oracle, `model`, `best` or `any`."),
    "beam": count_field("Width of the beam.", MAX_HYPOTHESES),
    "width": pixels_field("Maximum width of the picture in pixels."),
    "best_width": pixels_field("Maximum width of the picture of the best tree."),
}
