"""States in JAX: the scores of their classes, from the words in their slots and their atoms."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dodona.neural.dropout import Seeds, drop
from dodona.neural.network import Dropout, Numbers, Parameters, Shape

SLOPE = 0.125  # of the leaky ReLU: a shift by three bits


def class_scores(
    shape: Shape,
    p: Parameters,
    products: Numbers,
    walk: dict[str, Numbers],
    seeds: Seeds,
    dropout: Dropout,
) -> Numbers:
    """The scores of all classes in states, given `rows`, of the words in their slots, and
    `atom_rows`."""
    of_slots = products.reshape(-1, shape.hidden)  # row · slots + slot
    places = walk["rows"] * shape.n_slots + jnp.arange(shape.n_slots)
    units = summed_rows(of_slots, places) + summed_rows(p["atom"], walk["atom_rows"])
    units += p["hidden.bias"]
    units = drop(seeds.get("hidden"), jnp.where(units >= 0, units, units * SLOPE), dropout.hidden)
    return units @ p["class"].T + p["class.bias"]


@jax.custom_vjp  # type: ignore[untyped-decorator]
def summed_rows(table: Numbers, places: Numbers) -> Numbers:
    """For each state, the sum of the rows of a table that stand in its places.

    A loop over places that adds up whole rows, there and back: on a CPU 16 ms for 6,000 states with
    11 slots and 256 units, where JAX's own gradient takes 80.
    """

    def add(total: Numbers, rows: Numbers) -> tuple[Numbers, None]:
        return total + table.at[rows].get(mode="promise_in_bounds"), None

    start = jnp.zeros((places.shape[0], table.shape[1]), table.dtype)
    return jax.lax.scan(add, start, places.T)[0]


def _forward(table: Numbers, places: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    return summed_rows(table, places), (table, places)


def _backward(kept: tuple[Numbers, Numbers], gradient: Numbers) -> tuple[Numbers, None]:
    table, places = kept

    def add(total: Numbers, rows: Numbers) -> tuple[Numbers, None]:
        return total.at[rows].add(gradient, mode="promise_in_bounds"), None

    return jax.lax.scan(add, jnp.zeros_like(table), places.T)[0], None


summed_rows.defvjp(_forward, _backward)
