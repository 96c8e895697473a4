"""What the explorer's page asks: all in one request, so that every state has an address."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from dodona.core.search.agenda import MAX_WIDTH
from dodona.explorer.beam import WIDTH
from dodona.explorer.explore import Explorer, read_path
from dodona.explorer.typed import read_typed
from dodona.server.errors import bad
from dodona.server.limits import Limits
from dodona.server.models import Model, Models
from dodona.server.requests.fields import (
    LONGEST_NUMBER,
    check_count,
    check_flag,
    check_pixels,
    check_text,
    count_values,
    read_fields,
)
from dodona.settings import NO_CONSTRAINTS
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action

MOST_CHARACTERS = 1 << 18  # of a sentence and those around it: they are read in one go
MOST_BYTES = 12 * MOST_CHARACTERS + (1 << 20)  # in JSON, where a character has up to 12, and a path
MOST_HYPOTHESES = min(64, MAX_WIDTH)
MOST_SENTENCES = 1_000_000
MOST_LABELS = 500
DEPS = 8  # the column of CoNLL-U

_LONG_NUMBER = re.compile(rf"\d{{{LONGEST_NUMBER + 1}}}")


@dataclass(frozen=True)
class ExploreRequest:
    """A sentence, a system, a path; the rest is what to show and how."""

    sentence: str
    limits: Limits
    number: int = 1  # which one, if there are several
    system: str | None = None
    root: str | None = None
    loss: str | None = None
    static_oracle: str | None = None
    constraints: str = NO_CONSTRAINTS
    model: Model | None = None
    labels: tuple[str, ...] = ()  # beside those of the gold tree and of the model
    path: tuple[Action, ...] = ()
    lenient: bool = False  # stop at the first action that is not valid, and say so
    action: Action | None = None  # after the path: why it costs what it costs
    pattern: str | None = None  # to look for in all sentences
    film: bool = False  # a picture for slides of every state on the path, not of the last alone
    oracle: str = "static"  # of a derivation
    beam: int = WIDTH
    width: float | None = None  # of the picture, in pixels
    best_width: float | None = None  # of that of the best tree

    @classmethod
    def read(cls, body: bytes | bytearray, models: Models, limits: Limits) -> ExploreRequest:
        """From JSON, checked field by field; an empty choice is none."""
        if count_values(body) > MOST_CHARACTERS + limits.explore_actions:
            raise bad("too many values for a sentence and a path")
        found = read_fields(body, [field.name for field in fields(cls) if field.name != "limits"])
        checks = _CHECKS | {"path": partial(_check_path, most=limits.explore_actions)}
        values = {
            name: checks.get(name, check_text)(name, value)
            for name, value in found.items()
            if value != ""
        }
        if "sentence" not in values:
            raise bad("there is no sentence: type one, or paste CoNLL-U")
        if "model" in values:
            values["model"] = models.find(values["model"])
        return cls(limits=limits, **values)

    def read_sentences(self) -> list[Sentence]:
        """All sentences."""
        return read_typed(self.sentence, name="sentence")

    def read_sentence(self) -> Sentence:
        """The sentence that is asked for."""
        sentences = self.read_sentences()
        if not 1 <= self.number <= len(sentences):
            raise bad(f"there is no sentence {self.number} among {len(sentences)}")
        sentence = sentences[self.number - 1]
        _check_size(sentence, self.limits)
        return sentence

    def explorer(self) -> Explorer:
        """The explorer that is asked for."""
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
    if len(text) > MOST_CHARACTERS:
        raise bad(f"{name} has more than {MOST_CHARACTERS:,} characters; send one at a time")
    if _LONG_NUMBER.search(text):
        raise bad(f"{name} has a number of more than {LONGEST_NUMBER} digits")
    return text


def _check_size(sentence: Sentence, limits: Limits) -> None:
    """Not more than can be drawn and followed in a moment; arcs of empty nodes count, too."""
    if len(sentence) > limits.explore_words:
        raise bad(
            f"a sentence of {len(sentence)} words; the explorer shows up to {limits.explore_words}"
        )
    lines = [line.split("\t") for line in str(sentence).split("\n") if line[:1].isdigit()]
    n_arcs = sum(line[DEPS].count("|") + 1 for line in lines if len(line) > DEPS)
    if n_arcs > limits.explore_arcs:
        raise bad(f"a graph of {n_arcs} arcs; the explorer shows up to {limits.explore_arcs}")


def _check_path(name: str, value: object, most: int) -> tuple[Action, ...]:
    if not isinstance(value, list) or not all(isinstance(action, str) for action in value):
        raise bad(f"{name} is a list of actions, each a text, as in RIGHT-ARC:obj")
    if len(value) > most:
        raise bad(f"a path of {len(value)} actions; the explorer follows up to {most}")
    return tuple(read_path([check_text(name, action) for action in value]))


def _check_labels(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_LABELS:
        raise bad(f"{name} is a list of up to {MOST_LABELS} labels")
    labels = tuple(check_text(name, label) for label in value)
    if not all(label.split() == [label] for label in labels):
        raise bad(f"{name} are words without spaces, none of them empty")
    return labels


def _check_action(name: str, value: object) -> Action:
    [action] = _check_path(name, [value], most=1)
    return action


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "sentence": _check_sentence,
    "number": partial(check_count, highest=MOST_SENTENCES),
    "beam": partial(check_count, highest=MOST_HYPOTHESES),
    "labels": _check_labels,
    "lenient": check_flag,
    "action": _check_action,
    "film": check_flag,
    "width": check_pixels,
    "best_width": check_pixels,
}
