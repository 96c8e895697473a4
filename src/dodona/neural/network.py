"""The network of the neural scorer in JAX: the same numbers as `core/network`, and their gradients.

A word's vector without its context, layers of bidirectional gated linear recurrences, tag heads, and
the scores of a state's classes from the words in its slots. All words of a batch lie one after the
other, whatever sentence they are of, so that nothing is padded but the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.neural.recurrence import recurrence

Numbers = Any  # an array of JAX or NumPy
Parameters = dict[str, Numbers]

PIECES = 3  # of the maxout
EPSILON = 1e-6
SLOPE = 0.125  # of the leaky ReLU: a shift by three bits


@dataclass(frozen=True)
class Shape:
    """The sizes of a network."""

    width: int
    layers: int
    hidden: int
    table_sizes: tuple[int, ...]  # rows of each field's table
    field_widths: tuple[int, ...]
    bag: int  # the field that has any number of rows; the others have one
    tag_sizes: tuple[int, ...]
    n_slots: int
    n_atom_rows: int
    n_classes: int
    fed_back: tuple[int, ...] = ()  # tag heads whose expected vector is added before parsing
    fixed: tuple[int, ...] = ()  # fields whose vectors are given, and not learned
    conv: bool = False
    spread: float = 0.0
    arcs: int = 0
    parts: tuple[tuple[int, int], ...] = field(default=())  # tag heads with parts: (head, how many)


@dataclass(frozen=True)
class Dropout:
    """Shares of what is left out while learning."""

    word: float = 0.1  # forms that are taken for unknown
    input: float = 0.2
    layer: float = 0.2
    hidden: float = 0.2


def new_parameters(shape: Shape, seed: int, vectors: Numbers | None = None) -> Parameters:
    """Parameters to start from."""
    random = np.random.default_rng(seed)

    def normal(*sizes: int, scale: float) -> Numbers:
        return (random.standard_normal(sizes) * scale).astype(np.float32)

    def matrix(n_out: int, n_in: int, gain: float = 1.0) -> Numbers:
        return normal(n_out, n_in, scale=gain * (1 / n_in) ** 0.5)

    d, found = shape.width, {}
    for i, (rows, columns) in enumerate(zip(shape.table_sizes, shape.field_widths, strict=True)):
        found[f"word.{i}"] = normal(rows, columns, scale=0.5)
    for i in shape.fixed:
        found[f"word.{i}"] = np.asarray(vectors, np.float32)
    found["word.maxout"] = matrix(PIECES * d, sum(shape.field_widths))
    found["word.maxout.bias"] = np.zeros(PIECES * d, np.float32)
    for i in range(shape.layers):
        found[f"layer.{i}.gain"] = np.ones(d, np.float32)
        found[f"layer.{i}.in"] = matrix(3 * d, d)
        found[f"layer.{i}.in.bias"] = np.zeros(3 * d, np.float32)
        if shape.conv:
            found[f"layer.{i}.conv"] = normal(3, d, scale=0.1)
            found[f"layer.{i}.conv"][1] += 1
        if shape.spread:
            h = d // 2
            b = np.linspace(-1, shape.spread, h)
            found[f"layer.{i}.in.bias"][d : d + h] = b
            found[f"layer.{i}.in.bias"][d + h : 2 * d] = b
        found[f"layer.{i}.out"] = matrix(d, d, gain=0.5)
        found[f"layer.{i}.out.bias"] = np.zeros(d, np.float32)
    found["gain"] = np.ones(d, np.float32)
    for i, n in enumerate(shape.tag_sizes):
        found[f"tag.{i}"] = matrix(n, d, gain=0.5)
        found[f"tag.{i}.bias"] = np.zeros(n, np.float32)
    for i, n in shape.parts:
        found[f"tag.{i}.parts"] = matrix(n, d, gain=0.5)
        found[f"tag.{i}"] *= 0.1
    for i in shape.fed_back:
        found[f"tag.{i}.back"] = normal(d, shape.tag_sizes[i], scale=0.3)
    if shape.arcs:
        found["arc.dep"], found["arc.head"] = matrix(shape.arcs, d), matrix(shape.arcs, d)
        found["arc.bias"] = np.zeros(shape.arcs, np.float32)
        found["arc.root"] = normal(d, scale=0.5)
    found["missing"], found["root"] = normal(d, scale=0.5), normal(d, scale=0.5)
    found["slot"] = normal(shape.n_slots * shape.hidden, d, scale=(1 / (d * shape.n_slots)) ** 0.5)
    found["atom"] = normal(shape.n_atom_rows, shape.hidden, scale=0.1)
    found["hidden.bias"] = np.zeros(shape.hidden, np.float32)
    found["class"] = matrix(shape.n_classes, shape.hidden)
    found["class.bias"] = np.zeros(shape.n_classes, np.float32)
    return found


def norm(x: Numbers) -> Numbers:
    """Each row divided by the root of its mean square."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + EPSILON)


def drop(key: Numbers | None, x: Numbers, rate: float) -> Numbers:
    """Leave out a share of the numbers, if there is a key."""
    if key is None or rate == 0:
        return x
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)


def word_vectors(
    shape: Shape, p: Parameters, types: dict[str, Numbers], keys: Any, dropout: Dropout
) -> Numbers:
    """The vectors of word types. `types` has their rows: `single` per type and field but the bag;
    `bag` and, ascending, `bag_type`, the type of each; `bag_share`, 1 / how many a type has."""
    single, n_types = types["single"], types["single"].shape[0]
    if keys is not None and dropout.word:
        known = jax.random.bernoulli(keys[0], 1 - dropout.word, (n_types,))
        single = single.at[:, 0].set(jnp.where(known, single[:, 0], 0))
    parts, column = [], 0
    for i in range(len(shape.table_sizes)):
        table = p[f"word.{i}"]
        if i in shape.fixed:
            table = jax.lax.stop_gradient(table)
        if i == shape.bag:
            summed = jax.ops.segment_sum(
                table[types["bag"]], types["bag_type"], n_types, indices_are_sorted=True
            )
            parts.append(summed * types["bag_share"][:, None])
        else:
            parts.append(table[single[:, column]])
            column += 1
    c = jnp.concatenate(parts, axis=1)
    c = drop(None if keys is None else keys[1], c, dropout.input)
    y = c @ p["word.maxout"].T + p["word.maxout.bias"]
    return norm(y.reshape(n_types, PIECES, shape.width).max(axis=1))


def encode(
    shape: Shape,
    p: Parameters,
    x: Numbers,
    is_first: Numbers,
    is_last: Numbers,
    keys: Any,
    dropout: Dropout,
) -> Numbers:
    """Words in their context, normed; `is_first` and `is_last` tell where sentences begin and end."""
    half = shape.width // 2
    for i in range(shape.layers):
        n = norm(x) * p[f"layer.{i}.gain"]
        if shape.conv:
            c = p[f"layer.{i}.conv"]
            zero = jnp.zeros_like(n[:1])
            before = jnp.where(is_first[:, None], 0, jnp.concatenate([zero, n[:-1]]))
            after = jnp.where(is_last[:, None], 0, jnp.concatenate([n[1:], zero]))
            n = before * c[0] + n * c[1] + after * c[2]
        if keys is not None:
            n = drop(keys[2 + i], n, dropout.layer)
        u = n @ p[f"layer.{i}.in"].T + p[f"layer.{i}.in.bias"]
        z, f, o = jnp.split(u, 3, axis=1)
        f = jax.nn.sigmoid(f + 1)
        g = (1 - f) * z
        forward = recurrence(jnp.where(is_first[:, None], 0, f[:, :half]), g[:, :half])
        backward = recurrence(
            jnp.where(is_last[:, None], 0, f[:, half:])[::-1], g[::-1, half:]
        )[::-1]
        h = jnp.concatenate([forward, backward], axis=1) * jax.nn.silu(o)
        x = x + h @ p[f"layer.{i}.out"].T + p[f"layer.{i}.out.bias"]
    return norm(x) * p["gain"]


def tag_matrix(p: Parameters, head: int, parts: Numbers | None) -> Numbers:
    """A row for each class of a tag head; where its classes have parts, their rows are added."""
    own = p[f"tag.{head}"]
    return own if parts is None else own + parts @ p[f"tag.{head}.parts"]


def tags_and_products(
    shape: Shape, p: Parameters, n: Numbers, parts: dict[int, Numbers], keys: Any, dropout: Dropout
) -> tuple[list[Numbers], Numbers]:
    """The logits of each tag head, and what each word adds in each slot, with two rows before the
    words, for no node and for the root: an array of rows × (slots · hidden)."""
    kept = n if keys is None else drop(keys[-2], n, dropout.layer)
    logits = [
        kept @ tag_matrix(p, i, parts.get(i)).T + p[f"tag.{i}.bias"]
        for i in range(len(shape.tag_sizes))
    ]
    y = kept
    for i in shape.fed_back:
        y = y + jax.nn.softmax(logits[i]) @ p[f"tag.{i}.back"].T
    y = jnp.concatenate([p["missing"][None], p["root"][None], y])
    return logits, y @ p["slot"].T


def class_scores(
    shape: Shape,
    p: Parameters,
    products: Numbers,
    rows: Numbers,
    atom_rows: Numbers,
    keys: Any,
    dropout: Dropout,
) -> Numbers:
    """The scores of all classes in states, given the rows of their slots' words and their atoms."""
    units = jnp.broadcast_to(p["hidden.bias"], (rows.shape[0], shape.hidden))
    for i in range(shape.n_slots):
        units = units + products[:, i * shape.hidden : (i + 1) * shape.hidden][rows[:, i]]
    for i in range(atom_rows.shape[1]):
        units = units + p["atom"][atom_rows[:, i]]
    units = jnp.where(units >= 0, units, units * SLOPE)
    units = drop(None if keys is None else keys[-1], units, dropout.hidden)
    return units @ p["class"].T + p["class.bias"]
