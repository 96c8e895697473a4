"""Compilation of a tree pattern for the matcher."""

from __future__ import annotations

import re
from collections.abc import Callable

from dodona.query.language import COLUMNS, SIGNS, PatternError, PatternWord, Value, WordRelation
from dodona.query.matcher import VALUE_KINDS, Matcher

ANYWHERE = len(SIGNS)  # the sign of the first word


class TreeProgram:
    """A pattern as flat lists for the matcher, with nodes in the order of the search."""

    def __init__(self, text: str, word: PatternWord, regexes: bool) -> None:
        self.text, self.regexes = text, regexes
        self.values: list[tuple[int, bytes]] = []
        self.predicates: list[Callable[[str], bool]] = []
        self.tests: list[tuple[int, bytes, int, int, bool]] = []
        self.nodes: list[tuple[int, int, int, int, int, int, int]] = []
        self.groups: list[tuple[int, int, list[int]]] = []
        self.name_places: dict[str, int] = {}
        self._add_group(WordRelation("", (), False, word), -1, self.name_places)

    def matcher(self) -> Matcher:
        return Matcher(self.values, self.predicates, self.tests, self.nodes, self.groups)

    def _add_group(self, relation: WordRelation, anchor: int, names: dict[str, int]) -> int:
        """Add a group of nodes that must all match, and the groups below it that must not."""
        number, first, absent = len(self.groups), len(self.nodes), list[int]()
        self.groups.append((first, first, absent))
        negated = self._add(relation, anchor, names)
        self.groups[number] = (first, len(self.nodes), absent)
        for position, relation in negated:
            # names are local to a negated group, which also sees the outer ones
            absent.append(self._add_group(relation, position, {**names}))
        return number

    def _add(
        self, relation: WordRelation, anchor: int, names: dict[str, int]
    ) -> list[tuple[int, WordRelation]]:
        """Add a node and its required relations; return the negated relations."""
        node, position, first = relation.target, len(self.nodes), len(self.tests)
        sign = SIGNS.index(relation.sign) if relation.sign else ANYWHERE
        same_as = names.setdefault(node.name, position) if node.name else position
        for test in node.conditions:
            column, values = COLUMNS.index(test.column), self._add_values(test.values)
            self.tests.append((column, test.name.encode(), *values, test.is_negated))
        tests = first, len(self.tests)
        self.nodes.append((*tests, sign, anchor, *self._add_values(relation.labels), same_as))
        negated = [(position, below) for below in node.relations if below.is_negated]
        for below in node.relations:
            if not below.is_negated:
                negated += self._add(below, position, names)
        return negated

    def _add_values(self, values: tuple[Value, ...]) -> tuple[int, int]:
        first = len(self.values)
        for value in values:
            if value.kind == "regex":
                self.predicates.append(self._predicate(value.text))
            self.values.append((VALUE_KINDS.index(value.kind), value.text.encode()))
        return first, len(self.values)

    def _predicate(self, regex: str) -> Callable[[str], bool]:
        if not self.regexes:
            raise PatternError(self.text, 0, "regular expressions are not allowed here")
        match = re.compile(regex).fullmatch
        return lambda text: match(text) is not None
