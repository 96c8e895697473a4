"""Scores of the classes of states in JAX, from the words in their slots and their atoms."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from dodona.training.neural.dropout import Seeds, drop
from dodona.training.neural.lookup import summed_rows
from dodona.training.neural.network import Dropout, Numbers, Parameters, Shape
from dodona.training.neural.slot_sums import slot_sums

SLOPE = 0.125  # of the leaky ReLU: a shift by three bits


def class_scores(
    shape: Shape,
    p: Parameters,
    inputs: Numbers,
    products: Numbers,
    rollout: dict[str, Any],
    seeds: Seeds,
    dropout: Dropout,
) -> Numbers:
    """Return the scores of all classes in the states of a rollout: `rows` has the words in their
    slots, and `atom_rows` their atoms. `products` are those of the `inputs` and the slots."""
    units = slot_sums(inputs, p["slot"], products, rollout)
    units += summed_rows(p["atom"], rollout["atom_rows"])
    units += p["hidden.bias"]
    units = drop(seeds.get("hidden"), jnp.where(units >= 0, units, units * SLOPE), dropout.hidden)
    return units @ p["class"].T + p["class.bias"]
