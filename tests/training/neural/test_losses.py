"""The losses against their definitions, one word and one state at a time."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax
import numpy as np

from dodona.core.learning.rollouts import ALLOWED, BANNED, OPTIMAL
from dodona.training.neural.lookup import summed_rows
from dodona.training.neural.losses import (
    BLOCK,
    Losses,
    arc_loss,
    encode_batch,
    losses,
    state_losses,
    tag_losses,
)
from dodona.training.neural.network import Dropout, Numbers, Parameters
from support import tiny

pytestmark = pytest.mark.thorough  # trains networks


def test_the_loss_of_a_state_counts_its_optimal_classes_together() -> None:
    scores = np.array([[1.0, 2.0, 3.0, -1.0], [0.0, 5.0, 1.0, 0.5]], np.float32)
    verdicts = np.array(
        [[OPTIMAL, BANNED, ALLOWED, OPTIMAL], [BANNED, BANNED, OPTIMAL, BANNED]], np.uint8
    )
    first = -log((exp(1) + exp(-1)) / (exp(1) + exp(3) + exp(-1)))
    assert np.allclose(state_losses(scores, verdicts), [first, 0], atol=1e-6)


def test_the_loss_of_a_tag_is_its_cross_entropy_and_none_if_it_is_not_known() -> None:
    logits = np.array([[1.0, 2.0, 0.5], [0.3, 0.1, -2.0], [3.0, 1.0, 1.0]], np.float32)
    whole = exp(0.3) + exp(0.1) + exp(-2)
    found = tag_losses(logits, np.array([-1, 1, -1], np.int32))
    assert np.allclose(found, [0, log(whole) - 0.1, 0], atol=1e-6)


def test_rows_are_summed_and_their_gradients_scattered() -> None:
    random = np.random.default_rng(1)
    table = random.standard_normal((9, 4)).astype(np.float32)
    places = random.integers(9, size=(13, 3)).astype(np.int32)
    gradient = random.standard_normal((13, 4)).astype(np.float32)
    found, back = jax.vjp(lambda table: summed_rows(table, places), table)
    assert np.allclose(found, table[places].sum(axis=1), atol=1e-5)
    expected = np.zeros_like(table)
    for state, rows in enumerate(places):
        for row in rows:
            expected[row] += gradient[state]
    assert np.allclose(back(gradient)[0], expected, atol=1e-5)


@pytest.mark.parametrize("lengths", [[3, 1, 7], [BLOCK + 9, 20, BLOCK - 1]])
def test_the_loss_of_arcs_is_that_of_a_choice_among_the_words_of_the_sentence(
    lengths: list[int],
) -> None:
    shape, random = tiny.shape(), np.random.default_rng(2)
    p = tiny.parameters(shape)
    n_words, room = sum(lengths), sum(lengths) + 5
    n = random.standard_normal((room, shape.width)).astype(np.float32)
    starts = np.cumsum([0, *lengths])
    arrays = {
        "is_first": np.isin(np.arange(room), starts[:-1]) | (np.arange(room) >= n_words),
        "word_share": (np.arange(room) < n_words).astype(np.float32),
        "heads": np.full(room, -1, np.int32),
    }
    expected = 0.0
    dependents = (n @ p["arc.dependent"].T + p["arc.bias"]) * shape.arcs**-0.5
    for start, end in pairwise(starts):
        candidates = np.concatenate([n[start:end], p["arc.root"][None]]) @ p["arc.head"].T
        for word in range(start, end):
            choice = int(random.integers(-1, end - start + 1))
            arrays["heads"][word] = room if choice == end - start else start + choice
            if choice < 0:
                arrays["heads"][word] = -1
                continue
            scores = candidates @ dependents[word]
            expected += np.log(np.exp(scores).sum()) - scores[choice]
    found = jax.jit(arc_loss, static_argnums=0)(shape, p, n, arrays)
    assert np.isclose(found, expected, rtol=1e-4)


def test_a_head_farther_off_than_its_neighbours_blocks_is_not_counted() -> None:
    shape = tiny.shape()
    p, room = tiny.parameters(shape), 4 * BLOCK
    n = np.random.default_rng(4).standard_normal((room, shape.width)).astype(np.float32)
    arrays = {
        "is_first": np.arange(room) == 0,
        "word_share": np.ones(room, np.float32),
        "heads": np.full(room, -1, np.int32),
    }
    loss = jax.jit(arc_loss, static_argnums=0)
    arrays["heads"][0] = room - 1
    assert loss(shape, p, n, arrays) == 0
    arrays["heads"][0] = 2 * BLOCK - 1
    assert loss(shape, p, n, arrays) > 0


def test_losses_are_told_per_word_whatever_the_room() -> None:
    shape, dropout = tiny.shape(layers=1), Dropout(0, 0, 0, 0)
    p = tiny.parameters(shape)
    found = []
    for capacity in (tiny.BatchCapacity(1), tiny.BatchCapacity(900, 400, 1500)):
        lesson = tiny.Lesson(tiny.batch(capacity=capacity))
        arrays, given = lesson.arrays(), (lesson.walk(), lesson.tags())

        @jax.jit
        def total(p: Parameters, arrays: dict[str, Numbers], *given: Numbers) -> Losses:
            seen = encode_batch(shape, dropout, p, arrays, tiny.PARTS, {})
            return losses(shape, dropout, p, seen, arrays, *given, {})

        found.append(total(p, arrays, *given))
    assert np.allclose(*found, rtol=1e-4)
    assert all(loss > 0 for loss in found[0])
