"""What the network has to learn from a batch: its states, its tags, and its arcs.

The loss of a state is -log of the probability of all its optimal classes together, among those that
are allowed; that of a tag is its cross entropy. All are told per word of the batch.
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

LOWEST = -1e9  # the score of what is not allowed


class Losses(NamedTuple):
    """Per word."""

    states: Numbers
    tags: Numbers
    arcs: Numbers


class Seen(NamedTuple):
    """What the network makes of words, before it sees states."""

    words: Numbers  # as arcs are learned from them
    logits: list[Numbers]  # of tags
    inputs: Numbers  # of the slots
    products: Numbers  # with the slots; gradients go to the inputs


def see(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    arrays: dict[str, Numbers],
    parts: dict[int, Numbers],
    seeds: Seeds,
) -> Seen:
    """The words of a batch, as the network sees them while it learns."""
    n = encode(shape, p, arrays, seeds, dropout)
    kept = drop(seeds.get("tags"), n, dropout.layer)
    logits = tag_logits(shape, p, kept, parts)
    inputs = slot_inputs(shape, p, kept, logits)
    products = jax.lax.stop_gradient(slot_products(p, inputs))
    return Seen(drop(seeds.get("arcs"), n, dropout.layer), logits, inputs, products)


def losses(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    seen: Seen,
    arrays: dict[str, Numbers],
    walk: dict[str, Any],
    tags: Any,
    seeds: Seeds,
) -> Losses:
    """The losses of a batch, of the states met in it, and of its tags; of arcs, where the batch has
    `heads` and the network is to score them.

    `tags` has a class per tag head and word or, of what a teacher holds possible, some `classes`
    and their `weights`.
    """
    scores = class_scores(shape, p, seen.inputs, seen.products, walk, seeds, dropout)
    of_each = (
        vote_losses(scores, walk["verdicts"], walk["tree_shares"])
        if "tree_shares" in walk
        else state_losses(scores, walk["verdicts"])
    )
    of_states = (of_each * walk["state_share"]).sum()
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
    """The loss of each state, given what the oracle says of each class."""
    allowed = jnp.where(verdicts == BANNED, LOWEST, scores)
    optimal = jnp.where(verdicts == OPTIMAL, scores, LOWEST)
    return jax.nn.logsumexp(allowed, axis=1) - jax.nn.logsumexp(optimal, axis=1)


def vote_losses(scores: Numbers, verdicts: Numbers, shares: Numbers) -> Numbers:
    """The loss of each state where several trees are held possible: that by each of them, as much
    as it counts. The bits of a verdict say which of them hold a class to be optimal."""
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
    """The loss of each word's tag; none where it is not known, and negative."""
    is_right = jnp.arange(logits.shape[1]) == tags[:, None]
    right = jnp.where(is_right, logits, 0).sum(axis=1)
    return (jax.nn.logsumexp(logits, axis=1) - right) * (tags >= 0)


def soft_tag_losses(logits: Numbers, classes: Numbers, weights: Numbers) -> Numbers:
    """The cross entropy of each word's tag with a few weighted classes; none where all weights are
    zero."""
    wanted = (jax.nn.one_hot(classes, logits.shape[1]) * weights[:, :, None]).sum(axis=1)
    return jax.nn.logsumexp(logits, axis=1) * weights.sum(axis=1) - (wanted * logits).sum(axis=1)
