"""The losses of a batch: of states, of tags, and of arcs.

The loss of a state is -log of the summed probability of its optimal classes, among those that are
allowed; that of a tag is its cross entropy. All losses are per word of the batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dodona.core.learning.rollouts import ALLOWED_FLAG, BANNED, OPTIMAL
from dodona.training.neural.arc_loss import arc_loss
from dodona.training.neural.dropout import Seeds, drop
from dodona.training.neural.encoder import encode, slot_inputs, slot_products, tag_logits
from dodona.training.neural.network import Dropout, Numbers, Parameters, Shape
from dodona.training.neural.state_scores import class_scores

LOWEST = -1e9  # score of masked classes


class Losses(NamedTuple):
    """The losses of a batch, per word."""

    states: Numbers
    tags: Numbers
    arcs: Numbers


class EncodedBatch(NamedTuple):
    """The words of a batch as the network encodes them, before any state is known."""

    words: Numbers  # inputs of the arc loss
    logits: list[Numbers]  # of tags
    inputs: Numbers  # of the slots
    products: Numbers  # of inputs and slots; gradients flow to the inputs


def encode_batch(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    arrays: dict[str, Numbers],
    parts: dict[int, Numbers],
    seeds: Seeds,
) -> EncodedBatch:
    """Encode the words of a batch, with dropout."""
    n = encode(shape, p, arrays, seeds, dropout)
    kept = drop(seeds.get("tags"), n, dropout.layer)
    logits = tag_logits(shape, p, kept, parts)
    inputs = slot_inputs(shape, p, kept, logits)
    products = jax.lax.stop_gradient(slot_products(p, inputs))
    return EncodedBatch(drop(seeds.get("arcs"), n, dropout.layer), logits, inputs, products)


def losses(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    seen: EncodedBatch,
    arrays: dict[str, Numbers],
    rollout: dict[str, Any],
    tags: Any,
    seeds: Seeds,
) -> Losses:
    """Return the losses of the states of a rollout, of tags, and of arcs if there are `heads`.

    `tags` has a class per tag head and word or, for soft targets, `classes` and `weights`.
    """
    scores = class_scores(shape, p, seen.inputs, seen.products, rollout, seeds, dropout)
    of_each = (
        vote_losses(scores, rollout["verdicts"], rollout["tree_shares"])
        if "tree_shares" in rollout
        else state_losses(scores, rollout["verdicts"])
    )
    of_states = (of_each * rollout["state_share"]).sum()
    of_tags = sum(
        (_losses_of_tag(found, tags, i) * arrays["word_share"]).sum()
        for i, found in enumerate(seen.logits)
    )
    of_arcs = jnp.zeros(())
    if shape.arcs and "heads" in arrays:
        of_arcs = arc_loss(shape, p, seen.words, arrays)
    n_words = jnp.maximum(arrays["word_share"].sum(), 1)
    return Losses(of_states / n_words, of_tags / n_words, of_arcs / n_words)


def state_losses(scores: Numbers, verdicts: Numbers) -> Numbers:
    """Return the loss of each state, given the oracle's verdict on each class."""
    allowed = jnp.where(verdicts == BANNED, LOWEST, scores)
    optimal = jnp.where(verdicts == OPTIMAL, scores, LOWEST)
    return jax.nn.logsumexp(allowed, axis=1) - jax.nn.logsumexp(optimal, axis=1)


def vote_losses(scores: Numbers, verdicts: Numbers, shares: Numbers) -> Numbers:
    """Return the loss of each state under several trees: the mean of their losses, weighted by
    `shares`. The bits of a verdict tell for which trees a class is optimal."""
    allowed = jnp.where(verdicts & ALLOWED_FLAG, scores, LOWEST)
    total = jax.nn.logsumexp(allowed, axis=1) * shares.sum()
    for tree in range(shares.shape[0]):
        is_optimal = verdicts & (2 * ALLOWED_FLAG << tree)
        optimal = jnp.where(is_optimal, scores, LOWEST)
        total -= jax.nn.logsumexp(optimal, axis=1) * shares[tree]
    return total


def _losses_of_tag(logits: Numbers, tags: Any, head: int) -> Numbers:
    if isinstance(tags, dict):
        return soft_tag_losses(logits, tags["classes"][head], tags["weights"][head])
    return tag_losses(logits, tags[head])


def tag_losses(logits: Numbers, tags: Numbers) -> Numbers:
    """Return the loss of each word's tag; 0 where the tag is negative: unknown."""
    is_right = jnp.arange(logits.shape[1]) == tags[:, None]
    right = jnp.where(is_right, logits, 0).sum(axis=1)
    return (jax.nn.logsumexp(logits, axis=1) - right) * (tags >= 0)


def soft_tag_losses(logits: Numbers, classes: Numbers, weights: Numbers) -> Numbers:
    """Return the cross entropy of each word's tag with weighted classes; 0 if all weights are."""
    wanted = (jax.nn.one_hot(classes, logits.shape[1]) * weights[:, :, None]).sum(axis=1)
    return jax.nn.logsumexp(logits, axis=1) * weights.sum(axis=1) - (wanted * logits).sum(axis=1)
