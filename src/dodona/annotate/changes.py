"""Changes to a sentence: one small record for each kind, and their form in JSON.

In JSON a change is an object with its `kind` and its fields:
`{"kind": "set-arc", "word": 3, "head": 5, "deprel": "nsubj"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from dataclasses import field as fixed
from typing import Literal, TypeAlias

from dodona.annotate.errors import ChangeError

FIELDS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc")


@dataclass(frozen=True)
class SetArc:
    """Attach a word to a head (0: the root). Without a label, the parser chooses one."""

    word: int
    head: int
    deprel: str | None = None
    kind: Literal["set-arc"] = fixed(default="set-arc", init=False)


@dataclass(frozen=True)
class ClearArc:
    """Leave the arc of a word to the parser again."""

    word: int
    kind: Literal["clear-arc"] = fixed(default="clear-arc", init=False)


@dataclass(frozen=True)
class SetField:
    """Set a column of a word, one of `FIELDS`. "_" is no value; "" leaves a tag to the parser."""

    word: int
    field: str
    value: str
    kind: Literal["set-field"] = fixed(default="set-field", init=False)


@dataclass(frozen=True)
class Confirm:
    """Agree with what is shown of some words, or of all (None): arcs and tags."""

    words: tuple[int, ...] | None = None
    kind: Literal["confirm"] = fixed(default="confirm", init=False)


@dataclass(frozen=True)
class SplitWord:
    """Replace a word by several; what depended on it depends on the first of them."""

    word: int
    forms: tuple[str, ...]
    kind: Literal["split-word"] = fixed(default="split-word", init=False)


@dataclass(frozen=True)
class MergeWords:
    """Make one word of several neighbours."""

    first: int
    last: int
    kind: Literal["merge-words"] = fixed(default="merge-words", init=False)


@dataclass(frozen=True)
class SetRange:
    """Make a multiword token of several words, or change its form."""

    first: int
    last: int
    form: str
    kind: Literal["set-range"] = fixed(default="set-range", init=False)


@dataclass(frozen=True)
class ClearRange:
    """Remove the multiword token that begins with a word; its words stay."""

    first: int
    kind: Literal["clear-range"] = fixed(default="clear-range", init=False)


@dataclass(frozen=True)
class SplitSentence:
    """Begin a new sentence with a word."""

    word: int
    kind: Literal["split-sentence"] = fixed(default="split-sentence", init=False)


@dataclass(frozen=True)
class MergeSentence:
    """Append the next sentence to this one."""

    kind: Literal["merge-sentence"] = fixed(default="merge-sentence", init=False)


@dataclass(frozen=True)
class SetComment:
    """Replace the comments of a sentence; each line begins with "#"."""

    lines: tuple[str, ...]
    kind: Literal["set-comment"] = fixed(default="set-comment", init=False)


WordChange: TypeAlias = SetArc | ClearArc | SetField | Confirm
Change: TypeAlias = (
    WordChange
    | SplitWord
    | MergeWords
    | SetRange
    | ClearRange
    | SplitSentence
    | MergeSentence
    | SetComment
)

_KINDS: dict[str, type[Change]] = {
    each.kind: each
    for each in (
        SetArc,
        ClearArc,
        SetField,
        Confirm,
        SplitWord,
        MergeWords,
        SetRange,
        ClearRange,
        SplitSentence,
        MergeSentence,
        SetComment,
    )
}


def change_from_json(data: object) -> Change:
    """Return the change that a JSON object describes; refuse unknown kinds, fields and types.

    >>> change_from_json({"kind": "set-arc", "word": 3, "head": 5, "deprel": "nsubj"})
    SetArc(word=3, head=5, deprel='nsubj', kind='set-arc')
    >>> change_from_json({"kind": "set-arc", "word": "3", "head": 5})
    Traceback (most recent call last):
    dodona.annotate.errors.ChangeError: set-arc: word is a number from 1, not '3'
    """
    if not isinstance(data, Mapping):
        raise ChangeError(f"a change is a JSON object, not {type(data).__name__}")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ChangeError(f"unknown kind of change {kind!r}; expected one of {', '.join(_KINDS)}")
    known = [each for each in fields(_KINDS[kind]) if each.init]
    if unknown := [str(name) for name in data if name not in {"kind", *(k.name for k in known)}]:
        raise ChangeError(f"{kind}: unknown fields {', '.join(unknown)}")
    values = {}
    for each in known:
        if each.name in data:
            values[each.name] = _checked(kind, each.name, data[each.name])
        elif each.default is MISSING:
            raise ChangeError(f"{kind}: {each.name} is missing")
    make: Callable[..., Change] = _KINDS[kind]
    return make(**values)


def change_to_json(change: Change) -> dict[str, object]:
    """Return a change as a JSON object.

    >>> change_to_json(ClearArc(3))
    {'word': 3, 'kind': 'clear-arc'}
    """
    return asdict(change)


def _checked(kind: str, name: str, value: object) -> object:
    """Return a field of a change with the type that it has in Python."""
    if name in ("word", "first", "last", "head"):
        least = 0 if name == "head" else 1
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ChangeError(f"{kind}: {name} is a number from {least}, not {value!r}")
        return value
    if name == "words":
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise ChangeError(f"{kind}: words are a list of numbers or null, not {value!r}")
        return tuple(_checked(kind, "word", each) for each in value)
    if name in ("forms", "lines"):
        if not isinstance(value, (list, tuple)):
            raise ChangeError(f"{kind}: {name} are a list of strings, not {value!r}")
        return tuple(_checked(kind, "value", each) for each in value)
    if value is None and name == "deprel":
        return None
    if not isinstance(value, str):
        raise ChangeError(f"{kind}: {name} is a string, not {value!r}")
    return value
