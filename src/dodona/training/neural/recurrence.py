"""Gated linear recurrences in JAX: h[t] = f[t]·h[t-1] + g[t] for one half of the units, and
h[t] = f[t]·h[t+1] + g[t] for the other.

The sentences of a batch lie one after the other, and f is 0 where one begins (for the other half:
where it ends). A gate with no matrix in the recurrence (Martin & Cundy 2018) makes it linear: parts
of it can be computed side by side and joined later, and its gradient is the same recurrence the
other way round.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Numbers = Any  # an array of JAX

BLOCK = 32  # words


def _recurrence(f: Numbers, g: Numbers) -> Numbers:
    """h of all words: the left half of the units from left to right, the right half back."""
    return _run(f, g, back=False)


recurrence: Any = jax.custom_vjp(_recurrence)


def _forward(f: Numbers, g: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    h = _recurrence(f, g)
    return h, (f, h)


def _backward(kept: tuple[Numbers, Numbers], dh: Numbers) -> tuple[Numbers, Numbers]:
    f, h = kept
    # what reaches h[t] is its own share, and what h[t+1] passes back through its gate
    dg = _run(_shifted(f, -1), dh, back=True)
    return dg * _shifted(h, 1), dg


recurrence.defvjp(_forward, _backward)


def _shifted(x: Numbers, by: int) -> Numbers:
    """The numbers of the word before (1) or after (-1); for the right half, as it runs back, of the
    word after or before."""
    half = x.shape[1] // 2
    zero = jnp.zeros_like(x[:1, :half])
    left = [zero, x[:-1, :half]], [x[1:, :half], zero]
    right = [x[1:, half:], zero], [zero, x[:-1, half:]]
    which = by < 0
    return jnp.concatenate([jnp.concatenate(left[which]), jnp.concatenate(right[which])], axis=1)


def _run(f: Numbers, g: Numbers, back: bool) -> Numbers:
    """The recurrence, as suits the machine; `back`: each half the other way."""
    way = in_blocks if jax.default_backend() == "cpu" else in_parallel
    return way(f, g, back)


def in_parallel(f: Numbers, g: Numbers, back: bool) -> Numbers:
    """All words at once, in log(words) rounds: for GPUs. On a CPU it takes seconds to compile."""
    half = f.shape[1] // 2
    left, right = (f[:, :half], g[:, :half]), (f[:, half:], g[:, half:])
    scan = jax.lax.associative_scan
    return jnp.concatenate(
        [scan(_join, left, reverse=back)[1], scan(_join, right, reverse=not back)[1]], axis=1
    )


def _join(before: tuple[Numbers, Numbers], after: tuple[Numbers, Numbers]) -> Any:
    """Two stretches as one: its gates multiplied, and its last h if it starts from nothing."""
    return before[0] * after[0], after[0] * before[1] + after[1]


def in_blocks(f: Numbers, g: Numbers, back: bool) -> Numbers:
    """Word by word in all blocks side by side, then what each block hands to the next: for CPUs.

    Both halves of the units go through their blocks in one loop, from either end.
    """
    (n, width), half = f.shape, f.shape[1] // 2
    f, g = (_blocks(x) for x in (f, g))
    ways = (0, back), (half, not back)  # the first unit of each half, and whether it runs back

    def word(i: Numbers, kept: Any) -> Any:
        gates, own, stretches = kept
        after = []
        for (unit, is_back), stretch in zip(ways, stretches, strict=True):
            at = 0, BLOCK - 1 - i if is_back else i, unit
            here = (jax.lax.dynamic_slice(x, at, (len(f), 1, half)) for x in (f, g))
            after.append(_join(stretch, tuple(here)))
            gates = jax.lax.dynamic_update_slice(gates, after[-1][0], at)
            own = jax.lax.dynamic_update_slice(own, after[-1][1], at)
        return gates, own, after

    nothing = jnp.ones((len(f), 1, half), f.dtype), jnp.zeros((len(f), 1, half), f.dtype)
    start = jnp.zeros_like(f), jnp.zeros_like(g), [nothing, nothing]
    gates, own, stretches = jax.lax.fori_loop(0, BLOCK, word, start)
    handed = [_handed(gate, h, way[1]) for (gate, h), way in zip(stretches, ways, strict=True)]
    return (own + gates * jnp.concatenate(handed, axis=2)).reshape(-1, width)[:n]


def _blocks(x: Numbers) -> Numbers:
    """Words in blocks; the last is filled up."""
    filled = jnp.pad(x, ((0, -x.shape[0] % BLOCK), (0, 0)))
    return filled.reshape(-1, BLOCK, x.shape[1])


def _handed(gates: Numbers, last: Numbers, is_back: bool) -> Numbers:
    """What each block is handed by the one before it."""

    def block(handed: Numbers, stretch: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
        return stretch[0] * handed + stretch[1], handed

    return jax.lax.scan(block, jnp.zeros_like(last[0]), (gates, last), reverse=is_back)[1]
