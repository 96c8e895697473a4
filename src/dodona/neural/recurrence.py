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


def _join(before: tuple[Numbers, Numbers], after: tuple[Numbers, Numbers]) -> Any:
    return before[0] * after[0], after[0] * before[1] + after[1]


@jax.custom_vjp
def recurrence(f: Numbers, g: Numbers) -> Numbers:
    """h of all words, from the first to the last."""
    return jax.lax.associative_scan(_join, (f, g))[1]


def _forward(f: Numbers, g: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    h = recurrence(f, g)
    return h, (f, h)


def _backward(kept: tuple[Numbers, Numbers], dh: Numbers) -> tuple[Numbers, Numbers]:
    f, h = kept
    zero = jnp.zeros_like(f[:1])
    # what reaches word t is its own share and what the next word passes back through its gate
    dg = jax.lax.associative_scan(_join, (jnp.concatenate([f[1:], zero]), dh), reverse=True)[1]
    return dg * jnp.concatenate([zero, h[:-1]]), dg


recurrence.defvjp(_forward, _backward)
