"""Gated linear recurrences in JAX: h[t] = f[t]·h[t-1] + g[t] for one half of the units, and
h[t] = f[t]·h[t+1] + g[t] for the other.

The sentences of a batch are concatenated, and f is 0 where one begins (for the other half, where it
ends). Gates without a recurrent matrix (Martin & Cundy 2018) make the recurrence linear: segments
can be computed in parallel and joined, and the gradient is the same recurrence in the opposite
direction.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Numbers = Any  # an array of JAX

BLOCK = 32  # words


def _recurrence(f: Numbers, g: Numbers) -> Numbers:
    """Return h of all words: the left half of the units run forward, the right half backward."""
    return _run(f, g, back=False)


recurrence: Any = jax.custom_vjp(_recurrence)


def _forward(f: Numbers, g: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    h = _recurrence(f, g)
    return h, (f, h)


def _backward(kept: tuple[Numbers, Numbers], dh: Numbers) -> tuple[Numbers, Numbers]:
    f, h = kept
    # the gradient of h[t] is its own, and that of h[t+1] through its gate
    dg = _run(_shifted(f, -1), dh, back=True)
    return dg * _shifted(h, 1), dg


recurrence.defvjp(_forward, _backward)


def _shifted(x: Numbers, by: int) -> Numbers:
    """Shift the left half to the word before (1) or after (-1), and the right half, which runs
    backward, to the word after or before."""
    half = x.shape[1] // 2
    zero = jnp.zeros_like(x[:1, :half])
    left = [zero, x[:-1, :half]], [x[1:, :half], zero]
    right = [x[1:, half:], zero], [zero, x[:-1, half:]]
    which = by < 0
    return jnp.concatenate([jnp.concatenate(left[which]), jnp.concatenate(right[which])], axis=1)


def _run(f: Numbers, g: Numbers, back: bool) -> Numbers:
    """Run the recurrence as suits the device; with `back`, in the opposite direction."""
    run = in_blocks if jax.default_backend() == "cpu" else in_parallel
    return run(f, g, back)


def in_parallel(f: Numbers, g: Numbers, back: bool) -> Numbers:
    """Run over all words in parallel, for GPUs: each of log(words) rounds joins the segment that
    ends at a word with the one before it, of the same length (Hillis & Steele 1986)."""
    by = 1
    while by < len(f):
        f, g = _join((_moved(f, by, back), _moved(g, by, back)), (f, g))
        by *= 2
    return g


def _moved(x: Numbers, by: int, back: bool) -> Numbers:
    """Move the left half of the units to later words and the right half to earlier ones, or the
    opposite with `back`; what is moved in is 0."""
    half, zero = x.shape[1] // 2, jnp.zeros((by, x.shape[1] // 2), x.dtype)
    later = slice(0, half) if not back else slice(half, None)
    earlier = slice(half, None) if not back else slice(0, half)
    moved = [
        jnp.concatenate([zero, x[:-by, later]]),
        jnp.concatenate([x[by:, earlier], zero]),
    ]
    return jnp.concatenate(moved[::-1] if back else moved, axis=1)


def _join(before: tuple[Numbers, Numbers], after: tuple[Numbers, Numbers]) -> Any:
    """Join two segments: the product of their gates, and the last h after a start from 0."""
    return before[0] * after[0], after[0] * before[1] + after[1]


def in_blocks(f: Numbers, g: Numbers, back: bool) -> Numbers:
    """Run word by word in all blocks in parallel, then pass h from block to block, for CPUs.

    One loop serves both halves of the units, from either end of the blocks.
    """
    (n, width), half = f.shape, f.shape[1] // 2
    f, g = (_blocks(x) for x in (f, g))
    directions = (0, back), (half, not back)  # first unit of each half, and whether it runs back

    def word(i: Numbers, kept: Any) -> Any:
        gates, own, segments = kept
        after = []
        for (unit, is_back), segment in zip(directions, segments, strict=True):
            at = 0, BLOCK - 1 - i if is_back else i, unit
            here = (jax.lax.dynamic_slice(x, at, (len(f), 1, half)) for x in (f, g))
            after.append(_join(segment, tuple(here)))
            gates = jax.lax.dynamic_update_slice(gates, after[-1][0], at)
            own = jax.lax.dynamic_update_slice(own, after[-1][1], at)
        return gates, own, after

    nothing = jnp.ones((len(f), 1, half), f.dtype), jnp.zeros((len(f), 1, half), f.dtype)
    start = jnp.zeros_like(f), jnp.zeros_like(g), [nothing, nothing]
    gates, own, segments = jax.lax.fori_loop(0, BLOCK, word, start)
    passed = [
        _passed_on(gate, h, where[1]) for (gate, h), where in zip(segments, directions, strict=True)
    ]
    return (own + gates * jnp.concatenate(passed, axis=2)).reshape(-1, width)[:n]


def _blocks(x: Numbers) -> Numbers:
    """Return words in blocks, the last of which is padded."""
    filled = jnp.pad(x, ((0, -x.shape[0] % BLOCK), (0, 0)))
    return filled.reshape(-1, BLOCK, x.shape[1])


def _passed_on(gates: Numbers, last: Numbers, is_back: bool) -> Numbers:
    """Return the h that each block gets from the block before it."""

    def block(before: Numbers, segment: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
        return segment[0] * before + segment[1], before

    return jax.lax.scan(block, jnp.zeros_like(last[0]), (gates, last), reverse=is_back)[1]
