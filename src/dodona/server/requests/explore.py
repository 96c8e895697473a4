"""What the explorer's page asks: all in one request, so that every state has an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from dodona.core.parsing.agenda import MAX_WIDTH
from dodona.explorer.beam import WIDTH
from dodona.explorer.explore import Explorer, read_path
from dodona.explorer.typed import read_typed

if TYPE_CHECKING:
    from dodona.parsing.parser import Parser

MOST_WORDS = 250
MOST_HYPOTHESES = min(64, MAX_WIDTH)
WIDEST_PICTURE = 10_000

FindParser: TypeAlias = Callable[[str], "Parser"]


class RequestError(ValueError):
    """A request that cannot be answered; the message is for the person who made it."""


@dataclass(frozen=True)
class ExploreRequest:
    """A sentence, a system, a path; the rest is what to show and how.

    >>> ExploreRequest.read({"sentence": "Ask 0 root", "path": ["SHIFT"]}).path
    ('SHIFT',)
    >>> ExploreRequest.read({"sentense": "Ask 0 root"})
    Traceback (most recent call last):
    dodona.server.requests.explore.RequestError: no field 'sentense'; there are: sentence, ...
    """

    sentence: str
    number: int = 1  # which one, if there are several
    system: str | None = None
    root: str | None = None
    loss: str | None = None
    static_oracle: str | None = None
    model: str | None = None
    path: tuple[str, ...] = ()
    oracle: str = "static"  # of a derivation
    beam: int = WIDTH
    width: float | None = None  # of the picture, in pixels
    best_width: float | None = None  # of that of the best tree

    @classmethod
    def read(cls, data: object) -> ExploreRequest:
        """From JSON, checked field by field; an empty choice is none."""
        if not isinstance(data, Mapping):
            raise RequestError("expected a JSON object")
        known = {field.name for field in fields(cls)}
        for name in data:
            if name not in known:
                names = ", ".join(field.name for field in fields(cls))
                raise RequestError(f"no field {name!r}; there are: {names}")
        values = {name: value for name, value in data.items() if value not in (None, "")}
        if "sentence" not in values:
            raise RequestError("there is no sentence: type one, or paste CoNLL-U")
        for name, value in values.items():
            values[name] = _CHECKS[name](name, value) if name in _CHECKS else _text(name, value)
        return cls(**values)

    def explorer(self, find_parser: FindParser | None) -> Explorer:
        """The explorer that is asked for."""
        sentences = read_typed(self.sentence, name="sentence")
        if not 1 <= self.number <= len(sentences):
            raise RequestError(f"there is no sentence {self.number} among {len(sentences)}")
        sentence = sentences[self.number - 1]
        if len(sentence) > MOST_WORDS:
            raise RequestError(
                f"a sentence of {len(sentence)} words; the explorer shows up to {MOST_WORDS}"
            )
        return Explorer(
            sentence,
            self.system,
            root=self.root,
            loss=self.loss,
            static_oracle=self.static_oracle,
            parser=None if self.model is None else self._parser(find_parser),
        )

    def _parser(self, find_parser: FindParser | None) -> Parser:
        if find_parser is None or self.model is None:
            raise RequestError("this server has no models")
        try:
            return find_parser(self.model)
        except KeyError:
            raise RequestError(f"this server has no model {self.model!r}") from None


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError(f"{name} is a text, not {value!r}")
    return value


def _whole_number(name: str, value: Any) -> int:
    highest = MOST_HYPOTHESES if name == "beam" else 1_000_000
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise RequestError(f"{name} is a whole number from 1 to {highest}, not {value!r}")
    return value


def _pixels(name: str, value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 < value <= WIDEST_PICTURE:
        raise RequestError(f"{name} is a number of pixels up to {WIDEST_PICTURE}, not {value!r}")
    return float(value)


def _path(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(action, str) for action in value):
        raise RequestError(f"{name} is a list of actions, each a text, as in RIGHT-ARC:obj")
    return tuple(map(str, read_path(value)))


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "number": _whole_number,
    "beam": _whole_number,
    "width": _pixels,
    "best_width": _pixels,
    "path": _path,
}
