"""The options of `Parser.pipe`, as one value."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from dodona.records import record
from dodona.settings import SettingsError

if TYPE_CHECKING:
    from dodona.parsing.given import GivenOf


@record(frozen=True)
class PipeOptions:
    """How sentences are parsed; `Parser.pipe` describes each option. None is as trained."""

    roots: str | None = None
    beam: int | None = None
    keep_tags: bool = False
    retag: bool = False
    constraints: str | None = None
    graph: bool = False
    confidence: bool = False
    given: GivenOf | None = None

    def __post_init__(self) -> None:
        if not (self.given is None or callable(self.given)):
            raise TypeError(
                "given is a function from a sentence to what is given of it; for one sentence, "
                f"parser.parse(sentence, given={type(self.given).__name__}(…))"
            )
        self.kept(())

    @property
    def is_as_trained(self) -> bool:
        """Whether the search is that of the training settings."""
        searched = self.roots, self.beam, self.constraints, self.given
        return searched == (None, None, None, None)

    def kept(self, columns: Collection[str]) -> Collection[str] | None:
        """Return which of a tagger's columns keep their values; None: nothing is tagged."""
        return kept_columns(columns, keep_tags=self.keep_tags, retag=self.retag)


def kept_columns(
    columns: Collection[str], *, keep_tags: bool, retag: bool
) -> Collection[str] | None:
    """Return which of a tagger's columns keep their values; None: nothing is tagged."""
    if keep_tags and retag:
        raise SettingsError("either keep_tags or retag: tags cannot be both kept and replaced")
    return None if keep_tags else () if retag else columns


AS_TRAINED = PipeOptions()
