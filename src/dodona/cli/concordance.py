"""Matches of patterns as lines: sentences, key words in context, JSON."""

import json
from typing import Any, NamedTuple

from dodona.query.language import COLUMNS
from dodona.query.match import Match

Marks = tuple[str, str]  # before and after a matched word


def describe(match: Match, marks: Marks = ("[", "]")) -> str:
    """Return the location of a match, and its sentence with the words marked.

    >>> from dodona import Pattern, Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak", "!"], misc=["_", "SpaceAfter=No", "_"])
    >>> describe(Pattern("form=speak").matches(oaks)[0])
    '<memory>:1: Oaks [speak]!'
    """
    text = _text(match, 1, len(match.sentence), marks)
    return f"{where(match)}: {text.rstrip()}"


def where(match: Match) -> str:
    """Return the file and line of a match."""
    return f"{match.sentence.source}:{match.sentence.line}"


class Context(NamedTuple):
    """A key word, or a sequence of them, with the text to its left and right."""

    left: str
    match: str
    right: str


def in_context(match: Match, is_sequence: bool, marks: Marks = ("[", "]")) -> Context:
    """Return a match in its sentence: the words of a sequence, or the first word of a tree.

    Other words of a tree are marked.

    >>> from dodona import Pattern, Sentence
    >>> oaks = Sentence.from_columns(["Old", "oaks", "speak"], heads=[2, 3, 0])
    >>> in_context(Pattern("form=oaks < *").matches(oaks)[0], False)
    Context(left='Old', match='oaks', right='[speak]')
    """
    ids = match.ids if is_sequence else match.ids[:1]
    first, last = min(ids), max(ids)
    parts = [(1, first - 1, marks), (first, last, ("", "")), (last + 1, len(match.sentence), marks)]
    return Context(*(_text(match, *part).strip() for part in parts))


def show_in_context(match: Match, is_sequence: bool, width: int, marks: Marks) -> str:
    """Return a line of a concordance, with at most `width` columns on each side of the match.

    The location comes last, so that the matches of all lines stand below each other.
    """
    from rich.cells import cell_len, set_cell_size

    left, key, right = in_context(match, is_sequence)
    while cell_len(left) > width:
        left = left[cell_len(left) - width if left.isascii() else 1 :]
    padding = " " * (width - cell_len(left))
    right = set_cell_size(right, width).rstrip() if cell_len(right) > width else right
    return f"{padding}{left}  {marks[0]}{key}{marks[1]}  {right}\t{where(match)}"


def to_json(match: Match, context: Context | None = None) -> str:
    """Return a match, or its context if given, as a JSON object."""
    sentence = match.sentence
    found: dict[str, Any] = {
        "file": sentence.source,
        "line": sentence.line,
        "sent_id": sentence.sent_id,
    }
    if context is not None:
        return json.dumps(found | context._asdict(), ensure_ascii=False)
    names = {word.id: name for name in match.names for word in match.words_of(name)}
    found["text"] = sentence.text
    found["words"] = [
        {"name": names.get(word.id), **{key: getattr(word, key) for key in COLUMNS}}
        for word in match
    ]
    return json.dumps(found, ensure_ascii=False)


def _text(match: Match, first: int, last: int, marks: Marks) -> str:
    """Return the tokens from one word to another, with those of the match marked."""
    ids = set(match.ids)
    pieces = []
    for token in match.sentence.tokens:
        if token.last < first or token.first > last:
            continue
        is_found = not ids.isdisjoint(range(token.first, token.last + 1))
        pieces += [marks[0], token.form, marks[1]] if is_found else [token.form]
        pieces.append(" " * token.space_after)
    return "".join(pieces).replace("\n", " ")
