"""Which parts a model for raw text has, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from dodona.learning.treebanks import checksum
from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.segmentation.lexicon_learning import Sources
from dodona.segmentation.segmenter import Segmenter
from dodona.storage.container import kind
from dodona.tagging.tagger import Tagger

TRAIN, NONE = "train", "none"
NAMES = ("segmenter", "tagger", "parser")


@dataclass(frozen=True)
class Parts:
    """Where each part comes from: "train", "none", or the path of a model that has it.

    A segmenter that is trained learns also from `raw` text and a list of `abbreviations`, files
    that are named here.

    >>> Parts(segmenter="none").is_trained("segmenter")
    False
    >>> Parts(tagger="none", parser="none")
    Traceback (most recent call last):
    ValueError: neither parser nor tagger: there is nothing to make a model of
    """

    segmenter: str = TRAIN
    tagger: str = TRAIN
    parser: str = TRAIN
    raw: tuple[str, ...] = ()
    abbreviations: str = ""

    def __post_init__(self) -> None:
        if self.parser == NONE and self.tagger == NONE:
            raise ValueError("neither parser nor tagger: there is nothing to make a model of")
        if (self.raw or self.abbreviations) and self.segmenter != TRAIN:
            raise ValueError("raw text and abbreviations are for a segmenter that is trained")

    @property
    def sources(self) -> Sources:
        """What the segmenter learns from beside the treebank."""
        return Sources(self.raw, self.abbreviations)

    def is_trained(self, name: str) -> bool:
        """Whether this part is to be learned from the treebank."""
        return bool(getattr(self, name) == TRAIN)

    def names(self) -> dict[str, str]:
        """The same without the folders that models are in."""
        return {name: Path(getattr(self, name)).name for name in NAMES}

    def checksums(self) -> dict[str, str]:
        """Of the models that parts are taken from, by part."""
        sources = {name: getattr(self, name) for name in NAMES}
        return {
            name: checksum([locate(source).read_bytes()])
            for name, source in sources.items()
            if source not in (TRAIN, NONE)
        }

    def ready(self, name: str) -> Any:
        """The part that is taken as it is from another model, if it is one of those."""
        source = getattr(self, name)
        if source in (TRAIN, NONE):
            return None
        path = locate(source)
        if name == "parser":
            return Parser.load(path)
        if name == "tagger":
            return load_tagger(path)
        if kind(path) == "segmenter":
            return Segmenter.load(path)
        part = (Parser if kind(path) == "model" else Tagger).load(path).segmenter
        if part is None:
            raise ValueError(f"{source}: this model has no segmenter to take")
        return part


def load_tagger(path: Path, *, mapped: bool = False) -> Tagger:
    """The tagger in its own file or in that of a parser, with the segmenter beside it."""
    if kind(path) != "model":
        return Tagger.load(path, mapped=mapped)
    parser = Parser.load(path, mapped=mapped)
    if parser.tagger is None:
        raise ValueError(f"{path}: this parser has no tagger; it was trained with --tags gold")
    return cast(Tagger, replace(parser.tagger, segmenter=parser.segmenter))
