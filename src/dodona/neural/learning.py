"""How the network learns: the loss over the states of a batch and its tags, and one step of AdamW.

The loss of a state is −log of the probability of all its optimal classes together, among those that
are allowed; that of a tag is its cross entropy. Steps are AdamW's (Loshchilov & Hutter 2019) with a
warm start and a rate that falls as a cosine; what is kept is a running average of the parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from dodona.core.parsing.walking import BANNED, OPTIMAL
from dodona.neural.network import (
    Dropout,
    Numbers,
    Parameters,
    Shape,
    class_scores,
    drop,
    encode,
    tags_and_products,
    word_vectors,
)

LOWEST = -1e9  # the score of what is not allowed
BETAS = 0.9, 0.98
TINY = 1e-8


@dataclass(frozen=True)
class Pace:
    """How fast to learn."""

    rate: float = 2e-3
    warm: int = 100  # steps until the rate is reached
    steps: int = 1000  # until it has fallen to almost nothing
    decay: float = 0.01
    clip: float = 5.0
    tag_share: float = 0.3  # what a tag counts beside a state


@dataclass
class Learning:
    """Parameters on their way, with what AdamW remembers of them."""

    parameters: Parameters
    average: Parameters  # running
    mean: Parameters  # of the gradients
    square: Parameters  # … of their squares
    step: int = 0

    @classmethod
    def begin(cls, parameters: Parameters) -> Learning:
        """From these parameters on."""
        parameters = {name: jnp.asarray(value) for name, value in parameters.items()}
        zeros = {name: jnp.zeros_like(value) for name, value in parameters.items()}
        average = {name: jnp.array(value, copy=True) for name, value in parameters.items()}
        return cls(parameters, average, zeros, {name: jnp.zeros_like(v) for name, v in zeros.items()})


def random_keys(shape: Shape, seed: Numbers) -> Any:
    """Keys for every place where something is left out."""
    return jax.random.split(jax.random.key(seed), shape.layers + 5)


def run_words(
    shape: Shape, p: Parameters, arrays: dict[str, Numbers], parts: dict[int, Numbers], keys: Any,
    dropout: Dropout,
) -> tuple[list[Numbers], Numbers]:
    """Tag logits and products of all words of a batch."""
    vectors = word_vectors(shape, p, arrays, keys, dropout)
    x = vectors[arrays["type"]]
    n = encode(shape, p, x, arrays["is_first"], arrays["is_last"], keys, dropout)
    arcs = None
    if shape.arcs and "heads" in arrays:
        kept = drop(keys[-3], n, dropout.layer)
        deps = kept @ p["arc.dep"].T + p["arc.bias"]
        heads = jnp.concatenate([kept, p["arc.root"][None]]) @ p["arc.head"].T
        scores = deps @ heads.T / shape.arcs**0.5
        sid = jnp.cumsum(arrays["is_first"])
        same = jnp.concatenate([sid[:, None] == sid[None], jnp.ones((sid.shape[0], 1), bool)], axis=1)
        scores = jnp.where(same, scores, LOWEST)
        right = jnp.take_along_axis(scores, jnp.maximum(arrays["heads"], 0)[:, None], axis=1)[:, 0]
        counted = arrays["word_share"] * (arrays["heads"] >= 0)
        arcs = ((jax.nn.logsumexp(scores, axis=1) - right) * counted).sum()
    return (*tags_and_products(shape, p, n, parts, keys, dropout), arcs)


@partial(jax.jit, static_argnums=0)
def products_of(
    shape: Shape, p: Parameters, arrays: dict[str, Numbers], parts: dict[int, Numbers]
) -> Numbers:
    """What the words of a batch add in each slot, nothing left out."""
    return run_words(shape, p, arrays, parts, None, Dropout())[1]


@partial(jax.jit, static_argnums=0)
def tags_of(
    shape: Shape, p: Parameters, arrays: dict[str, Numbers], parts: dict[int, Numbers]
) -> list[Numbers]:
    """The classes that the tag heads give to the words of a batch."""
    return [jnp.argmax(x, axis=1) for x in run_words(shape, p, arrays, parts, None, Dropout())[0]]


def losses(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    arrays: dict[str, Numbers],
    parts: dict[int, Numbers],
    walk: dict[str, Numbers],
    tags: Numbers,
    keys: Any,
) -> tuple[Numbers, Numbers]:
    """The loss of the states and of the tags, per word."""
    logits, products, arcs = run_words(shape, p, arrays, parts, keys, dropout)
    scores = class_scores(shape, p, products, walk["rows"], walk["atom_rows"], keys, dropout)
    verdicts = walk["verdicts"]
    allowed = jnp.where(verdicts == BANNED, LOWEST, scores)
    optimal = jnp.where(verdicts == OPTIMAL, scores, LOWEST)
    of_states = jax.nn.logsumexp(allowed, axis=1) - jax.nn.logsumexp(optimal, axis=1)
    n_words = jnp.maximum(arrays["word_share"].sum(), 1)
    of_tags = jnp.zeros(())
    for i, found in enumerate(logits):
        right = jnp.take_along_axis(found, jnp.maximum(tags[i], 0)[:, None], axis=1)[:, 0]
        counted = arrays["word_share"] * (tags[i] >= 0)
        of_tags += ((jax.nn.logsumexp(found, axis=1) - right) * counted).sum() / n_words
    total = (of_states * walk["state_share"]).sum() / n_words
    return total if arcs is None else total + 0.5 * arcs / n_words, of_tags


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=(3, 4, 5, 6))
def learn(
    shape: Shape,
    dropout: Dropout,
    pace: Pace,
    p: Parameters,
    average: Parameters,
    mean: Parameters,
    square: Parameters,
    step: Numbers,
    seed: Numbers,
    arrays: dict[str, Numbers],
    parts: dict[int, Numbers],
    walk: dict[str, Numbers],
    tags: Numbers,
) -> Any:
    """One step; new parameters, average, mean and square, and the two losses."""

    def total(p: Parameters) -> tuple[Numbers, Any]:
        keys = random_keys(shape, seed)
        found = losses(shape, dropout, p, arrays, parts, walk, tags, keys)
        return found[0] + pace.tag_share * found[1], found

    gradients, found = jax.grad(total, has_aux=True)(p)
    size = jnp.sqrt(sum(jnp.vdot(g, g) for g in gradients.values()))
    scale = jnp.minimum(1.0, pace.clip / (size + TINY))
    t = step + 1.0
    rate = pace.rate * jnp.minimum(t / pace.warm, 1.0)
    rate *= 0.5 * (1 + jnp.cos(jnp.pi * jnp.minimum(t / pace.steps, 1.0))) * 0.99 + 0.01
    kept = jnp.minimum(0.998, (1 + t) / (10 + t))
    new: list[Parameters] = [{}, {}, {}, {}]
    for name, g in gradients.items():
        if any(name == f"word.{i}" for i in shape.fixed):
            new[0][name], new[1][name] = p[name], average[name]
            new[2][name], new[3][name] = mean[name], square[name]
            continue
        g = g * scale
        m = BETAS[0] * mean[name] + (1 - BETAS[0]) * g
        v = BETAS[1] * square[name] + (1 - BETAS[1]) * g * g
        change = (m / (1 - BETAS[0] ** t)) / (jnp.sqrt(v / (1 - BETAS[1] ** t)) + TINY)
        if p[name].ndim > 1:
            change = change + pace.decay * p[name]
        value = p[name] - rate * change
        new[0][name], new[2][name], new[3][name] = value, m, v
        new[1][name] = kept * average[name] + (1 - kept) * value
    return *new, *found
