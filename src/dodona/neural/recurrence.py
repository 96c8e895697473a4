"""Gated linear recurrences, as JAX learns them: h[t] = f[t]·h[t-1] + g[t] along the words.

The sentences of a batch lie one after the other, and f is 0 at the first word of each. A gate with
no matrix in the recurrence (Martin & Cundy 2018) makes it linear, hence a scan that runs in parallel,
and its gradient is the same scan the other way round.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Numbers = Any  # an array of JAX

BLOCK = 64  # words; about the root of what a batch has


@jax.custom_vjp
def recurrence(f: Numbers, g: Numbers) -> Numbers:
    """h of all words, from the first to the last."""
    return _scan(f, g)


def _forward(f: Numbers, g: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    h = recurrence(f, g)
    return h, (f, h)


def _backward(kept: tuple[Numbers, Numbers], dh: Numbers) -> tuple[Numbers, Numbers]:
    f, h = kept
    zero = jnp.zeros_like(f[:1])
    # what reaches word t is its own share and what the next word passes back through its gate
    dg = _scan(jnp.concatenate([zero, f[:0:-1]]), dh[::-1])[::-1]
    return dg * jnp.concatenate([zero, h[:-1]]), dg


recurrence.defvjp(_forward, _backward)


def _scan(f: Numbers, g: Numbers) -> Numbers:
    """The recurrence, as suits the machine."""
    if jax.default_backend() == "cpu":
        return in_blocks(f, g)
    return in_parallel(f, g)


def in_parallel(f: Numbers, g: Numbers) -> Numbers:
    """All words at once, in log(words) rounds: for GPUs. It takes long to compile."""
    return jax.lax.associative_scan(_join, (f, g))[1]


def _join(before: tuple[Numbers, Numbers], after: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
    return before[0] * after[0], after[0] * before[1] + after[1]


def in_blocks(f: Numbers, g: Numbers) -> Numbers:
    """Word by word, but in all blocks side by side; then what each block hands to the next: for CPUs."""
    n, width = f.shape
    n_blocks = -(-n // BLOCK)
    filled = ((0, n_blocks * BLOCK - n), (0, 0))

    def side_by_side(x: Numbers) -> Numbers:
        return jnp.pad(x, filled).reshape(n_blocks, BLOCK, width).swapaxes(0, 1)

    start = jnp.ones((n_blocks, width), f.dtype), jnp.zeros((n_blocks, width), f.dtype)
    (gates, last), (gate, own) = jax.lax.scan(_word, start, (side_by_side(f), side_by_side(g)))
    _, handed = jax.lax.scan(_block, jnp.zeros(width, f.dtype), (gates, last))
    return (own + gate * handed).swapaxes(0, 1).reshape(-1, width)[:n]


def _word(before: Any, word: Any) -> Any:
    found = _join(before, word)
    return found, found


def _block(handed: Numbers, block: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
    """What a block hands on, and what it was handed."""
    gates, last = block
    return gates * handed + last, handed
