"""Weights against plain dictionaries: what is learned, averaged, saved and packed."""

from __future__ import annotations

import struct
from collections import defaultdict
from itertools import repeat
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.packing import pack

MANY_CLASSES = 3000  # more than any treebank has labels, twice
MOST_KEYS = 256
KEY_SIZE = 64  # bits
Update = tuple[list[int], int, int, float]  # keys, good, bad, amount


def random_keys(n: int, random: Random) -> list[int]:
    return [random.getrandbits(KEY_SIZE) | 1 for _ in range(n)]


def random_updates(
    n_updates: int, n_keys: int, n_classes: int, random: Random, *, halves: bool = False
) -> list[Update]:
    """Updates with amounts that floats hold exactly, so that sums do not depend on their order."""
    keys = random_keys(n_keys, random)
    return [
        (
            random.sample(keys, random.randint(1, min(20, n_keys))),
            *random.sample(range(n_classes), 2),
            random.choice([0.5, 1.0, 0.25]) if halves else 1.0,
        )
        for _ in range(n_updates)
    ]


class Naive:
    """The averaged perceptron as it is defined: all weights of all times, added up."""

    def __init__(self) -> None:
        self.weight: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.sum: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.n_steps = 1  # before the first step all weights are zero, and count as such

    def learn(self, keys: list[int], good: int, bad: int, amount: float) -> None:
        for key in keys:
            self.weight[key, good] += amount
            self.weight[key, bad] -= amount

    def step(self) -> None:
        """One step of training is over: its weights enter the average."""
        for cell, weight in self.weight.items():
            self.sum[cell] += weight
        self.n_steps += 1

    def scores(self, keys: list[int], n_classes: int) -> list[float]:
        return [sum(self.weight.get((key, c), 0) for key in keys) for c in range(n_classes)]

    def average(self, key: int, c: int) -> float:
        return self.sum.get((key, c), 0) / self.n_steps


def trained(updates: list[Update], n_classes: int) -> tuple[Weights, Naive, float]:
    """Both after the same updates, each followed by a step without one; and the time."""
    weights, naive, time = Weights(n_classes), Naive(), 1.0
    for keys, good, bad, amount in updates:
        weights.learn(keys, good, bad, amount, time)
        naive.learn(keys, good, bad, amount)
        for _ in range(2):
            naive.step()
            time += 1
    return weights, naive, time


def cells(weights: Weights) -> dict[tuple[int, int], tuple[float, float]]:
    """{(key, class): (weight, total)} from what is saved."""
    formats = ("Q", "H", "H", "f", "d")
    parts = zip(weights.save(), formats, strict=True)
    keys, n_cells, classes, values, totals = (
        memoryview(data).cast("B").cast(format) for data, format in parts
    )
    rest = iter(zip(classes, values, totals, strict=True))
    return {
        (key, c): (value, total)
        for key, n in zip(keys, n_cells, strict=True)
        for c, value, total in (next(rest) for _ in range(n))
    }


def restored(weights: Weights) -> Weights:
    parts = zip(weights.save(), ("Q", "H", "H", "f", "d"), strict=True)
    views = [memoryview(data).cast("B").cast(format) for data, format in parts]
    return Weights.restore(weights.n_classes, *views)


# --- learning


@pytest.mark.parametrize(
    ("n_updates", "n_keys", "n_classes"),
    [(50, 5, 2), (300, 40, 9), (400, 12, 200), (300, 3, MANY_CLASSES), (1500, 20_000, 30)],
    ids=["small", "two-blocks", "many-blocks", "many-classes", "table-grows"],
)
def test_scores_equal_a_dictionary_of_weights(n_updates: int, n_keys: int, n_classes: int) -> None:
    random = Random(n_updates)
    updates = random_updates(n_updates, n_keys, n_classes, random, halves=True)
    weights, naive, _ = trained(updates, n_classes) if n_keys < 100 else fast(updates, n_classes)
    seen = sorted({key for keys, *_ in updates for key in keys})
    assert weights.n_rows == len(seen)
    for _ in range(50):
        keys = random.sample(seen, min(len(seen), 30)) + random_keys(3, random)
        assert weights.scores(keys) == naive.scores(keys, n_classes)


def fast(updates: list[Update], n_classes: int) -> tuple[Weights, Naive, float]:
    """As `trained`, without the naive average, which takes all cells at every step."""
    weights, naive = Weights(n_classes), Naive()
    for time, (keys, good, bad, amount) in enumerate(updates, 1):
        weights.learn(keys, good, bad, amount, time)
        naive.learn(keys, good, bad, amount)
    return weights, naive, len(updates) + 1


def test_keys_that_share_a_place_or_come_twice_are_each_moved() -> None:
    """Rows are looked up before the first of them is made; the table grows in the same update."""
    weights = Weights(20)
    shared = [7 << 32 | low for low in range(1, 101, 2)]  # the high half tells the place
    others = [high << 32 | 1 for high in range(8, 108)]
    for time, keys in enumerate([shared + shared, others + shared[:9] + others, others], start=1):
        weights.learn(keys, 3, 17, 1, time)
    for keys, n_times in ((shared[9:], 2), (shared[:9], 3), (others, 3)):
        for key in keys:
            expected = [0.0] * 20
            expected[3], expected[17] = n_times, -n_times
            assert weights.scores([key]) == expected
    assert weights.n_rows == len(shared) + len(others)


def test_rows_grow_past_eight_blocks_without_loss() -> None:
    weights = Weights(400)
    for c in range(400):
        weights.learn([7], c, (c + 1) % 400, c + 1, 1)
    assert weights.n_blocks() == 50
    assert weights.scores([7]) == [c + 1 - (c or 400) for c in range(400)]


@given(st.integers(0, 2**32), st.sampled_from([2, 8, 9, 60]))
def test_the_average_is_that_of_the_weights_at_every_step(seed: int, n_classes: int) -> None:
    updates = random_updates(30, 6, n_classes, Random(seed))
    weights, naive, time = trained(updates, n_classes)
    found = cells(weights)
    for cell in naive.weight:
        weight, total = found.get(cell, (0, 0))
        assert weight == naive.weight[cell]
        assert weight - total / time == pytest.approx(naive.average(*cell))


def test_saved_weights_are_restored_exactly() -> None:
    updates = random_updates(800, 60, 100, Random(3), halves=True)
    weights, _, time = fast(updates, 100)
    again = restored(weights)
    assert again.save() == weights.save()
    for keys, good, bad, amount in updates:
        for one in (weights, again):
            one.learn(keys, good, bad, amount, time)
        time += 1
    assert again.save() == weights.save()
    one, other = pack(weights, time), pack(again, time)
    assert (one.buckets_bytes(), one.rows_bytes()) == (other.buckets_bytes(), other.rows_bytes())


def test_a_block_that_went_back_to_nothing_keeps_its_place() -> None:
    """Otherwise a resumed run would pack its rows in another order."""
    weights = Weights(24)
    for time, (good, bad) in enumerate([(0, 1), (1, 0), (1, 0), (0, 1), (8, 16)], 1):
        weights.learn([5], good, bad, 1, time)
    again = restored(weights)
    for one in (weights, again):
        one.learn([5], 0, 8, 1, 6)
    assert pack(again, 7).rows_bytes() == pack(weights, 7).rows_bytes()


def test_weights_of_different_lengths_are_refused() -> None:
    weights = Weights(9)
    weights.learn([1, 3], 0, 8, 1, 1)
    parts = zip(weights.save(), ("Q", "H", "H", "f", "d"), strict=True)
    views = [memoryview(data).cast("B").cast(format) for data, format in parts]
    for i in range(5):
        short = [view[:-1] if i == j else view for j, view in enumerate(views)]
        with pytest.raises(ValueError, match="differ in length"):
            Weights.restore(9, *short)
    with pytest.raises(ValueError, match="class that does not exist"):
        Weights.restore(8, *views)


@pytest.mark.parametrize("n_classes", [-1, 0, 32_769, 100_000])
def test_a_number_of_classes_that_cannot_be_is_refused(n_classes: int) -> None:
    with pytest.raises(ValueError, match="class"):
        Weights(n_classes)


def test_keys_and_classes_that_cannot_be_are_refused() -> None:
    weights = Weights(4)
    packed = pack(weights, 1)
    for scores in (weights.scores, packed.scores):
        with pytest.raises(ValueError, match="at most 256"):
            scores([1] * (MOST_KEYS + 1))
        with pytest.raises(ValueError, match="even"):
            scores([0])
    for good, bad in [(4, 0), (0, 4), (-1, 0)]:
        with pytest.raises(IndexError, match="there are 4"):
            weights.learn([1], good, bad, 1, 1)


# --- packing


def is_rounded(packed: int, average: float, most: float, unit: float) -> bool:
    """To 127ths of the row's largest weight, or to half, a quarter, an eighth of the unit."""
    step = next(step for step in (unit / 8, unit / 4, unit / 2, unit) if most / step <= 127.5)
    too_small_for_a_cell = packed == 0 and abs(average) < unit / 4
    return too_small_for_a_cell or abs(packed * unit / 8 - average) <= step / 2 + 1e-6


@pytest.mark.parametrize(("n_keys", "n_classes"), [(10, 5), (30, 100), (4, MANY_CLASSES)], ids=str)
def test_packed_scores_are_sums_of_rounded_averages(n_keys: int, n_classes: int) -> None:
    random = Random(n_classes)
    updates = random_updates(150, n_keys, n_classes, random)
    weights, naive, time = trained(updates, n_classes)
    packed = pack(weights, time)
    most = max(abs(naive.average(*cell)) for cell in naive.weight)
    unit = most / 127
    assert packed.step == pytest.approx(unit / 8)
    seen = sorted({key for keys, *_ in updates for key in keys})
    rows = {key: packed.scores([key]) for key in seen}
    for key, row in rows.items():
        averages = [naive.average(key, c) for c in range(n_classes)]
        most = max(map(abs, averages))
        assert all(map(is_rounded, row, averages, repeat(most), repeat(unit)))
    for _ in range(20):
        keys = random.sample(seen, random.randint(1, len(seen)))
        sums = [sum(column) for column in zip(*(rows[key] for key in keys), strict=True)]
        assert packed.scores(keys + random_keys(2, random)) == sums


def test_a_full_row_of_every_class_is_packed() -> None:
    weights = Weights(MANY_CLASSES)
    for c in range(0, MANY_CLASSES, 2):
        weights.learn([9, 11], c, c + 1, 3, 0)
    assert pack(weights, 1).scores([9, 11]) == [2032, -2032] * (MANY_CLASSES // 2)


def test_keys_that_were_never_learned_score_nothing() -> None:
    weights = Weights(20)
    packed = pack(weights, 1)
    assert packed.n_rows == 0 and packed.scores([1, 3, 2**64 - 1]) == [0] * 20
    random = Random(5)
    known, unknown = random_keys(3000, random), random_keys(3000, random)
    for i in range(0, 3000, 100):
        weights.learn(known[i : i + 100], i % 20, (i + 1) % 20, 1, 1)
    packed = pack(weights, 2)
    assert packed.n_rows == 3000
    for i in range(0, 3000, 200):
        assert packed.scores(unknown[i : i + 200]) == [0] * 20


def test_pruning_drops_rows_of_less_than_the_mass_and_no_others() -> None:
    """With the largest weight 127, a row learned n times has mass 2n."""
    weights = Weights(2)
    for n in range(1, 128):
        weights.learn([2 * n + 1], 0, 1, n, 0)
    for least in (1, 2, 3, 10, 254, 255):
        packed = pack(weights, 1, least=least)
        kept = [n for n in range(1, 128) if 2 * n >= least]
        assert packed.n_rows == len(kept)
        for n in range(1, 128):
            assert packed.scores([2 * n + 1]) == ([8 * n, -8 * n] if n in kept else [0, 0])


# --- damage


def test_a_packed_table_is_what_its_bytes_say() -> None:
    weights, _, time = fast(random_updates(100, 50, 30, Random(1)), 30)
    packed = pack(weights, time)
    again = PackedWeights(30, packed.step, packed.buckets_bytes(), packed.rows_bytes())
    assert again.n_rows == packed.n_rows
    for key in cells(weights):
        assert again.scores([key[0]]) == packed.scores([key[0]])


@given(st.integers(0, 2**32), st.sampled_from([1, 8, 30, 300]))
def test_damaged_bytes_are_refused_or_answer_within_bounds(seed: int, n_classes: int) -> None:
    """Under `make sanitize` a read outside the table would end the run."""
    random = Random(seed)
    keys = random_keys(60, random)
    weights = Weights(max(n_classes, 2))
    for key in keys:
        for _ in range(random.choice([1, 2, 40])):
            weights.learn([key], *random.sample(range(weights.n_classes), 2), 1, 1)
    packed = pack(weights, 2)
    buckets, rows = bytearray(packed.buckets_bytes()), bytearray(packed.rows_bytes())
    for data in (buckets, rows):
        for _ in range(random.choice([0, 1, 1, 3])):
            data[random.randrange(len(data))] = random.getrandbits(8)
    rows = rows[: random.choice([len(rows), random.randrange(len(rows))])]
    try:
        packed = PackedWeights(n_classes, 1, bytes(buckets), bytes(rows))
    except ValueError:
        return
    assert all(len(packed.scores([key])) == n_classes for key in keys)


def small_table() -> tuple[bytearray, bytes]:
    """One feature with weights for the classes 0 and 19 of 20; its row is the first."""
    weights = Weights(20)
    weights.learn([3], 0, 19, 1, 0)
    packed = pack(weights, 1)
    assert packed.scores([3]) == [1016, *[0] * 18, -1016]
    return bytearray(packed.buckets_bytes()), packed.rows_bytes()


def test_a_row_outside_the_table_is_refused() -> None:
    buckets, rows = small_table()
    for n_bytes in range(8):
        with pytest.raises(ValueError, match="outside the table or the classes"):
            PackedWeights(20, 1, bytes(buckets), rows[:n_bytes])
    for row in (len(rows) // 2, 2**31, 2**32 - 1):
        struct.pack_into("<I", buckets, 32, row)
        with pytest.raises(ValueError, match="outside the table or the classes"):
            PackedWeights(20, 1, bytes(buckets), rows)


def test_a_row_with_a_class_that_does_not_exist_is_refused() -> None:
    buckets, rows = small_table()
    with pytest.raises(ValueError, match="outside the table or the classes"):
        PackedWeights(8, 1, bytes(buckets), rows)


def test_a_table_without_an_empty_slot_is_refused() -> None:
    """A search for what is not there would never end."""
    full = struct.pack("<16I", *[1] * 8, *[0] * 8)
    for buckets in (b"", full, full * 3):
        with pytest.raises(ValueError, match="no empty slot"):
            PackedWeights(8, 1, buckets, bytes(8))


@pytest.mark.parametrize("n_classes", [0, -8, 32_001, 2**31 - 1])
def test_a_number_of_classes_out_of_bounds_is_refused(n_classes: int) -> None:
    """Rounding them up to whole blocks must not overflow."""
    buckets, rows = small_table()
    for make in (Weights, lambda n: PackedWeights(n, 1, bytes(buckets), rows)):
        with pytest.raises(ValueError, match=r"at least one class|at most 32000 are possible"):
            make(n_classes)


def test_a_table_that_is_not_aligned_is_refused() -> None:
    with pytest.raises(ValueError, match="not aligned"):
        PackedWeights(8, 1, memoryview(bytes(65))[1:], b"")
