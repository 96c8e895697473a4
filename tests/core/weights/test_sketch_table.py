"""Packed weights in memory: whatever their rows are like, they are what was saved."""

import struct
from random import Random

import pytest

from dodona.core.weights.packed import PackedWeights, sums_of_rows

DENSE = 0xFFF


def padded(n: int) -> int:
    return (n + 7) // 8 * 8


def saved_row(weights: dict[int, int], n_classes: int, power: int, *, is_dense: bool) -> bytes:
    """A row as a model file has it."""
    if is_dense:
        row = bytes(weights.get(c, 0) & 0xFF for c in range(padded(n_classes)))
        return struct.pack("<H", power << 12 | DENSE) + row
    cells = (struct.pack("<Hb", c, weight) for c, weight in sorted(weights.items()))
    return struct.pack("<H", power << 12 | len(weights)) + b"".join(cells)


def saved_table(rows: dict[int, bytes]) -> tuple[bytes, bytes]:
    """The table and the rows of some keys; their high halves put no more than seven together."""
    n_buckets = len(rows) // 7 + 1
    buckets: list[list[tuple[int, int]]] = [[] for _ in range(n_buckets)]
    together = b""
    for key, row in rows.items():
        buckets[(key >> 32) * n_buckets >> 32].append((key & 0xFFFFFFFF, len(together) // 2))
        together += row + bytes(len(row) % 2)
    table = b""
    for bucket in buckets:
        places = bucket + [(0, 0)] * (8 - len(bucket))
        table += struct.pack("<8I", *(fingerprint for fingerprint, _ in places))
        table += struct.pack("<8I", *(start for _, start in places))
    return table, together + bytes(2)


@pytest.mark.parametrize("n_classes", [1, 2, 8, 9, 24, 40, 64, 65, 100, 176, 200, 600])
def test_rows_of_every_length_score_what_was_saved(n_classes: int) -> None:
    random = Random(n_classes)
    sizes = sorted({*range(min(n_classes, 40) + 1), n_classes // 12, n_classes // 8, n_classes})
    weights: dict[int, dict[int, int]] = {}
    rows: dict[int, bytes] = {}
    powers: dict[int, int] = {}
    n_buckets = 2 * len(sizes) // 7 + 1
    ways = [(size, is_dense) for size in sizes for is_dense in (False, True)]
    for number, (size, is_dense) in enumerate(ways):
        high = -(-(number // 7 << 32) // n_buckets)  # seven to a bucket
        key = high << 32 | 2 * number + 1
        chosen = sorted(random.sample(range(n_classes), size))
        weights[key] = {c: random.choice([-128, -5, 1, 127]) for c in chosen}
        powers[key] = random.randrange(4)
        rows[key] = saved_row(weights[key], n_classes, powers[key], is_dense=is_dense)
    packed = PackedWeights(n_classes, 1, *saved_table(rows))
    assert packed.n_rows == len(rows)
    for key, row in weights.items():
        expected = [row.get(c, 0) << powers[key] for c in range(n_classes)]
        assert packed.scores([key]) == expected
        assert packed.scores([key + 2**31, key, key]) == [2 * score for score in expected]


def test_what_is_saved_again_is_what_was_read() -> None:
    rows = {3: saved_row({0: 1, 9: -2}, 100, 2, is_dense=False)}
    table, together = saved_table(rows)
    packed = PackedWeights(100, 1, table, together)
    assert (packed.buckets_bytes(), packed.rows_bytes()) == (table, together)


@pytest.mark.parametrize("n_blocks", [*range(1, 27), 50])
def test_rows_are_added_alike_in_all_ways(n_blocks: int) -> None:
    random = Random(n_blocks)
    for n_rows in (0, 1, 2, 40):
        scores = [random.randrange(-9000, 9000) for _ in range(8 * n_blocks)]
        rows = [random.randbytes(8 * n_blocks) for _ in range(n_rows)]
        factors = [random.choice([-8, -4, -2, -1, 1, 2, 4, 8]) for _ in range(n_rows)]
        twin = list(scores)
        for row, factor in zip(rows, factors, strict=True):
            signed = struct.unpack(f"{len(row)}b", row)
            twin = [score + weight * factor for score, weight in zip(twin, signed, strict=True)]
        twin = [(score + 2**15) % 2**16 - 2**15 for score in twin]
        for sums in sums_of_rows(scores, rows, factors):
            assert sums == twin


def test_rows_that_are_too_short_are_refused() -> None:
    for scores, rows, factors in (
        ([0] * 8, [bytes(7)], [1]),
        ([0] * 8, [bytes(8)], []),
        ([0] * 7, [bytes(7)], [1]),
    ):
        with pytest.raises(ValueError, match="as many weights as there are scores"):
            sums_of_rows(scores, rows, factors)
