"""Rollouts through the sentences of a batch, on several threads, as arrays to learn from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dodona.core.features.corpus import Corpus
from dodona.core.learning.rollouts import N_SPECIAL_ROWS, OPTIMAL, RolloutRecorder
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.training.neural.batching import Batch
from dodona.training.neural.network import Numbers

BLOCK = 8  # the core pads classes to a multiple of it
UNIT = 4  # hidden units are a multiple of it
ROUND = 64  # arrays have a multiple of it rows
SPARE = 1.25  # capacity for rows in a slot, relative to the oracle's
STATE_PARAMETERS = ("atom", "hidden.bias", "class", "class.bias")  # of the scores of states
PER_WORD = 2  # states: the number of transitions of most systems


def padded(n: int, unit: int = BLOCK) -> int:
    """Return the next multiple of `unit`.

    >>> padded(17), padded(16)
    (24, 16)
    """
    return -(-n // unit) * unit


def _cuts(batch: Batch, n: int) -> list[int]:
    """Return where to cut a batch into n parts with about equally many words."""
    shares = np.arange(1, n) * len(batch.words) / n + N_SPECIAL_ROWS
    cuts: Numbers = np.searchsorted(batch.first_rows, shares)
    return [0, *cuts.tolist(), len(batch.sentences)]


class Rollouts:
    """Rollouts on several threads, whose number does not change the states."""

    def __init__(
        self,
        corpus: Corpus,
        actions: Actions,
        slots: Slots,
        n_words: int,
        others: Sequence[Corpus] = (),
        used_shares: Sequence[float] = (),
        **options: Any,
    ) -> None:
        """Prepare rollouts through a corpus.

        Arrays have a capacity for the states of `n_words` words, so that JAX compiles once.
        `others` have other trees of the same sentences. With `used_shares`, the share of rows in
        each slot, rollouts list the rows that are used.
        """
        # the processors that this process may use, or all
        n = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        self.n_slots, self.n_atoms, self.n_classes = slots.n_slots, slots.n_atoms, actions.n_classes
        recorders = (RolloutRecorder(corpus, actions, slots, others, **options) for _ in range(n))
        self._recorders = list(recorders)
        self.n_trees = 1 + len(others)
        self._pool = ThreadPoolExecutor(n)
        self._capacity = padded(PER_WORD * n_words, ROUND)  # states
        self._used_shares = used_shares  # of rows, per slot

    def run(
        self, batch: Batch, p: Mapping[str, Numbers], products: Numbers, salt: int, exploring: bool
    ) -> dict[str, Any]:
        """Return the states of a batch's sentences: `rows`, `atom_rows`, `verdicts`, and
        `state_share`, which is 0 for padding; with other trees, their weights in `tree_shares`; and
        the rows that are used (see `lookup.slot_sums`)."""
        numbers = [products, p["atom"], p["hidden.bias"], p["class"].T, p["class.bias"]]
        flat = [np.ascontiguousarray(x, np.float32).ravel() for x in numbers]
        cuts = _cuts(batch, len(self._recorders))

        def part(i: int) -> tuple[bytes, bytes, bytes]:
            some = slice(cuts[i], cuts[i + 1])
            sentences, rows = batch.sentences[some], batch.first_rows[some]
            return self._recorders[i].roll_out(sentences, rows, *flat, salt, exploring)

        results = self._pool.map(part, range(len(self._recorders)))
        found = [b"".join(pieces) for pieces in zip(*results, strict=True)]
        rows = np.frombuffer(found[0], np.int32).reshape(-1, self.n_slots)
        return self._filled(rows, found[1], found[2], len(products))

    def _filled(self, rows: Numbers, atoms: bytes, verdicts: bytes, n_rows: int) -> dict[str, Any]:
        """Return the arrays of all states, padded to the capacity."""
        n = len(rows)
        if n > self._capacity:
            self._capacity = padded(int(n * 1.1), ROUND)
        capacity = self._capacity
        found = {
            "rows": np.zeros((capacity, self.n_slots), np.int32),
            "atom_rows": np.zeros((capacity, self.n_atoms), np.int32),
            "verdicts": np.zeros((capacity, padded(self.n_classes)), np.uint8),
            "state_share": (np.arange(capacity) < n).astype(np.float32),
        }
        found["rows"][:n] = rows
        if self.n_atoms:
            found["atom_rows"][:n] = np.frombuffer(atoms, np.int32).reshape(-1, self.n_atoms)
        by_class = np.frombuffer(verdicts, np.uint8).reshape(-1, self.n_classes)
        found["verdicts"][:n, : self.n_classes] = by_class
        found["verdicts"][n:, 0] = OPTIMAL
        if self._used_shares:
            of_slots = [padded(int(share * n_rows), ROUND) for share in self._used_shares]
            found |= used_rows(found["rows"], n_rows, [min(n, n_rows) for n in of_slots])
        if self.n_trees > 1:
            found["verdicts"][n:, 0] = 0xFF  # optimal by all trees
            found["tree_shares"] = np.full(self.n_trees, 1 / self.n_trees, np.float32)
        return found


def used_rows(rows: Numbers, n_rows: int, capacities: Sequence[int]) -> dict[str, Any]:
    """Return `used`, the rows in each slot in any state, and their `positions` for each state.

    Each slot has a fixed capacity, since JAX would compile anew for other sizes. If a slot has more
    rows, the result is empty: all rows count as used.

    >>> used_rows(np.array([[5, 0], [3, 0], [5, 0]]), 6, [3, 1])
    {'used': (array([3, 5, 0], dtype=int32), array([0], dtype=int32)), 'positions': array([[1, 3],
           [0, 3],
           [1, 3]])}
    """
    used: list[Numbers] = []
    positions, first = np.empty_like(rows), 0
    for slot, capacity in enumerate(capacities):
        is_used: Numbers = np.zeros(n_rows, bool)
        is_used[rows[:, slot]] = True
        those = np.flatnonzero(is_used)
        if len(those) > capacity:
            return {}
        positions[:, slot] = first + (np.cumsum(is_used) - 1)[rows[:, slot]]
        used.append(np.zeros(capacity, np.int32))
        used[-1][: len(those)] = those
        first += capacity
    return {"used": tuple(used), "positions": positions}


def without_scores(recorder: RolloutRecorder, actions: Actions, n_rows: int) -> list[Numbers]:
    """Return the arrays of a network whose scores are all 0, for `roll_out`; `n_rows` are those of
    words and special nodes."""
    n_units, n_classes = UNIT, padded(actions.n_classes)
    n_products = n_rows * recorder.slots.n_slots * n_units
    sizes = n_products, recorder.n_atom_rows * n_units, n_units, n_units * n_classes, n_classes
    return [np.zeros(size, np.float32) for size in sizes]


def used_shares(
    corpus: Corpus, actions: Actions, slots: Slots, sentences: Sequence[int]
) -> list[float]:
    """Return the share of words in each slot of the oracle's states, with a margin for the states
    that only a network reaches."""
    recorder = RolloutRecorder(corpus, actions, slots, mode="ambiguity")
    lengths = [len(corpus.heads(i)) for i in sentences]
    first_rows = np.cumsum([N_SPECIAL_ROWS, *lengths])
    n_rows = int(first_rows[-1])
    nothing = without_scores(recorder, actions, n_rows)
    data, _, _ = recorder.roll_out(sentences, first_rows[:-1], *nothing, 1, False)
    rows = np.frombuffer(data, np.int32).reshape(-1, slots.n_slots)
    return [len(np.unique(rows[:, slot])) / n_rows * SPARE for slot in range(slots.n_slots)]
