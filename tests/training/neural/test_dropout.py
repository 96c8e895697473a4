"""What is left out at random."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax
import numpy as np

from dodona.training.neural.encoder import drop, is_kept, mixed, seeds_of


def test_a_share_is_left_out_and_the_others_make_up_for_it() -> None:
    x = np.ones((300, 40), np.float32)
    found = np.asarray(drop(np.uint32(3), x, 0.25))
    assert set(np.unique(found)) == {0, np.float32(1 / 0.75)}
    assert abs((found == 0).mean() - 0.25) < 0.01
    assert abs((found == 0).mean(axis=0) - 0.25).max() < 0.1  # in every column
    assert abs((found == 0).mean(axis=1) - 0.25).max() < 0.3  # … and row


def test_what_is_left_out_depends_on_the_seed_alone() -> None:
    one, same, other = (np.asarray(is_kept(np.uint32(s), 0.5, 100, 10)) for s in (1, 1, 2))
    assert (one == same).all()
    assert abs((one == other).mean() - 0.5) < 0.06


def test_nothing_is_left_out_without_a_seed_or_a_share() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (drop(None, x, 0.5) == x).all() and (drop(np.uint32(1), x, 0) == x).all()


def test_seeds_of_all_places_and_steps_differ() -> None:
    of_steps = jax.jit(jax.vmap(lambda step: seeds_of(step, 3)))(np.arange(50, dtype=np.uint32))
    found = np.concatenate([np.ravel(seeds) for seeds in of_steps.values()])
    assert len({*found}) == len(found) == 50 * 8


def test_the_hash_is_the_one_of_the_paper() -> None:
    def plain(x: int) -> int:
        x = ((x ^ x >> 16) * 0x7FEB352D) & 0xFFFFFFFF
        x = ((x ^ x >> 15) * 0x846CA68B) & 0xFFFFFFFF
        return x ^ x >> 16

    numbers = [0, 1, 2, 12345, 2**31, 2**32 - 1]
    assert [*map(int, mixed(np.array(numbers, np.uint32)))] == [*map(plain, numbers)]
