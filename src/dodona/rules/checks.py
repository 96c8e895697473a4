"""Checks of rules: each problem names the rule, so that a file's line can be found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dodona.core.base.values import show
from dodona.errors import DodonaError

MAX_LENGTH = 200  # characters of a token in a rule


class RulesError(DodonaError, ValueError):
    """A rule that cannot be applied: the key, the entry in it, and what is wrong."""

    def __init__(self, problem: str, key: str = "", entry: str | int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.key, self.entry = problem, key, entry


def strings(values: Any, key: str) -> tuple[str, ...]:
    """Return a list of strings, without repetitions."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise RulesError(f"{key} is a list of strings, not {show(values)}", key)
    found = tuple(dict.fromkeys(values))
    for value in found:
        if not isinstance(value, str):
            raise RulesError(f"{key} is a list of strings, but has {show(value)}", key)
    return found


def tokens(values: Any, key: str) -> tuple[str, ...]:
    """Return a list of tokens as they stand in a text."""
    found = strings(values, key)
    for token in found:
        check_token(token, key)
    return found


def check_token(token: Any, key: str) -> None:
    """Raise RulesError for what can be no token: empty, too long, or with the wrong spaces."""
    if not isinstance(token, str) or not token:
        raise RulesError(f"{key} has {show(token)}, which is no token", key)
    if len(token) > MAX_LENGTH:
        raise RulesError(
            f"{key} has a token of {len(token):,} characters; the longest has {MAX_LENGTH}",
            *(key, token),
        )
    if token != " ".join(token.split()):
        raise RulesError(
            f"{key} has {token!r}: inside a token there may be single spaces, but no other white "
            "space, and none at its ends",
            *(key, token),
        )


def parts(values: Any, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return a table of tokens and their parts, of which each has two or more."""
    if not isinstance(values, Mapping):
        raise RulesError(f"{key} is a table of tokens and their parts, not {show(values)}", key)
    found = []
    for token, pieces in values.items():
        check_token(token, key)
        if isinstance(pieces, str) or not isinstance(pieces, Sequence):
            raise RulesError(
                f"{key}: {token!r} needs a list of parts, not {show(pieces)}", key, token
            )
        for piece in pieces:
            if not isinstance(piece, str) or not piece or piece.split() != [piece]:
                raise RulesError(
                    f"{key}: {token!r} has the part {show(piece)}; a part is a word without white "
                    "space",
                    *(key, token),
                )
        if len(pieces) < 2:
            raise RulesError(
                f"{key}: {token!r} has {len(pieces)} part; give two or more, or list "
                "the token under whole",
                key,
                token,
            )
        found.append((token, tuple(pieces)))
    return tuple(found)


def patterns(values: Any, key: str) -> tuple[str, ...]:
    """Return a list of regular expressions."""
    found = strings(values, key)
    for pattern in found:
        try:
            re.compile(pattern)
        except re.error as error:
            raise RulesError(
                f"{key}: {pattern!r} is no regular expression: {error}", key, pattern
            ) from None
    return found


def check_distinct(**groups: Iterable[str]) -> None:
    """Raise RulesError for a token that is in two groups."""
    seen: dict[str, str] = {}
    for key, group in groups.items():
        for token in group:
            if token in seen:
                raise RulesError(
                    f"{token!r} is under both {seen[token]} and {key}; remove one of them",
                    *(key, token),
                )
            seen[token] = key
