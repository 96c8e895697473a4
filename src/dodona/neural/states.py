"""States in JAX: the scores of their classes, from the words in their slots and their atoms."""

from __future__ import annotations

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
    """The scores of all classes in states, given `rows`, of their slots' words, and `atom_rows`."""
    units = jnp.broadcast_to(p["hidden.bias"], (walk["rows"].shape[0], shape.hidden))
    for i in range(shape.n_slots):
        units += products[:, i * shape.hidden : (i + 1) * shape.hidden][walk["rows"][:, i]]
    for i in range(walk["atom_rows"].shape[1]):
        units += p["atom"][walk["atom_rows"][:, i]]
    units = drop(seeds.get("hidden"), jnp.where(units >= 0, units, units * SLOPE), dropout.hidden)
    return units @ p["class"].T + p["class.bias"]
