"""Gathering and summing rows of tables: quick to compile, and fast on a CPU in both passes.

For the slots of states, each word is multiplied with the matrix of every slot before the states are
known. About half of these products are then in no state and have no gradient: if a rollout lists
those that are used, the backward pass skips the others. On a CPU a step takes 5% less.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dodona.training.neural.network import Numbers

Rollout = dict[str, Any]


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


def _summed_forward(table: Numbers, indices: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    return summed(table, indices), (table, indices)


def _summed_backward(kept: tuple[Numbers, Numbers], gradient: Numbers) -> tuple[Numbers, None]:
    table, indices = kept
    return scattered(gradient, indices, table.shape[0]), None


summed_rows.defvjp(_summed_forward, _summed_backward)


def scattered(gradient: Numbers, indices: Numbers, n_rows: int) -> Numbers:
    """Return the gradient of a table of `n_rows` rows, given that of the sums."""

    def add(total: Numbers, rows: Numbers) -> tuple[Numbers, None]:
        return total.at[rows].add(gradient, mode="promise_in_bounds"), None

    start = jnp.zeros((n_rows, gradient.shape[1]), gradient.dtype)
    return jax.lax.scan(add, start, indices.T)[0]


def _sums(words: Numbers, slots: Numbers, products: Numbers, rollout: Rollout) -> Numbers:
    """Return the sum of the products of the words in the `rows` of each state of a rollout.

    `products` are those of words and slots, computed before the rollout: gradients flow to these
    two. The rollout may have `used` and `positions` (see `rollouts.used_rows`).
    """
    n_slots = rollout["rows"].shape[1]
    return summed(products.reshape(-1, slots.shape[0] // n_slots), _all_products(rollout["rows"]))


slot_sums: Any = jax.custom_vjp(_sums)


def _forward(words: Numbers, slots: Numbers, products: Numbers, rollout: Rollout) -> Any:
    return _sums(words, slots, products, rollout), (words, slots, rollout)


def _backward(kept: tuple[Numbers, Numbers, Rollout], gradient: Numbers) -> Any:
    words, slots, rollout = kept
    if "used" not in rollout:
        rows = rollout["rows"]
        of_products = scattered(gradient, _all_products(rows), len(words) * rows.shape[1])
        of_products = of_products.reshape(len(words), -1)
        return of_products @ slots, of_products.T @ words, None, None
    used = rollout["used"]
    of_products = scattered(gradient, rollout["positions"], sum(len(rows) for rows in used))
    of_words, of_slots, first = jnp.zeros_like(words), [], 0
    for rows, slot in zip(used, jnp.split(slots, len(used)), strict=True):
        here = of_products[first : first + len(rows)]
        of_slots.append(here.T @ picked(words, rows))
        of_words = of_words.at[rows].add(here @ slot, mode="promise_in_bounds")
        first += len(rows)
    return of_words, jnp.concatenate(of_slots), None, None


slot_sums.defvjp(_forward, _backward)


def _all_products(rows: Numbers) -> Numbers:
    """Return the indices of rows, slot by slot, among the products of all rows and slots."""
    return rows * rows.shape[1] + jnp.arange(rows.shape[1])
