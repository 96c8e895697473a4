"""The loss of a graph-based parser, which only helps the encoder to learn.

A state tells the encoder little of a word's head; a choice among all words of the sentence (Dozat &
Manning 2017, with a plain product for the biaffine map) tells it for every word. It is left out of
the model. Words are taken in blocks, and the head of a word is looked for in its block and in the
two beside it: a word whose head is farther off, in a very long sentence, is not counted.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dodona.training.neural.network import Numbers, Parameters, Shape

BLOCK = 64  # words
LOWEST = -1e9  # the score of a head in another sentence


def arc_loss(shape: Shape, p: Parameters, n: Numbers, arrays: dict[str, Numbers]) -> Numbers:
    """The summed loss of all words' heads. `heads` are numbers of words in the batch, as many as it
    has room for is the root, and negative is not known; with `head_weights`, several for each word.
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
    """The summed loss of one head for each word, as much as it counts."""
    room = heads.shape[0]
    place = _blocks(jnp.where(heads == room, -1, heads))
    first = (jnp.arange(place.shape[0]) - 1)[:, None] * BLOCK
    column = jnp.where(place < 0, 3 * BLOCK, place - first)
    near = (column >= 0) & (column <= 3 * BLOCK)
    right = jnp.take_along_axis(scores, jnp.where(near, column, 0)[:, :, None], axis=2)[:, :, 0]
    losses = jax.nn.logsumexp(scores, axis=2) - right
    return (losses * _blocks(counted) * near).sum()


def _blocks(x: Numbers) -> Numbers:
    """Words in blocks; the last is filled up with zeros."""
    filled = -x.shape[0] % BLOCK
    x = jnp.pad(x, [(0, filled), *[(0, 0)] * (x.ndim - 1)])
    return x.reshape(-1, BLOCK, *x.shape[1:])


def _around(x: Numbers) -> Numbers:
    """Each block with the one before it and the one after it."""
    blocks = _blocks(x)
    edge = jnp.zeros_like(blocks[:1])
    before, after = jnp.concatenate([edge, blocks[:-1]]), jnp.concatenate([blocks[1:], edge])
    return jnp.concatenate([before, blocks, after], axis=1)
