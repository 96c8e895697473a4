"""Sequences of words matched by trying everything, in plain Python without code of the package.

A node is a tuple: ("word", letters), ("all", nodes), ("any", nodes), ("times", node, least, most,
is_lazy), ("name", node, name), ("begin",) or ("end",). `most` is None without limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = tuple[Any, ...]
Named = dict[str, tuple[int, int]]
Found = tuple[int, int, Named]


def write(node: Node) -> str:
    """The pattern of a node; a word of several letters is one of them."""
    kind, *rest = node
    if kind == "word":
        return f"[form={'|'.join(rest[0])}]" if rest[0] else "[]"
    if kind == "all":
        return f"({' '.join(map(write, rest[0]))})"
    if kind == "any":
        return f"({' | '.join(map(write, rest[0]))})"
    if kind == "name":
        return f"({write(rest[0])}) as {rest[1]}"
    if kind == "times":
        inside, least, most, is_lazy = rest
        upper = "" if most is None else most
        return f"({write(inside)}){{{least},{upper}}}{'?' if is_lazy else ''}"
    return "^" if kind == "begin" else "$"


def find(node: Node, words: str) -> list[Found]:
    """The leftmost matches that do not overlap and are not empty, with their names."""
    found, start = [], 0
    while start < len(words):
        ends = ((end, named) for end, named in follow(node, words, start, {}) if end > start)
        match = next(ends, None)
        if match is None:
            start += 1
        else:
            found.append((start, *match))
            start = match[0]
    return found


def follow(node: Node, words: str, at: int, named: Named) -> Iterator[tuple[int, Named]]:
    """Every end of the node from here, the preferred first, with the names so far."""
    kind, *rest = node
    if kind == "word":
        if at < len(words) and (not rest[0] or words[at] in rest[0]):
            yield at + 1, named
    elif kind == "all":
        if not rest[0]:
            yield at, named
            return
        for end, names in follow(rest[0][0], words, at, named):
            yield from follow(("all", rest[0][1:]), words, end, names)
    elif kind == "any":
        for below in rest[0]:
            yield from follow(below, words, at, named)
    elif kind == "name":
        for end, names in follow(rest[0], words, at, named):
            yield end, {**names, rest[1]: (at, end)}
    elif kind == "times":
        yield from repeat(rest, words, at, named)
    elif at == (0 if kind == "begin" else len(words)):
        yield at, named


def repeat(times: Any, words: str, at: int, named: Named) -> Iterator[tuple[int, Named]]:
    node, least, most, is_lazy = times
    if least:
        for end, names in follow(node, words, at, named):
            rest = (node, least - 1, None if most is None else most - 1, is_lazy)
            yield from repeat(rest, words, end, names)
        return
    if is_lazy:
        yield at, named
    if most is None or most > 0:
        for end, names in follow(node, words, at, named):
            if most is not None or end > at:  # an endless repetition of nothing is no match
                rest = (node, 0, None if most is None else most - 1, is_lazy)
                yield from repeat(rest, words, end, names)
    if not is_lazy:
        yield at, named
