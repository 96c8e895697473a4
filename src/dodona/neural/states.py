"""States in JAX: the scores of their classes, from the words in their slots and their atoms."""

from __future__ import annotations

import jax.numpy as jnp

from dodona.neural.dropout import Seeds, drop
from dodona.neural.lookup import summed_rows
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
