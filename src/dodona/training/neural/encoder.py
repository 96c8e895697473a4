"""Words in JAX: a vector of each without its context, then layers that see the whole sentence, then
tags, and what the word adds to a state in each slot.

All words of a batch lie one after the other, whatever sentence they are of, so that nothing is
padded but the end. Functions take the parameters as `p`, and seeds for what is left out at random:
none, when the network is used and not taught.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.dropout import Seeds, drop, is_kept
from dodona.training.neural.lookup import picked
from dodona.training.neural.network import PIECES, Dropout, Numbers, Parameters, Shape
from dodona.training.neural.recurrence import recurrence

EPSILON = 1e-6
OF_LAYER = ("gain", "conv", "in", "in.bias", "out", "out.bias")


def norm(x: Numbers) -> Numbers:
    """Each row divided by the root of its mean square (Zhang & Sennrich 2019)."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + EPSILON)


def word_vectors(
    shape: Shape, p: Parameters, types: dict[str, Numbers], seeds: Seeds, dropout: Dropout
) -> Numbers:
    """The vectors of word types. `types` has their rows: `single` per type and field but the bag;
    `bag` and, ascending, `bag_type`, the type of each; `bag_share`, 1 / how many a type has."""
    single, n_types = types["single"], types["single"].shape[0]
    if seeds and dropout.word:
        known = is_kept(seeds["word"], dropout.word, n_types)
        single = jnp.concatenate([jnp.where(known, single[:, :1], 0), single[:, 1:]], axis=1)
    before, after = jnp.split(single, [shape.bag], axis=1)
    bag = bag_means(p[f"word.{shape.bag}"], types)
    fields = [*look_up(shape, p, 0, before), bag, *look_up(shape, p, shape.bag + 1, after)]
    c = drop(seeds.get("input"), jnp.concatenate(fields, axis=1), dropout.input)
    y = c @ p["word.maxout"].T + p["word.maxout.bias"]
    return norm(y.reshape(n_types, PIECES, shape.width).max(axis=1))


def look_up(shape: Shape, p: Parameters, first: int, places: Numbers) -> Iterator[Numbers]:
    """The rows of types in the tables of fields from `first` on; neighbours of one width together,
    which is less to compile."""

    def kind(i: int) -> tuple[int, bool]:
        return shape.field_widths[i], i in shape.fixed

    for (width, is_fixed), some in groupby(range(first, first + places.shape[1]), kind):
        alike = list(some)
        table = jnp.concatenate([p[f"word.{i}"] for i in alike])
        if is_fixed:
            table = jax.lax.stop_gradient(table)
        starts = np.cumsum([0, *(shape.table_sizes[i] for i in alike[:-1])], dtype=np.int32)
        rows = places[:, alike[0] - first : alike[-1] + 1 - first] + starts
        yield picked(table, rows.ravel()).reshape(places.shape[0], len(alike) * width)


def bag_means(table: Numbers, types: dict[str, Numbers]) -> Numbers:
    """The mean of the rows that each type has in its bag."""
    rows, n_types = picked(table, types["bag"]), types["bag_share"].shape[0]
    sums = jax.ops.segment_sum(rows, types["bag_type"], n_types, indices_are_sorted=True)
    return sums * types["bag_share"][:, None]


def encode(
    shape: Shape, p: Parameters, arrays: dict[str, Numbers], seeds: Seeds, dropout: Dropout
) -> Numbers:
    """Words in their context, normed; `is_first` and `is_last` are the borders of sentences."""
    x = picked(word_vectors(shape, p, arrays, seeds, dropout), arrays["type"])
    is_first, is_last = arrays["is_first"][:, None], arrays["is_last"][:, None]
    for i in range(shape.layers):
        q = {name: p[f"layer.{i}.{name}"] for name in OF_LAYER}
        n = with_neighbours(norm(x) * q["gain"], q["conv"], is_first, is_last)
        n = drop(seeds["layer"][i] if seeds else None, n, dropout.layer)
        z, f, o = jnp.split(n @ q["in"].T + q["in.bias"], 3, axis=1)
        h = in_both_directions(z, jax.nn.sigmoid(f + 1), is_first, is_last) * jax.nn.silu(o)
        x = x + h @ q["out"].T + q["out.bias"]
    return norm(x) * p["gain"]


def with_neighbours(n: Numbers, weights: Numbers, is_first: Numbers, is_last: Numbers) -> Numbers:
    """Each word with the words before and after it, unit by unit."""
    zero = jnp.zeros_like(n[:1])
    before = jnp.where(is_first, 0, jnp.concatenate([zero, n[:-1]]))
    after = jnp.where(is_last, 0, jnp.concatenate([n[1:], zero]))
    return before * weights[0] + n * weights[1] + after * weights[2]


def in_both_directions(z: Numbers, f: Numbers, is_first: Numbers, is_last: Numbers) -> Numbers:
    """The recurrence with gates f over z: half of the units from the left, half from the right."""
    is_right = jnp.arange(z.shape[1]) >= z.shape[1] // 2
    is_start = jnp.where(is_right, is_last, is_first)
    return recurrence(jnp.where(is_start, 0, f), (1 - f) * z)


def tag_logits(shape: Shape, p: Parameters, n: Numbers, parts: dict[int, Numbers]) -> list[Numbers]:
    """The logits of each tag head; `parts` are those of heads whose classes have them."""

    def matrix(head: int) -> Numbers:
        own = p[f"tag.{head}"]
        return own + parts[head] @ p[f"tag.{head}.parts"] if head in parts else own

    return [n @ matrix(i).T + p[f"tag.{i}.bias"] for i in range(len(shape.tag_sizes))]


def slot_inputs(shape: Shape, p: Parameters, n: Numbers, logits: list[Numbers]) -> Numbers:
    """What is multiplied with the slots: a row for no node, one for the root, then the words, to
    which their expected tags are added."""
    for i in shape.fed_back:
        n = n + jax.nn.softmax(logits[i]) @ p[f"tag.{i}.back"].T
    return jnp.concatenate([p["missing"][None], p["root"][None], n])


def slot_products(p: Parameters, inputs: Numbers) -> Numbers:
    """What each of them adds in each slot: a row of slots · hidden numbers."""
    return inputs @ p["slot"].T
