"""The sources of a model's parts: trained, left out, or taken from another model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, overload

from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import SettingsError
from dodona.storage.container import kind
from dodona.tagging.tagger import Tagger
from dodona.training.treebanks import checksum

TRAIN, NONE = "train", "none"
NAMES = ("segmenter", "tagger", "parser")


@dataclass(frozen=True)
class PartSources:
    """The source of each part: "train", "none", or the path of a model that has it.

    A segmenter in training also learns from files of `raw` text and a list of `abbreviations`; its
    file has at most `segmenter_size` kB, unless that is 0.

    >>> PartSources(segmenter="none").is_trained("segmenter")
    False
    >>> PartSources(tagger="none", parser="none")
    Traceback (most recent call last):
    dodona.settings.SettingsError: neither parser nor tagger: there is nothing to make a model of
    """

    segmenter: str = TRAIN
    tagger: str = TRAIN
    parser: str = TRAIN
    raw: tuple[str, ...] = ()
    abbreviations: str = ""
    segmenter_size: int = 0

    def __post_init__(self) -> None:
        if self.parser == NONE and self.tagger == NONE:
            raise SettingsError("neither parser nor tagger: there is nothing to make a model of")
        if (self.raw or self.abbreviations or self.segmenter_size) and self.segmenter != TRAIN:
            raise SettingsError(
                "raw text, abbreviations and a size are for a segmenter that is trained"
            )

    def is_trained(self, name: str) -> bool:
        """Return whether a part is to be learned from the treebank."""
        return bool(getattr(self, name) == TRAIN)

    def names(self) -> dict[str, str]:
        """Return the sources by part, without the folders of models."""
        return {name: Path(getattr(self, name)).name for name in NAMES}

    def checksums(self) -> dict[str, str]:
        """Return the checksums of the models that parts are taken from, by part."""
        sources = {name: getattr(self, name) for name in NAMES}
        return {
            name: checksum([locate(source).read_bytes()])
            for name, source in sources.items()
            if source not in (TRAIN, NONE)
        }

    @overload
    def ready(self, name: Literal["segmenter"]) -> Segmenter | None: ...
    @overload
    def ready(self, name: Literal["tagger"]) -> Tagger | None: ...
    @overload
    def ready(self, name: Literal["parser"]) -> Parser | None: ...
    def ready(
        self, name: Literal["segmenter", "tagger", "parser"]
    ) -> Segmenter | Tagger | Parser | None:
        """Return the part of this name if it is taken from another model."""
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
            raise SettingsError(f"{source}: this model has no segmenter to take")
        return part


def load_tagger(path: Path, *, mapped: bool = False) -> Tagger:
    """Return the tagger in its own file or in that of a parser, with the segmenter beside it."""
    if kind(path) != "model":
        return Tagger.load(path, mapped=mapped)
    parser = Parser.load(path, mapped=mapped)
    if parser.tagger is None:
        raise SettingsError(f"{path}: this parser has no tagger; it was trained with --tags gold")
    return replace(parser.tagger, segmenter=parser.segmenter)
