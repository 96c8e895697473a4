"""Which parts a model for raw text has, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dodona.parser import Parser

TRAIN, NONE = "train", "none"


@dataclass(frozen=True)
class Parts:
    """Where each part comes from: "train", "none", or the path of a model that has it.

    >>> Parts(segmenter="none").is_trained("segmenter")
    False
    >>> Parts(tagger="none", parser="none")
    Traceback (most recent call last):
    ValueError: neither parser nor tagger: there is nothing to make a model of
    """

    segmenter: str = TRAIN
    tagger: str = TRAIN
    parser: str = TRAIN

    def __post_init__(self) -> None:
        if self.parser == NONE and self.tagger == NONE:
            raise ValueError("neither parser nor tagger: there is nothing to make a model of")

    def is_trained(self, name: str) -> bool:
        """Whether this part is to be learned from the treebank."""
        return bool(getattr(self, name) == TRAIN)

    def ready(self, name: str) -> Any:
        """The part that is taken as it is from another model, if it is one of those."""
        source = getattr(self, name)
        if source in (TRAIN, NONE):
            return None
        model = Parser.load(source)
        part = model if name == "parser" else getattr(model, name)
        if part is None:
            raise ValueError(f"{source}: this model has no {name} to take; train one, or say none")
        return part


NAMES = tuple(part.name for part in fields(Parts))
