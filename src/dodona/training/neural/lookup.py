"""Gathering and summing rows of tables: quick to compile, and fast on a CPU in both passes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dodona.training.neural.network import Numbers


def picked(table: Numbers, rows: Numbers) -> Numbers:
    """Return some rows of a table; all indices must be valid."""
    return jnp.asarray(table).at[rows].get(mode="promise_in_bounds")


def summed(table: Numbers, indices: Numbers) -> Numbers:
    """Return the sum of the rows of a table that each state refers to.

    A loop over slots adds whole rows, forward and backward: on a CPU 16 ms for 6,000 states with 11
    slots and 256 units, where JAX's own gradient takes 80.
    """

    def add(total: Numbers, rows: Numbers) -> tuple[Numbers, None]:
        return total + picked(table, rows), None

    start = jnp.zeros((indices.shape[0], table.shape[1]), table.dtype)
    return jax.lax.scan(add, start, indices.T)[0]


summed_rows: Any = jax.custom_vjp(summed)


def _forward(table: Numbers, indices: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    return summed(table, indices), (table, indices)


def _backward(kept: tuple[Numbers, Numbers], gradient: Numbers) -> tuple[Numbers, None]:
    table, indices = kept
    return scattered(gradient, indices, table.shape[0]), None


summed_rows.defvjp(_forward, _backward)


def scattered(gradient: Numbers, indices: Numbers, n_rows: int) -> Numbers:
    """Return the gradient of a table of `n_rows` rows, given that of the sums."""

    def add(total: Numbers, rows: Numbers) -> tuple[Numbers, None]:
        return total.at[rows].add(gradient, mode="promise_in_bounds"), None

    start = jnp.zeros((n_rows, gradient.shape[1]), gradient.dtype)
    return jax.lax.scan(add, start, indices.T)[0]
