"""The losses of a batch in JAX: of states, of tags, and of arcs, all per word of the batch.

The loss of a state is -log of the summed probability of its optimal classes, among those that are
allowed; that of a tag is its cross entropy.

The loss of arcs is the auxiliary one of a graph-based parser, which helps to train the encoder: a
state carries little information about a word's head; a choice among all words of the sentence
(Dozat & Manning 2017, with a plain product for the biaffine map) does so for every word. The model
does not contain it. Words are taken in blocks, and the head of a word is searched for in its block
and the two adjacent ones: a word whose head is farther away, in a very long sentence, has no loss.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dodona.core.learning.rollouts import ALLOWED_FLAG, BANNED, OPTIMAL
from dodona.training.neural.encoder import (
    Seeds,
    drop,
    encode,
    slot_inputs,
    slot_products,
    tag_logits,
)
from dodona.training.neural.lookup import slot_sums, summed_rows
from dodona.training.neural.network import Arrays, Dropout, Numbers, Parameters, Parts, Shape

SLOPE = 0.125  # of the leaky ReLU: a shift by three bits
BLOCK = 64  # words, in the loss of arcs
LOWEST = -1e9  # score of masked classes


def arc_loss(shape: Shape, p: Parameters, n: Numbers, arrays: Arrays) -> Numbers:
    """Return the summed loss of all words' heads.

    `heads` are positions of words in the batch; its capacity stands for the root, and a negative
    number for an unknown head. With `head_weights`, each word has several heads.
    """
    scores = arc_scores(shape, p, n, arrays)
    heads, share = arrays["heads"], arrays["word_share"]
    if "head_weights" not in arrays:
        return _head_losses(scores, heads, share * (heads >= 0))
    weights = arrays["head_weights"] * share * (heads >= 0)
    return sum(
        (_head_losses(scores, heads[i], weights[i]) for i in range(heads.shape[0])), jnp.zeros(())
    )


def arc_scores(shape: Shape, p: Parameters, n: Numbers, arrays: Arrays) -> Numbers:
    """Return by block the scores of each word's heads: words of its block and of the two adjacent
    ones, and last the root."""
    dependents = _blocks(n @ p["arc.dependent"].T + p["arc.bias"]) * shape.arcs**-0.5
    scores = jnp.einsum("bik,bjk->bij", dependents, _around(n @ p["arc.head"].T))
    sentence = jnp.cumsum(arrays["is_first"])
    same = _blocks(sentence)[:, :, None] == _around(sentence)[:, None, :]
    of_root = dependents @ (p["arc.head"] @ p["arc.root"])
    return jnp.concatenate([jnp.where(same, scores, LOWEST), of_root[:, :, None]], axis=2)


def _head_losses(scores: Numbers, heads: Numbers, counted: Numbers) -> Numbers:
    """Return the summed loss of one head for each word, weighted by `counted`."""
    capacity = heads.shape[0]
    position = _blocks(jnp.where(heads == capacity, -1, heads))
    first = (jnp.arange(position.shape[0]) - 1)[:, None] * BLOCK
    column = jnp.where(position < 0, 3 * BLOCK, position - first)
    near = (column >= 0) & (column <= 3 * BLOCK)
    right = jnp.take_along_axis(scores, jnp.where(near, column, 0)[:, :, None], axis=2)[:, :, 0]
    losses = jax.nn.logsumexp(scores, axis=2) - right
    return (losses * _blocks(counted) * near).sum()


def _blocks(x: Numbers) -> Numbers:
    """Return words in blocks, the last of which is padded with zeros."""
    filled = -x.shape[0] % BLOCK
    x = jnp.pad(x, [(0, filled), *[(0, 0)] * (x.ndim - 1)])
    return x.reshape(-1, BLOCK, *x.shape[1:])


def _around(x: Numbers) -> Numbers:
    """Return each block with the blocks before and after it."""
    blocks = _blocks(x)
    edge = jnp.zeros_like(blocks[:1])
    before, after = jnp.concatenate([edge, blocks[:-1]]), jnp.concatenate([blocks[1:], edge])
    return jnp.concatenate([before, blocks, after], axis=1)


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
    shape: Shape, dropout: Dropout, p: Parameters, arrays: Arrays, parts: Parts, seeds: Seeds
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
    arrays: Arrays,
    rollout: dict[str, Any],
    tags: Any,
    seeds: Seeds,
) -> Losses:
    """Return the losses of the states of a rollout, of tags, and of arcs if there are `heads`.

    `rows` of the rollout are the words in the slots of its states, `atom_rows` their atoms. `tags`
    has a class per tag head and word or, for soft targets, `classes` and `weights`.
    """
    units = slot_sums(seen.inputs, p["slot"], seen.products, rollout)
    units += summed_rows(p["atom"], rollout["atom_rows"])
    scores = class_scores(p, units, seeds, dropout)
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


def class_scores(p: Parameters, units: Numbers, seeds: Seeds, dropout: Dropout) -> Numbers:
    """Return the scores of classes in states, given what slots and atoms add to hidden units."""
    units += p["hidden.bias"]
    units = drop(seeds.get("hidden"), jnp.where(units >= 0, units, units * SLOPE), dropout.hidden)
    return units @ p["class"].T + p["class.bias"]


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
