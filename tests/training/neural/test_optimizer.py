"""Steps of AdamW, and that a network learns what it is taught."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sqrt
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import numpy as np

from dodona.training.neural.network import Dropout, Shape, new_parameters
from dodona.training.neural.optimizer import (
    AdamWSettings,
    OptimizerState,
    adamw_update,
    clipped,
    encode_with_gradient,
    learn,
    rate_at,
)
from support import tiny

pytestmark = pytest.mark.thorough  # trains networks


def teach(learning: OptimizerState, shape: Shape, adamw: AdamWSettings, n_steps: int) -> Any:
    """The losses of states and of tags in some steps, always on the same batch."""
    lesson, now = tiny.Lesson(tiny.batch(vectors=True)), learning
    arrays, walk, tags = lesson.arrays(), lesson.walk(), lesson.tags()
    found = []
    dropout = Dropout(0, 0.1, 0, 0.1)
    for _ in range(n_steps):
        seed = np.uint32(now.step)
        seen = encode_with_gradient(shape, dropout, now.parameters, arrays, tiny.PARTS, seed)
        now.parameters, now.average, now.mean, now.square, *both = learn(
            shape,
            dropout,
            adamw,
            now.parameters,
            (now.average, now.mean, now.square),
            np.float32(now.step),
            seed,
            arrays,
            walk,
            tags,
            *seen,
        )
        now.step += 1
        found.append([float(loss) for loss in both])
    return np.array(found)


def test_a_network_learns_what_it_is_taught() -> None:
    sizes, given = tiny.shape(layers=1), np.arange(12, dtype=np.float32).reshape(4, 3) / 12
    shape = replace(
        sizes,
        table_sizes=tiny.word_types(vectors=True).table_sizes,
        field_widths=(*sizes.field_widths, 3),
        fixed=(len(sizes.table_sizes),),
    )
    start, adamw = new_parameters(shape, 1, given), AdamWSettings(rate=0.02, warm=5, steps=60)
    learning, again = OptimizerState.begin(start), OptimizerState.begin(start)
    losses = teach(learning, shape, adamw, 60)
    assert (losses[-5:].mean(axis=0) < 0.6 * losses[0]).all()
    # the vectors that are given stay, and all else moves
    name = f"word.{shape.fixed[0]}"
    assert (learning.parameters[name] == given).all() and (learning.average[name] == given).all()
    moved = {n for n, v in start.items() if not np.array_equal(v, learning.parameters[n])}
    assert moved == start.keys() - {name}
    # with the same seeds, the same comes of it
    assert (teach(again, shape, adamw, 60) == losses).all()
    assert all((learning.average[n] == again.average[n]).all() for n in start)


def test_a_step_is_that_of_adamw() -> None:
    adamw, (mean, square) = AdamWSettings(rate=0.1, warm=4, steps=10, decay=0.05), (0.0, 0.0)
    value, state = 2.0, (np.full((1, 1), 2.0, np.float32), *[np.zeros((1, 1), np.float32)] * 2)
    for t, gradient in enumerate((0.3, -0.2, 0.5), 1):
        state = adamw_update(adamw, *state, np.full((1, 1), gradient, np.float32), np.float32(t))
        mean, square = 0.9 * mean + 0.1 * gradient, 0.98 * square + 0.02 * gradient**2
        change = mean / (1 - 0.9**t) / (sqrt(square / (1 - 0.98**t)) + 1e-8) + 0.05 * value
        value -= 0.1 * t / 4 * (0.99 * (1 + cos(pi * t / 10)) / 2 + 0.01) * change
        assert float(state[0][0, 0]) == pytest.approx(value, rel=1e-5)


def test_biases_do_not_decay() -> None:
    adamw, zero = AdamWSettings(decay=0.5), np.zeros(3, np.float32)
    assert (adamw_update(adamw, zero + 1, zero, zero, zero, np.float32(1))[0] == 1).all()


def test_the_rate_rises_and_falls_to_almost_nothing() -> None:
    adamw = AdamWSettings(rate=1.0, warm=10, steps=100)
    rates = [float(rate_at(adamw, np.float32(t))) for t in range(1, 121)]
    assert rates[:9] == sorted(rates[:9]) and rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[9] > 0.95 and all(rate == pytest.approx(0.01) for rate in rates[99:])


def test_gradients_are_clipped_together() -> None:
    gradients = {"a": np.array([3.0, 0.0], np.float32), "b": np.array([[4.0]], np.float32)}
    small = clipped(gradients, 1.0)
    assert np.allclose(small["a"], [0.6, 0]) and np.allclose(small["b"], 0.8)
    assert np.allclose(clipped(gradients, 10.0)["a"], gradients["a"])
