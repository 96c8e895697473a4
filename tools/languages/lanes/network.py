"""The network of a lane and its losses, in JAX; `jax.vmap` makes many lanes of it.

All lanes have the sizes of the largest. A class that a language lacks has a bias of LOWEST, and
therefore never any probability, nor a gradient.

What a network knows of sentences, languages can share: layers, and how heads, universal relations
and UPOS depend on words in context. What words mean is always the language's own.

Beside the losses of a model (`training.neural.losses`) there are two more. Labels are predicted
given the head, so that networks can annotate text without states: heads are those of the auxiliary
arc loss. And of a text without annotation some words are hidden, and guessed from the others
(Devlin et al. 2019), which teaches the network the words of the language.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS
from dodona.training.neural.encoder import (
    Seeds,
    drop,
    encode,
    is_kept,
    slot_inputs,
    tag_logits,
)
from dodona.training.neural.lookup import picked
from dodona.training.neural.losses import (
    BLOCK,
    arc_loss,
    arc_scores,
    class_scores,
    soft_tag_losses,
    state_losses,
    tag_losses,
)
from dodona.training.neural.network import (
    Arrays,
    Dropout,
    Numbers,
    Parameters,
    Parts,
    Shape,
    new_parameters,
)
from dodona.training.neural.optimizer import TINY
from dodona.training.neural.rollouts import PER_WORD
from dodona.training.neural.tag_heads import NO_CLASS
from tools.languages.lanes.lane import LABELS, LIKELIEST, TEACHER, UPOS_TAGS, with_shares

LOWEST = -1e4  # bias of a class that a language does not have
LABEL_UNITS = 128
HIDDEN, MOST_HIDDEN = 0.2, 0.25  # share of the words that are guessed
ROOT = 3 * BLOCK  # column of the root among the scores of heads
SHARES = {"arcs": 0.5, "labels": 0.5}  # weights of losses; that of others is 1
SHARED = ("layer.", "gain", "arc.", "label.dependent", "label.head")  # by languages, as a whole …
SHARED_ROWS = {  # … and by rows: those of universal classes
    "label.both": len(LABELS),
    "label.one": len(LABELS),
    "label.bias": len(LABELS),
    "tag.0": len(UPOS_TAGS),
    "tag.0.bias": len(UPOS_TAGS),
}
OF_CLASSES = "tag.", "class.", "label.", "guess."  # parameters that have biases of classes
ONLY_IN_TRAINING = "arc.", "label.", "guess"  # parameters that no model has


def new_lane(shape: Shape, n_labels: int, seed: int) -> Parameters:
    """Return the initial parameters of a network."""
    random = np.random.default_rng([seed, 1])

    def matrix(n_out: int, n_in: int) -> Numbers:
        return (random.standard_normal((n_out, n_in)) * n_in**-0.5).astype(np.float32)

    return new_parameters(shape, seed) | {
        "label.dependent": matrix(LABEL_UNITS, shape.width),
        "label.head": matrix(LABEL_UNITS, shape.width),
        "label.both": matrix(n_labels, LABEL_UNITS),
        "label.one": matrix(n_labels, 2 * LABEL_UNITS),
        "label.bias": np.zeros(n_labels, np.float32),
        "guess": matrix(shape.field_widths[0], shape.width),
        "guess.bias": np.zeros(shape.table_sizes[0], np.float32),
    }


def shared_rows(name: str, n_rows: int) -> int:
    """Return how many rows of a parameter languages can share, of as many as it has.

    >>> shared_rows("gain", 192), shared_rows("tag.0", 20), shared_rows("word.0", 6000)
    (192, 17, 0)
    """
    return n_rows if name.startswith(SHARED) else min(SHARED_ROWS.get(name, 0), n_rows)


def padded_to(sizes: dict[str, tuple[int, ...]], p: Parameters) -> Parameters:
    """Return parameters of these sizes: after their own numbers come zeros or, in the biases of
    classes, LOWEST."""

    def padded(name: str, value: Numbers) -> Numbers:
        more = [(0, most - n) for n, most in zip(value.shape, sizes[name], strict=True)]
        is_of_classes = name.endswith(".bias") and name.startswith(OF_CLASSES)
        return np.pad(value, more, constant_values=LOWEST if is_of_classes else 0)

    return {name: padded(name, value) for name, value in p.items()}


def batch_arrays(data: Arrays, chosen: Numbers, is_shown: Numbers) -> Arrays:
    """Return the words of a batch; `chosen` are their numbers, or negative for padding. Of words
    that are not shown nothing is known but that they are there. A word has several heads, the
    likeliest ones, with weights."""
    n, here = chosen.shape[0], jnp.arange(chosen.shape[0])
    known, inside = jnp.maximum(chosen, 0), chosen >= 0
    position, length = data["position"][known], data["length"][known]
    types = data["type"][known]
    n_bag = data["n_bag"][types].astype(jnp.float32)[:, None]
    in_bag = (jnp.arange(data["bag"].shape[1]) < n_bag) & is_shown[:, None]
    distance = data["head"][:, known].astype(jnp.int32)
    share = data["head_share"][:, known].astype(jnp.float32)
    is_known = inside & (share > 0) & (jnp.abs(distance) < n)
    return {
        "type": here,
        "single": jnp.where(is_shown[:, None], data["single"][types].astype(jnp.int32), 0),
        "bag": data["bag"][types].astype(jnp.int32),
        "bag_weight": jnp.where(in_bag, 1 / jnp.maximum(n_bag, 1), 0),
        "is_first": ~inside | (position == 0),
        "is_last": ~inside | (position == length - 1),
        "word_share": inside.astype(jnp.float32),
        "first": here - position,
        "heads": jnp.where(is_known, jnp.where(distance == 0, n, here + distance), -1),
        "head_weights": jnp.where(is_known, share, 0),
    }


def lane_loss(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    data: Arrays,
    parts: Parts,
    chosen: Numbers,
    seeds: Seeds,
    n_states: int,
    n_hiding: int,
) -> Numbers:
    """Return the loss of a batch, per word.

    Only the first `n_states` words have states; of the last `n_hiding`, some are hidden.
    """
    is_shown = shown(seeds, chosen.shape[0], n_hiding)
    arrays = batch_arrays(data, chosen, is_shown)
    n = encode(shape, p, arrays, seeds, dropout)
    kept, known = drop(seeds.get("tags"), n, dropout.layer), jnp.maximum(chosen, 0)
    logits, share = tag_logits(shape, p, kept, parts), arrays["word_share"]

    def of_classes(scores: Numbers, key: str, counted: Numbers, *place: int) -> Numbers:
        classes, weights = (data[x][place][:, known].T for x in (key, f"{key}_share"))
        wanted = classes.astype(jnp.int32), weights.astype(jnp.float32)
        return (soft_tag_losses(scores, *wanted) * counted).sum()

    of_tags = sum(of_classes(x, "tags", share, i) for i, x in enumerate(logits))
    of_arcs = arc_loss(shape, p, drop(seeds.get("arcs"), n, dropout.layer), arrays)
    head = arrays["heads"][0]
    scores = label_scores(p, kept, jnp.maximum(head, 0))
    of_labels = of_classes(scores, "label", share * (head >= 0))
    total = of_tags + SHARES["arcs"] * of_arcs + SHARES["labels"] * of_labels
    total /= jnp.maximum(share.sum(), 1)
    if n_hiding:
        forms = data["single"][data["type"][known], 0].astype(jnp.int32)
        wanted = jnp.where(is_shown | (chosen < 0) | (forms == 0), NO_CLASS, forms)
        total += guess_loss(p, kept, wanted, n_hiding)
    if n_states:
        inputs = slot_inputs(shape, p, kept[:n_states], [x[:n_states] for x in logits])
        states = lane_states(data, arrays, known[:n_states])
        of_states = states_loss(shape, dropout, p, inputs, states, seeds)
        total += of_states / jnp.maximum(share[:n_states].sum(), 1)
    return total


def shown(seeds: Seeds, n: int, n_hiding: int) -> Numbers:
    """Return which of n words are shown: all but some of the last ones."""
    if not n_hiding:
        return jnp.ones(n, bool)
    return is_kept(seeds["arcs"] + 1, HIDDEN, n)[:, 0] | (jnp.arange(n) < n - n_hiding)


def guess_loss(p: Parameters, n: Numbers, forms: Numbers, n_hiding: int) -> Numbers:
    """Return the loss of guesses of forms, which are negative for what is not guessed.

    A few words beyond MOST_HIDDEN are left out, so that scores are computed for no others.
    """
    which = jnp.nonzero(forms >= 0, size=int(MOST_HIDDEN * n_hiding), fill_value=-1)[0]
    scores = picked(n, jnp.maximum(which, 0)) @ p["guess"].T @ p["word.0"].T + p["guess.bias"]
    wanted = jnp.where(which >= 0, forms[which], NO_CLASS)
    return tag_losses(scores, wanted).sum() / n_hiding


def label_scores(p: Parameters, n: Numbers, heads: Numbers) -> Numbers:
    """Return the scores of words' labels, given the positions of heads; that after the last word
    is the root."""
    above = jnp.concatenate([n, p["root"][None]])
    dependent = jax.nn.silu(n @ p["label.dependent"].T)
    head = picked(jax.nn.silu(above @ p["label.head"].T), heads)
    one = jnp.concatenate([dependent, head], axis=1) @ p["label.one"].T
    return (dependent * head) @ p["label.both"].T + one + p["label.bias"]


def lane_states(data: Arrays, arrays: Arrays, known: Numbers) -> Arrays:
    """Return the states of words: rows in the batch, atoms, verdicts, and whether they count."""
    which = (known[:, None] * PER_WORD + jnp.arange(PER_WORD)).ravel()
    which = jnp.minimum(which, data["verdict"].shape[0] - 1)
    first, share = (jnp.repeat(arrays[x][: len(known)], PER_WORD) for x in ("first", "word_share"))
    rows, verdict = data["rows"][which].astype(jnp.int32), data["verdict"][which]
    rows = jnp.where(rows < N_SPECIAL_ROWS, rows, rows + first[:, None])
    return {
        "rows": jnp.where(share[:, None] > 0, rows, 0),
        "atoms": data["atoms"][which].astype(jnp.int32),
        "verdicts": data["verdicts"][jnp.maximum(verdict, 0)],
        "share": share * (verdict >= 0),
    }


def states_loss(
    shape: Shape, dropout: Dropout, p: Parameters, inputs: Numbers, states: Arrays, seeds: Seeds
) -> Numbers:
    """Return the summed loss of states."""
    products = (inputs @ p["slot"].T).reshape(-1, shape.hidden)  # row by row, slot by slot
    where = states["rows"] * shape.n_slots + jnp.arange(shape.n_slots)
    units = picked(products, where).sum(axis=1) + picked(p["atom"], states["atoms"]).sum(axis=1)
    scores = class_scores(p, units, seeds, dropout)
    return (state_losses(scores, states["verdicts"]) * states["share"]).sum()


def lane_votes(shape: Shape, p: Parameters, data: Arrays, parts: Parts, chosen: Numbers) -> Arrays:
    """Return the likeliest heads (distances), labels and tags of words, with their shares of these:
    those to which several networks together and, by its weight, a teacher give the highest
    probabilities. Labels are those of arcs to the likeliest head. Parameters have an axis for the
    network."""
    here, known = jnp.arange(chosen.shape[0]), jnp.maximum(chosen, 0)
    arrays = batch_arrays(data, chosen, jnp.ones(len(here), bool))

    def words(p: Parameters) -> tuple[Numbers, Numbers, list[Numbers]]:
        n = encode(shape, p, arrays, {}, Dropout(0, 0, 0, 0))
        heads = jax.nn.softmax(arc_scores(shape, p, n, arrays), axis=2)
        tags = [jax.nn.softmax(x) for x in tag_logits(shape, p, n, parts)]
        return n, heads.reshape(-1, heads.shape[2])[: len(n)], tags

    def taught(shares: Numbers, key: str, *place: Any) -> Numbers:
        """Add the shares of classes that the teacher gives them."""
        named = f"{TEACHER}{key}", f"{TEACHER}{key}_share"
        if named[0] not in data:
            return shares
        classes, more = (data[name][place][:, known].T for name in named)
        if key == "head":  # a distance; some are farther than the columns reach
            near = own[:, None] + classes.astype(jnp.int32)
            classes = jnp.where(classes == 0, ROOT, jnp.where(near < ROOT, near, -1))
        is_near = (classes >= 0) & (classes < shares.shape[1])
        return shares.at[here[:, None], jnp.where(is_near, classes, 0)].add(
            jnp.where(is_near, more, 0).astype(shares.dtype) * data[f"{TEACHER}weight"]
        )

    n, heads, tags = jax.vmap(words)(p)
    own = here % BLOCK + BLOCK
    of_heads = taught(heads.mean(axis=0) * (jnp.arange(heads.shape[2]) != own[:, None]), "head")
    columns, of_heads = best(of_heads, LIKELIEST["head"])
    position = jnp.where(columns == ROOT, len(here), here // BLOCK * BLOCK - BLOCK + columns)
    above = position[0]
    labels = jax.vmap(lambda p, n: jax.nn.softmax(label_scores(p, n, above)))(p, n).mean(axis=0)
    label, of_label = best(taught(labels, "label"), LIKELIEST["label"])
    of_columns = (taught(x.mean(axis=0), "tags", i) for i, x in enumerate(tags))
    of_tags = [best(x, LIKELIEST["tags"]) for x in of_columns]
    tag, of_tag = map(jnp.stack, zip(*of_tags, strict=True))
    head = jnp.where(columns == ROOT, 0, position - here)
    return with_shares(
        {"head": (head, of_heads), "label": (label, of_label), "tags": (tag, of_tag)}
    )


def best(shares: Numbers, k: int) -> tuple[Numbers, Numbers]:
    """Return the k classes of each word that have the largest shares, and these, as shares of their
    sum; the axis of words is the last. Where there are fewer classes, others have no share."""
    found, classes = jax.lax.top_k(shares, min(k, shares.shape[1]))
    found /= jnp.maximum(found.sum(axis=1, keepdims=True), TINY)
    more = (0, 0), (0, k - found.shape[1])
    return jnp.pad(classes, more).T, jnp.pad(found, more).T
