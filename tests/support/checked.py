"""The costs of any system beside those of exhaustive search, counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import dodona
from reference import graph
from reference.search import LOSSES, Arc, Definition, Space
from reference.twins import all_twins
from support.states import as_core, core_states


@dataclass
class Tally:
    """How many states and costs were compared, and how they differ from the definition."""

    n_states: int = 0
    n_costs: int = 0
    n_high: int = 0
    n_low: int = 0
    n_false_zeros: int = 0
    n_stuck: int = 0  # states without a free action

    @property
    def n_wrong(self) -> int:
        return self.n_high + self.n_low

    def add(self, found: dict[Any, int], expected: dict[Any, int]) -> None:
        """The costs of one state."""
        assert found.keys() == expected.keys()
        self.n_states += 1
        self.n_costs += len(found)
        self.n_stuck += 0 not in found.values()
        for action, cost in found.items():
            self.n_high += cost > expected[action]
            self.n_low += cost < expected[action]
            self.n_false_zeros += cost == 0 < expected[action]


def compare(
    system: dodona.System, n: int, golds: Iterable[frozenset[Arc]], tally: Tally | None = None
) -> Tally:
    """The system in every reachable state of n words, for each of the gold trees or graphs."""
    tally = tally or Tally()
    for found, expected in compared(system, n, golds):
        tally.add(found, expected)
    return tally


def compared(
    system: dodona.System, n: int, golds: Iterable[frozenset[Arc]]
) -> Iterator[tuple[dict[dodona.Action, int], dict[dodona.Action, int]]]:
    """The costs of the core and those of the definition."""
    kind = all_twins()[system.name].kind
    option: Any = system.acyclic if system.builds_graphs else system.root  # type: ignore[attr-defined]
    twin = Space(kind(system.labels, option))
    loss = (graph.LOSSES if system.builds_graphs else LOSSES)[system.loss]
    pairs = [pair for pair in core_states(system, twin, n) if not twin.system.is_final(pair[0])]
    for arcs in golds:
        gold = dodona.Gold(arcs=arcs, n_words=n)
        definition = Definition(twin, arcs, loss)
        for state, core in pairs:
            expected = {as_core(a): cost for a, cost in definition.costs(state).items()}
            yield system.costs(core, gold), expected
