"""Walks through the sentences of a batch, on several threads, as arrays to learn from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dodona.core.features.corpus import Corpus
from dodona.core.network.slots import Slots
from dodona.core.parsing.actions import Actions
from dodona.core.parsing.walking import OPTIMAL, Walker
from dodona.neural.batching import Batch

BLOCK = 8  # classes are padded to a multiple of it, for the core
ROUND = 64  # rows of arrays are a multiple of it
PER_WORD = 2  # states: as many as most systems take transitions

Numbers = Any  # an array of NumPy or JAX


def padded(n: int, unit: int = BLOCK) -> int:
    """The next multiple.

    >>> padded(17), padded(16)
    (24, 16)
    """
    return -(-n // unit) * unit


def _n_processors() -> int:
    """Those that this process may use; not every system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Walks:
    """A walker for each thread; what they meet does not depend on how many there are."""

    def __init__(
        self,
        corpus: Corpus,
        actions: Actions,
        slots: Slots,
        n_words: int,
        others: Sequence[Corpus] = (),
        **options: Any,
    ) -> None:
        """`n_words` are as many as a batch has: with room for their states, JAX compiles once.
        `others` have other trees of the same sentences."""
        n = _n_processors()
        self.n_slots, self.n_atoms, self.n_classes = slots.n_slots, slots.n_atoms, actions.n_classes
        self._walkers = [Walker(corpus, actions, slots, others, **options) for _ in range(n)]
        self.n_trees = 1 + len(others)
        self._pool = ThreadPoolExecutor(n)
        self._room = padded(PER_WORD * n_words, ROUND)  # states

    def walk(
        self, batch: Batch, p: Mapping[str, Numbers], products: Numbers, salt: int, exploring: bool
    ) -> dict[str, Numbers]:
        """The states of a batch's sentences: `rows`, `atom_rows` and `verdicts`, and `state_share`,
        which is 0 behind the last of them; with other trees, what each counts in `tree_shares`."""
        numbers = [products, p["atom"], p["hidden.bias"], p["class"].T, p["class.bias"]]
        flat = [np.ascontiguousarray(x, np.float32).ravel() for x in numbers]
        n = len(batch.sentences)
        cuts = [round(i * n / len(self._walkers)) for i in range(len(self._walkers) + 1)]

        def part(i: int) -> tuple[bytes, bytes, bytes]:
            some = slice(cuts[i], cuts[i + 1])
            sentences, rows = batch.sentences[some], batch.first_rows[some]
            return self._walkers[i].walk(sentences, rows, *flat, salt, exploring)

        walked = self._pool.map(part, range(len(self._walkers)))
        found = [b"".join(parts) for parts in zip(*walked, strict=True)]
        rows, atom_rows = (np.frombuffer(data, np.int32) for data in found[:2])
        verdicts = np.frombuffer(found[2], np.uint8)
        return self._filled(
            rows.reshape(-1, self.n_slots),
            atom_rows.reshape(-1, self.n_atoms) if self.n_atoms else None,
            verdicts.reshape(-1, self.n_classes),
        )

    def _filled(
        self, rows: Numbers, atoms: Numbers | None, verdicts: Numbers
    ) -> dict[str, Numbers]:
        n = len(rows)
        if n > self._room:
            self._room = padded(int(n * 1.1), ROUND)
        room = self._room
        found = {
            "rows": np.zeros((room, self.n_slots), np.int32),
            "atom_rows": np.zeros((room, self.n_atoms), np.int32),
            "verdicts": np.zeros((room, padded(self.n_classes)), np.uint8),
            "state_share": (np.arange(room) < n).astype(np.float32),
        }
        found["rows"][:n] = rows
        if atoms is not None:
            found["atom_rows"][:n] = atoms
        found["verdicts"][:n, : self.n_classes] = verdicts
        found["verdicts"][n:, 0] = OPTIMAL
        if self.n_trees > 1:
            found["verdicts"][n:, 0] = 0xFF  # by all trees
            found["tree_shares"] = np.full(self.n_trees, 1 / self.n_trees, np.float32)
        return found
