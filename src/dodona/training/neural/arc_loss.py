"""The auxiliary loss of a graph-based parser, which helps to train the encoder.

A state carries little information about a word's head; a choice among all words of the sentence
(Dozat & Manning 2017, with a plain product for the biaffine map) does so for every word. The model
does not contain it. Words are taken in blocks, and the head of a word is searched for in its block
and the two adjacent ones: a word whose head is farther away, in a very long sentence, has no loss.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dodona.training.neural.network import Numbers, Parameters, Shape

BLOCK = 64  # words
LOWEST = -1e9  # score of heads in other sentences


def arc_loss(shape: Shape, p: Parameters, n: Numbers, arrays: dict[str, Numbers]) -> Numbers:
    """Return the summed loss of all words' heads.

    `heads` are positions of words in the batch; its capacity stands for the root, and a negative
    number for an unknown head. With `head_weights`, each word has several heads.
    """
    dependents = _blocks(n @ p["arc.dependent"].T + p["arc.bias"]) * shape.arcs**-0.5
    scores = jnp.einsum("bik,bjk->bij", dependents, _around(n @ p["arc.head"].T))
    sentence = jnp.cumsum(arrays["is_first"])
    same = _blocks(sentence)[:, :, None] == _around(sentence)[:, None, :]
    of_root = dependents @ (p["arc.head"] @ p["arc.root"])
    scores = jnp.concatenate([jnp.where(same, scores, LOWEST), of_root[:, :, None]], axis=2)
    heads, share = arrays["heads"], arrays["word_share"]
    if "head_weights" not in arrays:
        return _head_losses(scores, heads, share * (heads >= 0))
    weights = arrays["head_weights"] * share * (heads >= 0)
    return sum(
        (_head_losses(scores, heads[i], weights[i]) for i in range(heads.shape[0])), jnp.zeros(())
    )


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
