"""What the explorer's page asks: all in one request, so that every state has an address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from dodona.core.parsing.agenda import MAX_WIDTH
from dodona.explorer.beam import WIDTH
from dodona.explorer.explore import Explorer, read_path
from dodona.explorer.typed import read_typed
from dodona.server.errors import bad
from dodona.server.limits import MOST_DRAWN
from dodona.server.models import Model, Models
from dodona.server.requests.fields import check_count, check_pixels, check_text, read_fields

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action

MOST_CHARACTERS = 1 << 18  # of a sentence and those around it: they are read in one go
MOST_HYPOTHESES = min(64, MAX_WIDTH)
MOST_SENTENCES = 1_000_000


@dataclass(frozen=True)
class ExploreRequest:
    """A sentence, a system, a path; the rest is what to show and how."""

    sentence: str
    number: int = 1  # which one, if there are several
    system: str | None = None
    root: str | None = None
    loss: str | None = None
    static_oracle: str | None = None
    model: Model | None = None
    path: tuple[Action, ...] = ()
    oracle: str = "static"  # of a derivation
    beam: int = WIDTH
    width: float | None = None  # of the picture, in pixels
    best_width: float | None = None  # of that of the best tree

    @classmethod
    def read(cls, body: bytes, models: Models) -> ExploreRequest:
        """From JSON, checked field by field; an empty choice is none."""
        found = read_fields(body, [field.name for field in fields(cls)])
        values = {
            name: _CHECKS.get(name, check_text)(name, value)
            for name, value in found.items()
            if value != ""
        }
        if "sentence" not in values:
            raise bad("there is no sentence: type one, or paste CoNLL-U")
        if "model" in values:
            values["model"] = models.find(values["model"])
        return cls(**values)

    def explorer(self) -> Explorer:
        """The explorer that is asked for."""
        sentences = read_typed(self.sentence, name="sentence")
        if not 1 <= self.number <= len(sentences):
            raise bad(f"there is no sentence {self.number} among {len(sentences)}")
        sentence = sentences[self.number - 1]
        if len(sentence) > MOST_DRAWN:
            raise bad(f"a sentence of {len(sentence)} words; the explorer shows up to {MOST_DRAWN}")
        return Explorer(
            sentence,
            self.system,
            root=self.root,
            loss=self.loss,
            static_oracle=self.static_oracle,
            parser=None if self.model is None else self.model.parser,
        )


def _check_sentence(name: str, value: object) -> str:
    text = check_text(name, value)
    if len(text) > MOST_CHARACTERS:
        raise bad(f"{name} has more than {MOST_CHARACTERS:,} characters; send one at a time")
    return text


def _check_path(name: str, value: object) -> tuple[Action, ...]:
    if not isinstance(value, list) or not all(isinstance(action, str) for action in value):
        raise bad(f"{name} is a list of actions, each a text, as in RIGHT-ARC:obj")
    return tuple(read_path([check_text(name, action) for action in value]))


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "sentence": _check_sentence,
    "number": partial(check_count, highest=MOST_SENTENCES),
    "beam": partial(check_count, highest=MOST_HYPOTHESES),
    "width": check_pixels,
    "best_width": check_pixels,
    "path": _check_path,
}
