"""The word encoder in JAX: vectors of word types, layers over the sentence, tags, slot products.

All words of a batch are in one array, whatever sentence they belong to, so that only its end is
padded. Functions take the parameters as `p`, and seeds for dropout (Srivastava et al. 2014), which
are empty when the network is used and not trained. Whether a number is dropped is a hash of a seed
and of its position: random enough, the same on every machine, and quick to compute and to compile,
unlike JAX's own random numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.lookup import picked
from dodona.training.neural.network import (
    PIECES,
    Arrays,
    Dropout,
    Numbers,
    Parameters,
    Parts,
    Shape,
)
from dodona.training.neural.recurrence import recurrence

EPSILON = 1e-6
OF_LAYER = ("gain", "conv", "in", "in.bias", "out", "out.bias")
SITES = ("word", "input", "tags", "arcs", "hidden")  # and each layer
GOLDEN = 0x9E3779B9  # 2³² / the golden ratio
Seeds = dict[str, Numbers]  # by site of dropout; empty without dropout


def norm(x: Numbers) -> Numbers:
    """Divide each row by the root of its mean square (Zhang & Sennrich 2019)."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + EPSILON)


def word_vectors(
    shape: Shape, p: Parameters, types: Arrays, seeds: Seeds, dropout: Dropout
) -> Numbers:
    """Return the vectors of word types. `types` has their rows: `single` per type and field except
    the bag; `bag` and, ascending, `bag_type`, the type of each; `bag_share`, 1 / their number; or
    `bag` and `bag_weight` with equally many for all types."""
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


def look_up(shape: Shape, p: Parameters, first: int, indices: Numbers) -> Iterator[Numbers]:
    """Yield the rows of types in the tables of fields from `first` on; adjacent tables of equal
    width are looked up together, which compiles faster."""

    def kind(i: int) -> tuple[int, bool]:
        return shape.field_widths[i], i in shape.fixed

    for (width, is_fixed), some in groupby(range(first, first + indices.shape[1]), kind):
        alike = list(some)
        table = jnp.concatenate([p[f"word.{i}"] for i in alike])
        if is_fixed:
            table = jax.lax.stop_gradient(table)
        starts = np.cumsum([0, *(shape.table_sizes[i] for i in alike[:-1])], dtype=np.int32)
        rows = indices[:, alike[0] - first : alike[-1] + 1 - first] + starts
        yield picked(table, rows.ravel()).reshape(indices.shape[0], len(alike) * width)


def bag_means(table: Numbers, types: Arrays) -> Numbers:
    """Return the mean of the rows of each type in the bag."""
    if "bag_weight" in types:
        return (picked(table, types["bag"]) * types["bag_weight"][:, :, None]).sum(axis=1)
    rows, n_types = picked(table, types["bag"]), types["bag_share"].shape[0]
    sums = jax.ops.segment_sum(rows, types["bag_type"], n_types, indices_are_sorted=True)
    return sums * types["bag_share"][:, None]


def encode(shape: Shape, p: Parameters, arrays: Arrays, seeds: Seeds, dropout: Dropout) -> Numbers:
    """Return normalised words in context; `is_first` and `is_last` mark borders of sentences."""
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
    """Convolve each unit over a word and its two neighbours."""
    zero = jnp.zeros_like(n[:1])
    before = jnp.where(is_first, 0, jnp.concatenate([zero, n[:-1]]))
    after = jnp.where(is_last, 0, jnp.concatenate([n[1:], zero]))
    return before * weights[0] + n * weights[1] + after * weights[2]


def in_both_directions(z: Numbers, f: Numbers, is_first: Numbers, is_last: Numbers) -> Numbers:
    """Run the recurrence with gates f over z, half of the units from each side."""
    is_right = jnp.arange(z.shape[1]) >= z.shape[1] // 2
    is_start = jnp.where(is_right, is_last, is_first)
    return recurrence(jnp.where(is_start, 0, f), (1 - f) * z)


def tag_logits(shape: Shape, p: Parameters, n: Numbers, parts: Parts) -> list[Numbers]:
    """Return the logits of each tag head; `parts` compose the classes of some heads."""

    def matrix(head: int) -> Numbers:
        own = p[f"tag.{head}"]
        return own + parts[head] @ p[f"tag.{head}.parts"] if head in parts else own

    return [n @ matrix(i).T + p[f"tag.{i}.bias"] for i in range(len(shape.tag_sizes))]


def slot_inputs(shape: Shape, p: Parameters, n: Numbers, logits: list[Numbers]) -> Numbers:
    """Return the inputs of the slots: a row for a missing node, one for the root, then the words,
    with their expected tags added."""
    for i in shape.fed_back:
        n = n + jax.nn.softmax(logits[i]) @ p[f"tag.{i}.back"].T
    return jnp.concatenate([p["missing"][None], p["root"][None], n])


def slot_products(p: Parameters, inputs: Numbers) -> Numbers:
    """Return the products of inputs and slots: rows of slots * hidden numbers."""
    return inputs @ p["slot"].T


def seeds_of(seed: Numbers, layers: int) -> Seeds:
    """Return a seed for every site of dropout; `layer` has one for each layer."""
    count = jnp.arange(1, len(SITES) + layers + 1, dtype=jnp.uint32)
    seeds = mixed(mixed(jnp.uint32(seed)) + count * jnp.uint32(GOLDEN))
    return dict(zip(SITES, seeds, strict=False)) | {"layer": seeds[len(SITES) :]}


def mixed(x: Numbers) -> Numbers:
    """Hash each 32-bit number (Wellons 2018, lowbias32)."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def is_kept(seed: Numbers, rate: float, n: int, width: int = 1) -> Numbers:
    """Return which numbers of n rows are kept; a share of `rate` is not."""
    row = jax.lax.broadcasted_iota(jnp.uint32, (n, width), 0)
    column = jax.lax.broadcasted_iota(jnp.uint32, (n, width), 1)
    return mixed(row * jnp.uint32(width) + column + seed) >= jnp.uint32(round(rate * 2**32))


def drop(seed: Numbers | None, x: Numbers, rate: float) -> Numbers:
    """Drop a share of the numbers if there is a seed, and scale up the others."""
    if seed is None or rate == 0:
        return x
    return jnp.where(is_kept(seed, rate, *x.shape), x / (1 - rate), 0)
