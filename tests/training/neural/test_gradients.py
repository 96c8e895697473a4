"""The gradient of the whole loss against differences, in double precision, for every parameter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax
import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS
from dodona.training.neural.encoder import seeds_of
from dodona.training.neural.losses import encode_batch, losses
from dodona.training.neural.network import Dropout, Numbers, Parameters
from dodona.training.neural.rollouts import used_rows
from support import tiny

pytestmark = pytest.mark.thorough  # trains networks

STEP = 1e-6


@pytest.fixture
def double() -> Iterator[None]:
    """Let JAX compute in double precision."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("tells_used", [False, True], ids=["all rows", "used rows"])
def test_gradients_are_what_small_steps_tell(tells_used: bool) -> None:
    shape, dropout = tiny.shape(), Dropout(0.2, 0.2, 0.2, 0.2)
    lesson = tiny.Lesson(tiny.batch())
    arrays, walk, tags = lesson.arrays(), lesson.walk(), lesson.tags()
    if tells_used:
        walk |= used_rows(walk["rows"], lesson.room + N_SPECIAL_ROWS, [20, 19, 25])
        assert "used" in walk
    parameters = {name: value.astype(np.float64) for name, value in tiny.parameters(shape).items()}

    @jax.jit
    def total(p: Parameters) -> Numbers:
        seeds = seeds_of(np.uint32(5), shape.layers)
        seen = encode_batch(shape, dropout, p, arrays, tiny.PARTS, seeds)
        found = losses(shape, dropout, p, seen, arrays, walk, tags, seeds)
        return found.states + 0.7 * found.tags + 0.3 * found.arcs

    gradients = jax.jit(jax.grad(total))(parameters)
    random = np.random.default_rng(6)
    for name, value in parameters.items():
        way = random.standard_normal(value.shape)
        before, after = (total({**parameters, name: value + sign * STEP * way}) for sign in (-1, 1))
        expected = float(after - before) / (2 * STEP)
        found = float(np.vdot(np.asarray(gradients[name]), way))
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-8), name
        assert expected != 0, f"{name} has no part in the loss"
