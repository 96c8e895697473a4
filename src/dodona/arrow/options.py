"""Options of parsing record batches; they are pickled and sent to every worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from dodona.arrow.schema import LEVELS, check_level
from dodona.models import AUTO
from dodona.rules.lookup import get_rules
from dodona.rules.rules import Rules

MAX_CHARS = 10_000_000  # longer documents are refused: a column holds at most 2 GiB
if TYPE_CHECKING:
    from typing_extensions import Unpack

Keep: TypeAlias = Iterable[str] | Mapping[str, str]


@dataclass(frozen=True)
class ParseOptions:
    """The model by name or path, the columns it reads, and the rows of the output."""

    model: str
    text: str | None = "text"
    tokens: str | None = None
    keep: tuple[tuple[str, str], ...] = ()  # (column, new name)
    level: str = LEVELS[0]
    threads: int = 1
    max_chars: int = MAX_CHARS
    roots: str | None = None
    beam: int | None = None
    constraints: str | None = None
    graph: bool = False
    confidence: bool = False
    mapped: bool = False
    rules: Rules | None = None  # None: those in a file beside the model, if there are any
    default: str | None = None  # language of texts for which `auto` finds no model

    def __post_init__(self) -> None:
        check_level(self.level)
        if (self.text is None) == (self.tokens is None):
            raise ValueError("either text or tokens: one column is parsed")
        if self.model == AUTO and self.tokens:
            raise ValueError(
                f"{AUTO} identifies the language of texts, not of tokens: name the model"
            )
        if self.model == AUTO and self.rules is not None:
            raise ValueError(f"rules are for the model of one language, not for {AUTO!r}")
        if self.default is not None and self.model != AUTO:
            raise ValueError(f"default is for the model {AUTO!r}")
        if self.threads < 1:
            raise ValueError(f"at least one thread is needed, not {self.threads}")
        if self.max_chars < 1:
            raise ValueError(f"max_chars is at least 1, not {self.max_chars}")
        names = [name for _, name in self.keep]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"the column {twice[0]!r} is kept twice")

    @property
    def source(self) -> str:
        """Return the name of the column that is parsed."""
        return self.tokens or str(self.text)

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns that are read: the parsed one and the kept ones."""
        return [*dict.fromkeys((self.source, *(old for old, _ in self.keep)))]


class MapperKeywords(TypedDict, total=False):
    """Keyword arguments of `mapper` and `Mapper`; the defaults are those of `ParseOptions`."""

    text: str | None
    tokens: str | None
    keep: Keep
    level: str
    threads: int
    max_chars: int
    roots: str | None
    beam: int | None
    constraints: str | None
    graph: bool
    confidence: bool
    mapped: bool
    rules: Rules | str | Path | None
    default: str | None


def make_options(model: str | Path, **keywords: Unpack[MapperKeywords]) -> ParseOptions:
    """Make options from keyword arguments and check what can be checked without the data.

    >>> make_options("en", keep={"id": "doc_id"}).keep
    (('id', 'doc_id'),)
    """
    keep = keywords.get("keep", ())
    if isinstance(keep, str):
        raise TypeError(f"keep is a list of columns: [{keep!r}]")
    pairs = keep.items() if isinstance(keep, Mapping) else ((name, name) for name in keep)
    given: dict[str, Any] = {**keywords, "keep": tuple(pairs)}
    given["rules"] = get_rules(keywords.get("rules"))
    if keywords.get("tokens") is not None:
        given.setdefault("text", None)
    return ParseOptions(str(model), **given)
