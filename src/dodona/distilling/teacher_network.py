"""The network of a teacher: a biaffine graph-based parser (Dozat & Manning 2017) in JAX.

Words are represented by the same hashed features as in the parsing networks, by pretrained vectors
and by a convolution over their characters (Ma & Hovy 2016); bidirectional LSTMs encode the
sentence; then heads, labels of arcs, and tags are scored. A teacher annotates text that smaller
networks learn from, and is never a part of a model.

Shapes: B sentences, padded to T words each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.lookup import picked

AnyArray = Any  # of JAX or NumPy
Parameters = dict[str, AnyArray]

LOWEST = -1e9  # score of a masked head
SLOPE = 0.1  # of the leaky ReLU


@dataclass(frozen=True)
class TeacherShape:
    """The sizes of a teacher."""

    table_sizes: tuple[int, ...]  # rows of the tables of forms, and of each other feature of a word
    n_characters: int
    n_labels: int
    tag_sizes: tuple[int, ...]
    parts: tuple[tuple[int, int], ...] = ()  # (classifier whose classes have parts, their number)
    vectors: int = 0  # width of pretrained vectors
    form_width: int = 100  # of learned embeddings of forms …
    hashed_width: int = 32  # … and of other features
    characters: int = 64  # width of character embeddings …
    character_units: int = 128  # … and of their convolution
    layers: int = 3
    width: int = 400  # of an LSTM, in each direction
    arcs: int = 500
    labels: int = 128

    @property
    def input(self) -> int:
        """Return the width of a word's input to the LSTMs."""
        of_fields = self.form_width + self.hashed_width * (len(self.table_sizes) - 1)
        return of_fields + self.vectors + self.character_units


@dataclass(frozen=True)
class TeacherDropout:
    """Dropout rates."""

    word: float = 0.15  # forms and pretrained vectors that are replaced by the unknown word
    input: float = 0.33
    layer: float = 0.33
    recurrent: float = 0.2  # of LSTM states, with one mask for all words
    heads: float = 0.33


NO_DROPOUT = TeacherDropout(0, 0, 0, 0, 0)


class TeacherScores(NamedTuple):
    """The output of a teacher."""

    arcs: AnyArray  # B, T, T + 1: the first head is the root
    dependents: AnyArray  # inputs of the label scorer: B, T, labels
    heads: AnyArray  # B, T + 1, labels
    tags: list[AnyArray]  # B, T, classes


def new_teacher(shape: TeacherShape, seed: int) -> Parameters:
    """Return random parameters."""
    random = np.random.default_rng(seed)

    def normal(*sizes: int, scale: float) -> AnyArray:
        return (random.standard_normal(sizes) * scale).astype(np.float32)

    def matrix(n_in: int, n_out: int) -> AnyArray:
        return normal(n_in, n_out, scale=n_in**-0.5)

    forms, *hashed = shape.table_sizes
    found = {
        "forms": normal(forms, shape.form_width, scale=0.5),
        "hashed": normal(sum(hashed), shape.hashed_width, scale=0.5),
        "characters": normal(shape.n_characters, shape.characters, scale=0.5),
    }
    scale = (3 * shape.characters) ** -0.5
    found["convolution"] = normal(3, shape.characters, shape.character_units, scale=scale)
    found["convolution.bias"] = np.zeros(shape.character_units, np.float32)
    n_in, n = shape.input, shape.width
    for i in range(shape.layers):
        found[f"layer.{i}.in"] = matrix(n_in, 8 * n)
        found[f"layer.{i}.recurrent"] = np.stack([matrix(n, 4 * n) for _ in range(2)])
        bias: AnyArray = np.zeros((2, 4, n), np.float32)
        bias[:, 1] = 1  # of the forget gate
        found[f"layer.{i}.bias"] = bias.reshape(-1)
        n_in = 2 * n
    found["root"] = normal(2 * n, scale=0.5)
    for name, units in (("arc", shape.arcs), ("label", shape.labels)):
        for side in ("dependent", "head"):
            found[f"{name}.{side}"] = matrix(2 * n, units)
            found[f"{name}.{side}.bias"] = np.zeros(units, np.float32)
    found["arc.both"] = normal(shape.arcs + 1, shape.arcs, scale=1 / shape.arcs)
    units = shape.labels + 1
    found["label.both"] = normal(shape.n_labels, units, units, scale=1 / shape.labels)
    for i, size in enumerate(shape.tag_sizes):
        found[f"tag.{i}"] = matrix(2 * n, size)
        found[f"tag.{i}.bias"] = np.zeros(size, np.float32)
    for i, size in shape.parts:
        found[f"tag.{i}.parts"] = matrix(2 * n, size)
        found[f"tag.{i}"] *= np.float32(0.1)  # most of a class's score comes from its parts
    return found


def _split_keys(key: AnyArray | None) -> Iterator[AnyArray | None]:
    """Yield JAX random keys; None without dropout."""
    while True:
        key, found = (None, None) if key is None else jax.random.split(key)
        yield found


def _dropout(key: AnyArray | None, x: AnyArray, rate: float, *sizes: int) -> AnyArray:
    """Apply dropout; the mask is shared along dimensions of size 1 in `sizes`."""
    if key is None or rate == 0:
        return x
    kept = jax.random.bernoulli(key, 1 - rate, sizes or x.shape)
    return jnp.where(kept, x / (1 - rate), 0)


def word_inputs(
    shape: TeacherShape,
    p: Parameters,
    given: AnyArray,
    arrays: dict[str, AnyArray],
    dropout: TeacherDropout,
    keys: Iterator[AnyArray | None],
) -> AnyArray:
    """Return the representation of words without context: B, T, input.

    `single` holds the table row of each feature, last the row of `given`, the pretrained vectors;
    `characters` holds the numbers of their characters, 0 for padding.
    """
    rows, (b, t) = arrays["single"], arrays["single"].shape[:2]
    fields = len(shape.table_sizes)
    forms = _unknown(next(keys), rows[:, :, 0], dropout.word)
    # one joint table: less to compile
    first = np.cumsum([0, *shape.table_sizes[1:-1]], dtype=np.int32)
    hashed = picked(p["hashed"], rows[:, :, 1:fields] + first)
    found = [picked(p["forms"], forms), hashed.reshape(b, t, -1)]
    if shape.vectors:
        found.append(picked(given, _unknown(next(keys), rows[:, :, fields], dropout.word)))
    characters = arrays["characters"]
    x = picked(p["characters"], characters).reshape(b * t, -1, shape.characters)
    convolved = jax.lax.conv_general_dilated(
        x, p["convolution"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")
    )
    is_character = (characters > 0).reshape(b * t, -1, 1)
    units = jnp.where(is_character, convolved + p["convolution.bias"], -10).max(axis=1)
    found.append(jnp.tanh(units).reshape(b, t, shape.character_units))
    return _dropout(next(keys), jnp.concatenate(found, axis=2), dropout.input)


def _unknown(key: AnyArray | None, rows: AnyArray, rate: float) -> AnyArray:
    """Replace some rows by that of the unknown word."""
    if key is None or rate == 0:
        return rows
    return jnp.where(jax.random.bernoulli(key, 1 - rate, rows.shape), rows, 0)


def lstm(
    p: Parameters, layer: int, width: int, x: AnyArray, lengths: AnyArray, rate: float, key: Any
) -> AnyArray:
    """Run one bidirectional LSTM layer: B, T, 2 · width. The backward pass starts at each end."""
    b, t = x.shape[:2]
    gates = (x @ p[f"layer.{layer}.in"] + p[f"layer.{layer}.bias"]).reshape(b, t, 2, 4 * width)
    position = jnp.arange(t)
    back = jnp.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)  # B, T
    reversed_ = jnp.take_along_axis(gates[:, :, 1], back[:, :, None], axis=1)
    both = jnp.stack([gates[:, :, 0], reversed_]).transpose(2, 0, 1, 3)  # T, 2, B, 4 · width
    matrix = p[f"layer.{layer}.recurrent"]
    mask = _dropout(key, jnp.ones((2, b, width), x.dtype), rate)

    def step(state: tuple[AnyArray, AnyArray], now: AnyArray) -> Any:
        h, c = state
        i, f, o, g = jnp.split(now + jnp.einsum("dbh,dhg->dbg", h * mask, matrix), 4, axis=2)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((2, b, width), x.dtype)
    states = jax.lax.scan(step, (zero, zero), both)[1].transpose(1, 2, 0, 3)
    again = jnp.take_along_axis(states[1], back[:, :, None], axis=1)
    return jnp.concatenate([states[0], again], axis=2)


def score_words(
    shape: TeacherShape,
    p: Parameters,
    given: AnyArray,
    parts: dict[int, AnyArray],
    arrays: dict[str, AnyArray],
    dropout: TeacherDropout = NO_DROPOUT,
    key: AnyArray | None = None,
) -> TeacherScores:
    """Score heads, labels and tags of a batch."""
    keys = _split_keys(key)
    x = word_inputs(shape, p, given, arrays, dropout, keys)
    b, t = x.shape[:2]
    lengths = arrays["lengths"]
    for i in range(shape.layers):
        if i:
            x = _dropout(next(keys), x, dropout.layer, b, 1, x.shape[2])
        x = lstm(p, i, shape.width, x, lengths, dropout.recurrent, next(keys))
    x = _dropout(next(keys), x, dropout.layer, b, 1, x.shape[2])
    root = jnp.broadcast_to(p["root"], (b, 1, x.shape[2]))
    with_root = jnp.concatenate([root, x], axis=1)

    def units(name: str, of: AnyArray) -> AnyArray:
        made = of @ p[name] + p[f"{name}.bias"]
        made = jnp.where(made >= 0, made, SLOPE * made)
        return _dropout(next(keys), made, dropout.heads, b, 1, made.shape[2])

    def classes(i: int) -> AnyArray:
        return p[f"tag.{i}"] + p[f"tag.{i}.parts"] @ parts[i].T if i in parts else p[f"tag.{i}"]

    dependents, heads = units("arc.dependent", x), units("arc.head", with_root)
    both = _and_one(dependents) @ p["arc.both"]
    arcs = jnp.einsum("btk,bhk->bth", both, heads)
    head = jnp.arange(t + 1)
    is_head = (head <= lengths[:, None])[:, None] & (head != jnp.arange(1, t + 1)[:, None])
    return TeacherScores(
        jnp.where(is_head, arcs, LOWEST),
        units("label.dependent", x),
        units("label.head", with_root),
        [x @ classes(i) + p[f"tag.{i}.bias"] for i in range(len(shape.tag_sizes))],
    )


def _and_one(x: AnyArray) -> AnyArray:
    return jnp.concatenate([x, jnp.ones_like(x[..., :1])], axis=-1)


def label_scores(p: Parameters, dependents: AnyArray, heads: AnyArray, chosen: Any) -> AnyArray:
    """Score the labels of one arc per word: B, T, labels."""
    of_heads = jnp.take_along_axis(heads, chosen[:, :, None], axis=1)
    some = jnp.einsum("bti,lij->btlj", _and_one(dependents), p["label.both"])
    return jnp.einsum("btlj,btj->btl", some, _and_one(of_heads))


def teacher_loss(
    shape: TeacherShape,
    p: Parameters,
    given: AnyArray,
    parts: dict[int, AnyArray],
    arrays: dict[str, AnyArray],
    dropout: TeacherDropout,
    key: AnyArray | None,
) -> AnyArray:
    """Return the loss of heads, labels and tags per word; negative classes add nothing."""
    scores = score_words(shape, p, given, parts, arrays, dropout, key)
    heads, labels = arrays["heads"], arrays["labels"]
    total = cross_entropy(scores.arcs, heads).sum()
    of_labels = label_scores(p, scores.dependents, scores.heads, jnp.maximum(heads, 0))
    total += cross_entropy(of_labels, jnp.where(heads < 0, -1, labels)).sum()
    for i, found in enumerate(scores.tags):
        total += cross_entropy(found, arrays["tags"][i]).sum()
    return total / jnp.maximum(arrays["lengths"].sum(), 1)


def cross_entropy(scores: AnyArray, right: AnyArray) -> AnyArray:
    """Return the cross-entropy of each word; 0 if its class is negative (unknown)."""
    chosen = jnp.take_along_axis(scores, jnp.maximum(right, 0)[..., None], axis=-1)[..., 0]
    return jnp.where(right < 0, 0, jax.nn.logsumexp(scores, axis=-1) - chosen)
