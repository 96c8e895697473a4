"""The recurrences of the network against a loop over words, values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax
import numpy as np

from dodona.training.neural import recurrence as module
from dodona.training.neural.recurrence import BLOCK, in_blocks, in_parallel, recurrence

pytestmark = pytest.mark.thorough  # trains networks

LENGTHS = (1, BLOCK, 3 * BLOCK + 5)
WAYS = (in_blocks, in_parallel)


def gates_and_inputs(n: int, width: int = 6) -> tuple[Any, Any]:
    """Random ones; some gates are closed, as at the borders of sentences."""
    random = np.random.default_rng(n)
    f = random.uniform(size=(n, width)) * (random.uniform(size=(n, 1)) > 0.1)
    return f.astype(np.float32), random.standard_normal((n, width)).astype(np.float32)


def by_loop(f: Any, g: Any, back: bool) -> Any:
    """One word after the other, in double precision."""
    n, half = len(f), f.shape[1] // 2
    h = np.zeros((n, 2 * half))
    for units, is_back in ((slice(0, half), back), (slice(half, None), not back)):
        last = np.zeros(half)
        for t in range(n)[:: -1 if is_back else 1]:
            last = h[t, units] = f[t, units] * last + g[t, units]
    return h


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_both_halves_of_the_units_run_their_way(
    way: Callable[..., Any], back: bool, n: int
) -> None:
    f, g = gates_and_inputs(n)
    found = jax.jit(way, static_argnums=2)(f, g, back)
    assert np.allclose(found, by_loop(f, g, back), atol=1e-5)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("way", WAYS)
def test_gradients_are_those_of_a_loop(
    way: Callable[..., Any], n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_run", way)
    f, g = gates_and_inputs(n)
    dh = np.random.default_rng(n + 1).standard_normal(f.shape).astype(np.float32)
    df, dg = jax.jit(lambda *fg: jax.vjp(recurrence, *fg)[1](dh))(f, g)
    half = f.shape[1] // 2
    h, reached = by_loop(f, g, False), np.zeros(f.shape)
    expected = np.zeros(f.shape)
    for units, step in ((slice(0, half), 1), (slice(half, None), -1)):
        order = range(n)[::step]
        last = np.zeros(half)  # what the next word passes back
        for t in reversed(order):
            reached[t, units] = dh[t, units] + last
            last = f[t, units] * reached[t, units]
            if 0 <= t - step < n:
                expected[t, units] = reached[t, units] * h[t - step, units]
    assert np.allclose(dg, reached, atol=1e-5)
    assert np.allclose(df, expected, atol=1e-5)
