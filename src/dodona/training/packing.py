"""Averaged weights of several tasks, packed into a given number of bytes."""

from __future__ import annotations

from collections.abc import Sequence

from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.packing import pack

FACTOR = 1.25  # by which the least weight of a row grows until the rows fit

Learned = tuple[Weights, float]  # weights, and the steps over which they are averaged


def pack_within(parts: Sequence[Learned], least: float, n_bytes: int = 0) -> list[PackedWeights]:
    """Pack the averages of weights; drop small rows until all parts together fit into `n_bytes`.

    A row whose weights sum to less than `least` is dropped in any case (`pack`). With 0 bytes, the
    size has no limit.
    """
    while True:
        packed = [pack(weights, time, least=least) for weights, time in parts]
        if (
            not n_bytes
            or sum(map(packed_size, packed)) <= n_bytes
            or not any(some.n_rows for some in packed)
        ):
            return packed
        least *= FACTOR


def packed_size(weights: PackedWeights) -> int:
    """Return the number of bytes of packed weights in a file."""
    return len(weights.buckets_bytes()) + len(weights.rows_bytes())
