"""Dropout (Srivastava et al. 2014).

Whether a number is dropped is a hash of a seed and of its position: random enough, the same on
every machine, and quick to compute and to compile, unlike JAX's own random numbers.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Numbers = Any  # an array of JAX or NumPy
Seeds = dict[str, Numbers]  # by site of dropout; empty without dropout

SITES = ("word", "input", "tags", "arcs", "hidden")  # and each layer
GOLDEN = 0x9E3779B9  # 2³² / the golden ratio


def seeds_of(seed: Numbers, layers: int) -> Seeds:
    """Return a seed for every site of dropout; `layer` has one for each layer."""
    count = jnp.arange(1, len(SITES) + layers + 1, dtype=jnp.uint32)
    seeds = mixed(mixed(jnp.uint32(seed)) + count * jnp.uint32(GOLDEN))
    return dict(zip(SITES, seeds, strict=False)) | {"layer": seeds[len(SITES) :]}


def mixed(x: Numbers) -> Numbers:
    """Hash each 32-bit number (Wellons 2018, lowbias32)."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def is_kept(seed: Numbers, rate: float, n: int, width: int = 1) -> Numbers:
    """Return which numbers of n rows are kept; a share of `rate` is not."""
    row = jax.lax.broadcasted_iota(jnp.uint32, (n, width), 0)
    column = jax.lax.broadcasted_iota(jnp.uint32, (n, width), 1)
    return mixed(row * jnp.uint32(width) + column + seed) >= jnp.uint32(round(rate * 2**32))


def drop(seed: Numbers | None, x: Numbers, rate: float) -> Numbers:
    """Drop a share of the numbers if there is a seed, and scale up the others."""
    if seed is None or rate == 0:
        return x
    return jnp.where(is_kept(seed, rate, *x.shape), x / (1 - rate), 0)
