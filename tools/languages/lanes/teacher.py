"""The teacher: one large network that reads all languages, in JAX.

The networks of lanes are as small as models are, and learn what some ten thousand words of a
language can teach. The teacher is twenty times larger, and learns to parse all treebanks, and to
guess hidden words of all texts (Devlin et al. 2019), at the same time. Its words are not those of
one language but sums of hashed n-grams and affixes, so that what languages write alike is alike.
Each layer has the recurrence of the smaller networks and the attention of a transformer (Vaswani et
al. 2017), with a bias for every distance; without the recurrence it learned far more slowly. What
is a language's own are a vector that is added to its words, and its classes.

Arrays of words have axes for the lane, the row, and the word in the row. No sentence is in two
rows, so that heads are words of the same row.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.encoder import EPSILON, GOLDEN, drop, is_kept, mixed
from dodona.training.neural.lookup import picked
from dodona.training.neural.network import Arrays, Numbers, Parameters
from dodona.training.neural.recurrence import recurrence
from dodona.training.neural.tag_heads import NO_CLASS
from tools.languages.lanes.lane import LABELS, LIKELIEST, UPOS_TAGS, with_shares

ROW = 128  # words
FORM_ROWS, AFFIX_ROWS, GRAM_ROWS = 1 << 18, 1 << 16, 1 << 19  # of tables
MOST_HIDDEN = 0.25  # of the words of text; more are not guessed
LOWEST = -1e4
HALF = jnp.bfloat16
SMALL = 0.1  # scale of vectors of words: most are seen too rarely to leave a far beginning
Seed = Numbers | None  # of dropout; None: there is none


@dataclass(frozen=True)
class Sizes:
    """The sizes of a teacher, and the shares of numbers and words that are dropped or hidden."""

    lanes: int
    labels: int  # of the lane that has most …
    tags: tuple[int, ...]  # … by column
    parts: int  # of the classes of the last column
    forms: int  # that are guessed
    affixes: int  # of a word
    width: int = 512
    layers: int = 6
    heads: int = 8
    inner: int = 2048
    word: int = 256  # units of a form, and of n-grams
    affix: int = 64  # units of an affix
    units: int = 256  # of labels and tags, and half of those of arcs
    drop_form: float = 0.15
    drop_input: float = 0.2
    drop: float = 0.1
    drop_output: float = 0.3
    hidden_gold: float = 0.1
    hidden_text: float = 0.2


def new_teacher(sizes: Sizes, seed: int) -> Parameters:
    """Return the initial parameters."""
    random = np.random.default_rng([seed, 2])
    d, u, w, n = sizes.width, sizes.units, sizes.word, sizes.layers
    lanes, n_inputs = sizes.lanes, 2 * w + sizes.affixes * sizes.affix

    def normal(*shape: int, scale: float) -> Numbers:
        return random.standard_normal(shape, np.float32) * np.float32(scale)

    def matrix(*shape: int, gain: float = 1.0) -> Numbers:
        """Return matrices that multiply the norm of their inputs by about the gain."""
        return normal(*shape, scale=gain * shape[-2] ** -0.5)

    def zeros(*shape: int) -> Numbers:
        return np.zeros(shape, np.float32)

    found = {
        "word.form": normal(FORM_ROWS, w, scale=SMALL),
        "word.affix": normal(sizes.affixes * AFFIX_ROWS, sizes.affix, scale=SMALL),
        "word.grams": normal(GRAM_ROWS, w, scale=SMALL),
        "word.in": matrix(n_inputs, d, gain=4.0),
        "word.hidden": normal(d, scale=0.5),
        "lane": normal(lanes, d, scale=SMALL),
        "layer.gain": np.ones((n, 3, d), np.float32),
        "layer.conv": normal(n, 3, d, scale=0.1) + np.float32([[0], [1], [0]]),
        "layer.in": matrix(n, d, 3 * d),
        "layer.in.bias": zeros(n, 3 * d),
        "layer.out": matrix(n, d, d, gain=(2 * n) ** -0.5),
        "layer.attend": matrix(n, d, 3 * d),
        "layer.distance": zeros(n, sizes.heads, 2 * ROW),
        "layer.attended": matrix(n, d, d, gain=(2 * n) ** -0.5),
        "layer.up": matrix(n, d, sizes.inner),
        "layer.up.bias": zeros(n, sizes.inner),
        "layer.down": matrix(n, sizes.inner, d, gain=(2 * n) ** -0.5),
        "gain": np.ones(d, np.float32),
        "root": normal(d, scale=0.5),
        "arc.dependent": matrix(d, 2 * u),
        "arc.head": matrix(d, 2 * u),
        "arc.both": matrix(2 * u, 2 * u),
        "arc.one": matrix(2 * u, 1),
        "label.dependent": matrix(d, u),
        "label.head": matrix(d, u),
        "label.shared": matrix(3 * u, len(LABELS)),
        "label.own": zeros(lanes, 3 * u, sizes.labels),
        "label.bias": zeros(lanes, sizes.labels),
        "tag": matrix(d, len(sizes.tags) * u),
        "tag.shared": matrix(u, len(UPOS_TAGS)),
        "tag.parts": matrix(lanes, u, sizes.parts),
        "guess": matrix(d, w),
        "guess.own": matrix(lanes, w, sizes.forms),
        "guess.bias": zeros(lanes, sizes.forms),
    }
    for i, n_tags in enumerate(sizes.tags):
        found[f"tag.{i}"] = matrix(lanes, u, n_tags, gain=1.0 if i else 0.0)
        found[f"tag.{i}.bias"] = zeros(lanes, n_tags)
    return found


def dense(x: Numbers, weights: Numbers) -> Numbers:
    """Return the product with a matrix, in half precision."""
    return x.astype(HALF) @ weights.astype(HALF)


def norm(x: Numbers, gain: Numbers) -> Numbers:
    """Divide each row by the root of its mean square, and multiply it with the gain."""
    wide = x.astype(jnp.float32)
    mean = jnp.mean(wide * wide, axis=-1, keepdims=True)
    return (wide * jax.lax.rsqrt(mean + EPSILON) * gain).astype(HALF)


def at(seed: Numbers, site: Numbers | int) -> Numbers:
    """Return the seed of a site of dropout."""
    return mixed(seed + jnp.uint32(site) * jnp.uint32(GOLDEN))


def dropped(seed: Seed, site: Numbers | int, x: Numbers, rate: float) -> Numbers:
    """Drop a share of the numbers if there is a seed."""
    if seed is None:
        return x
    return drop(at(seed, site), x.reshape(-1, x.shape[-1]), rate).reshape(x.shape)


def word_vectors(sizes: Sizes, p: Parameters, types: Arrays, which: Numbers, seed: Seed) -> Numbers:
    """Return the vectors of words, given the numbers of their types."""
    form = picked(p["word.form"], picked(types["form"], which))
    if seed is not None:
        kept = is_kept(at(seed, 0), sizes.drop_form, which.size)
        form *= kept.reshape(*which.shape, 1)
    affixes = picked(p["word.affix"], picked(types["affixes"], which))
    n = picked(types["n_grams"], which).astype(jnp.float32)[..., None]
    rows = picked(types["grams"], which)
    grams = picked(p["word.grams"], rows) * (jnp.arange(rows.shape[-1]) < n)[..., None]
    mean = grams.sum(axis=-2) * jnp.maximum(n, 1) ** -0.5
    every = jnp.concatenate([form, affixes.reshape(*which.shape, -1), mean], axis=-1)
    return dense(dropped(seed, 1, every, sizes.drop_input), p["word.in"])


def encode(
    sizes: Sizes, p: Parameters, types: Arrays, words: Arrays, is_shown: Numbers, seed: Seed
) -> Numbers:
    """Return the words of a batch in context; of those that are not shown nothing is known."""
    x = word_vectors(sizes, p, types, words["type"], seed)
    x = jnp.where(is_shown[..., None], x, p["word.hidden"].astype(HALF))
    x = (x + p["lane"][:, None, None].astype(HALF)).reshape(-1, ROW, sizes.width)
    sentence = words["first"].reshape(-1, ROW)
    changes = jnp.pad(sentence[:, 1:] != sentence[:, :-1], ((0, 0), (1, 0)), constant_values=True)
    is_first, is_last = changes, jnp.pad(changes[:, 1:], ((0, 0), (0, 1)), constant_values=True)
    same = sentence[:, :, None] == sentence[:, None, :]

    def layer(x: Numbers, given: tuple[Parameters, Numbers]) -> tuple[Numbers, None]:
        q, site = given
        h = recurrent(q, norm(x, q["gain"][0]), is_first[..., None], is_last[..., None])
        x = x + dropped(seed, site, dense(h, q["out"]), sizes.drop)
        h = attended(sizes, q, norm(x, q["gain"][1]), same)
        x = x + dropped(seed, site + 1, dense(h, q["attended"]), sizes.drop)
        h = jax.nn.gelu(dense(norm(x, q["gain"][2]), q["up"]) + q["up.bias"].astype(HALF))
        h = dense(dropped(seed, site + 2, h, sizes.drop), q["down"])
        return x + dropped(seed, site + 3, h, sizes.drop), None

    layers = {k.removeprefix("layer."): v for k, v in p.items() if k.startswith("layer.")}
    sites = 10 + 4 * jnp.arange(sizes.layers, dtype=jnp.uint32)
    x, _ = jax.lax.scan(layer, x, (layers, sites))
    return norm(x, p["gain"]).reshape(*words["type"].shape, sizes.width)


def recurrent(q: Parameters, n: Numbers, is_first: Numbers, is_last: Numbers) -> Numbers:
    """Return the states of a gated linear recurrence, half of the units from each side."""
    zero = jnp.zeros_like(n[:, :1])
    before = jnp.where(is_first, 0, jnp.concatenate([zero, n[:, :-1]], axis=1))
    after = jnp.where(is_last, 0, jnp.concatenate([n[:, 1:], zero], axis=1))
    weights = q["conv"].astype(HALF)
    n = before * weights[0] + n * weights[1] + after * weights[2]
    z, f, o = jnp.split(dense(n, q["in"]) + q["in.bias"].astype(HALF), 3, axis=2)
    f = jax.nn.sigmoid(f.astype(jnp.float32) + 1)
    is_right = jnp.arange(n.shape[2]) >= n.shape[2] // 2
    gates = jnp.where(jnp.where(is_right, is_last, is_first), 0, f)
    return jax.vmap(recurrence)(gates, (1 - f) * z).astype(HALF) * jax.nn.silu(o)


def attended(sizes: Sizes, q: Parameters, n: Numbers, same: Numbers) -> Numbers:
    """Return what words attend to: words of the same sentence."""
    per_head = sizes.width // sizes.heads
    of_heads = dense(n, q["attend"]).reshape(*n.shape[:2], 3, sizes.heads, per_head)
    query, key, value = (of_heads[:, :, i] for i in range(3))
    place = jnp.arange(ROW)
    scores = jnp.einsum("rihd,rjhd->rhij", query, key).astype(jnp.float32) * per_head**-0.5
    scores += q["distance"][:, place[:, None] - place + ROW]
    weights = jax.nn.softmax(jnp.where(same[:, None], scores, LOWEST)).astype(HALF)
    return jnp.einsum("rhij,rjhd->rihd", weights, value).reshape(n.shape)


def with_root(p: Parameters, n: Numbers) -> Numbers:
    """Return rows of words with the root after them."""
    rows = n.reshape(-1, ROW, n.shape[-1])
    root = jnp.broadcast_to(p["root"].astype(HALF), (rows.shape[0], 1, rows.shape[2]))
    return jnp.concatenate([rows, root], axis=1)


def arc_scores(sizes: Sizes, p: Parameters, n: Numbers, words: Arrays, seed: Seed) -> Numbers:
    """Return by row the scores of each word's heads: the words of the row, then the root."""
    above = with_root(p, n)
    dependent = jax.nn.silu(dense(above[:, :ROW], p["arc.dependent"]))
    head = jax.nn.silu(dense(above, p["arc.head"]))
    dependent = dropped(seed, 2, dependent, sizes.drop_output)
    head = dropped(seed, 3, head, sizes.drop_output)
    both = jnp.einsum("rik,rjk->rij", dense(dependent, p["arc.both"]), head).astype(jnp.float32)
    one = dense(head, p["arc.one"]).astype(jnp.float32)[:, None, :, 0]
    sentence = words["first"].reshape(-1, ROW)
    same = (sentence[:, :, None] == sentence[:, None, :]) & ~jnp.eye(ROW, dtype=bool)
    allowed = jnp.pad(same, ((0, 0), (0, 0), (0, 1)), constant_values=True)
    return jnp.where(allowed, both * head.shape[-1] ** -0.5 + one, LOWEST)


def label_scores(sizes: Sizes, p: Parameters, n: Numbers, heads: Numbers, seed: Seed) -> Numbers:
    """Return by lane the scores of labels, given heads: places in the row, ROW for the root."""
    above = with_root(p, n)
    dependent = jax.nn.silu(dense(above[:, :ROW], p["label.dependent"]))
    head = jax.nn.silu(dense(above, p["label.head"]))
    head = jnp.take_along_axis(head, heads.reshape(-1, ROW, 1), axis=1)
    both = jnp.concatenate([dependent * head, dependent, head], axis=2)
    both = dropped(seed, 4, both, sizes.drop_output).reshape(n.shape[0], -1, both.shape[2])
    scores = jnp.einsum("lnu,luc->lnc", both, p["label.own"].astype(HALF))
    return plus_shared(scores, dense(both, p["label.shared"])) + p["label.bias"][:, None]


def plus_shared(scores: Numbers, shared: Numbers) -> Numbers:
    """Return the scores of a lane's classes, the first of which are those of all languages."""
    n = min(scores.shape[-1], shared.shape[-1])
    return scores.at[..., :n].add(shared[..., :n]).astype(jnp.float32)


def tag_scores(
    sizes: Sizes, p: Parameters, parts: Numbers, n: Numbers, seed: Seed
) -> list[Numbers]:
    """Return by lane the scores of tags, by column; `parts` compose the classes of the last."""
    units = jax.nn.silu(dense(n, p["tag"])).reshape(n.shape[0], -1, len(sizes.tags) * sizes.units)
    found = []
    for i, some in enumerate(jnp.split(units, len(sizes.tags), axis=2)):
        kept, matrix = dropped(seed, 5 + i, some, sizes.drop_output), p[f"tag.{i}"]
        if i == len(sizes.tags) - 1:
            matrix += jnp.einsum("lup,lcp->luc", p["tag.parts"], parts)
        scores = jnp.einsum("lnu,luc->lnc", kept, matrix.astype(HALF))
        if i == 0:
            scores = plus_shared(scores, dense(kept, p["tag.shared"]))
        found.append(scores.astype(jnp.float32) + p[f"tag.{i}.bias"][:, None])
    return found


def batch_words(data: Arrays, chosen: Numbers) -> Arrays:
    """Return the words of a batch, given their numbers in the lanes, which are negative for
    padding; heads are places in the row, ROW for the root and -1 if they are unknown."""
    lane, inside = jnp.arange(len(chosen))[:, None, None], chosen >= 0
    known = jnp.maximum(chosen, 0)
    place, distance = jnp.arange(ROW), data["head"][lane, known].astype(jnp.int32)
    has_head = inside & (jnp.abs(distance) < ROW)
    head = jnp.where(distance == 0, ROW, place + distance)
    tags = data["tags"][lane, :, known].astype(jnp.int32)
    return {
        "type": data["type"][lane, known],
        "form": jnp.where(inside, data["form"][lane, known].astype(jnp.int32), 0),
        "first": jnp.where(inside, place - data["position"][lane, known], ROW + place),
        "head": jnp.where(has_head, head, -1),
        "label": jnp.where(has_head, data["label"][lane, known].astype(jnp.int32), NO_CLASS),
        "tags": jnp.where(inside, jnp.moveaxis(tags, -1, 0), NO_CLASS),
    }


def teacher_loss(
    sizes: Sizes, rows: tuple[int, int], p: Parameters, data: Arrays, chosen: Numbers, seed: Numbers
) -> tuple[Numbers, Arrays]:
    """Return the loss of a batch and its parts. Of the rows of each lane, the first `rows[0]` may
    have trees, the first `rows[1]` are gold, and of the others hidden words are guessed."""
    n_parsed, n_gold = rows
    words = batch_words(data, chosen)
    rates = jnp.where(jnp.arange(chosen.shape[1]) < n_gold, sizes.hidden_gold, sizes.hidden_text)
    draws = mixed(jnp.arange(chosen.size, dtype=jnp.uint32) + at(seed, 8)).reshape(chosen.shape)
    is_shown = draws.astype(jnp.float32) * 2.0**-32 >= rates[:, None]
    n = encode(sizes, p, data["types"], words, is_shown, seed)
    known = {key: x[..., :n_parsed, :] for key, x in words.items()}
    parsed = parsing_losses(sizes, p, data["parts"], n[:, :n_parsed], known, seed)
    wanted = jnp.where(is_shown, 0, words["form"])[:, n_gold:].reshape(len(chosen), -1)
    text = n[:, n_gold:].reshape(*wanted.shape, sizes.width)
    losses = parsed | {"guesses": guess_loss(p, text, wanted)}
    return sum(losses.values(), jnp.zeros(())), losses


def parsing_losses(
    sizes: Sizes, p: Parameters, parts: Numbers, n: Numbers, words: Arrays, seed: Numbers
) -> Arrays:
    """Return the losses of arcs, labels and tags per word with a head, each the mean of lanes."""
    n_words = jnp.maximum((words["head"] >= 0).sum(axis=(1, 2)), 1)

    def mean(scores: Numbers, classes: Numbers) -> Numbers:
        losses = class_losses(scores, classes.reshape(scores.shape[:-1]))
        return (losses.reshape(len(n), -1).sum(axis=1) / n_words).mean()

    tags = zip(tag_scores(sizes, p, parts, n, seed), words["tags"], strict=True)
    labels = label_scores(sizes, p, n, jnp.maximum(words["head"], 0), seed)
    return {
        "arcs": mean(arc_scores(sizes, p, n, words, seed), words["head"]),
        "labels": mean(labels, words["label"]),
        "tags": sum((mean(*of_column) for of_column in tags), jnp.zeros(())),
    }


def class_losses(scores: Numbers, classes: Numbers) -> Numbers:
    """Return the loss of each word's class; 0 where it is negative: unknown."""
    right = jnp.take_along_axis(scores, jnp.maximum(classes, 0)[..., None], axis=-1)[..., 0]
    return (jax.nn.logsumexp(scores, axis=-1) - right) * (classes >= 0)


def guess_loss(p: Parameters, n: Numbers, forms: Numbers) -> Numbers:
    """Return the mean loss of guesses of forms, by lane; 0 is no form. A few words beyond
    MOST_HIDDEN are left out, so that scores are computed for no others."""
    is_wanted, which = jax.lax.top_k((forms > 0).astype(jnp.int32), int(MOST_HIDDEN * n.shape[1]))
    units = dense(jnp.take_along_axis(n, which[..., None], axis=1), p["guess"])
    scores = jnp.einsum("lnw,lwf->lnf", units, p["guess.own"].astype(HALF)).astype(jnp.float32)
    classes = jnp.where(is_wanted > 0, jnp.take_along_axis(forms, which, axis=1), NO_CLASS)
    losses = class_losses(scores + p["guess.bias"][:, None], classes)
    return losses.sum() / jnp.maximum(is_wanted.sum(), 1)


def opinions(sizes: Sizes, p: Parameters, data: Arrays, chosen: Numbers) -> Arrays:
    """Return the likeliest heads (distances), labels and tags of words, with probabilities, as many
    as LIKELIEST says; labels are those of arcs to the likeliest head."""
    words = batch_words(data, chosen)
    n = encode(sizes, p, data["types"], words, jnp.ones(chosen.shape, bool), None)

    def best(scores: Numbers, key: str) -> tuple[Numbers, Numbers]:
        """Return classes and their probabilities, with their axis before those of words."""
        shares, classes = jax.lax.top_k(jax.nn.softmax(scores), LIKELIEST[key])
        size = LIKELIEST[key], *chosen.shape
        return jnp.moveaxis(classes, -1, 0).reshape(size), jnp.moveaxis(shares, -1, 0).reshape(size)

    places, of_heads = best(arc_scores(sizes, p, n, words, None), "head")
    labels, of_labels = best(label_scores(sizes, p, n, places[0], None), "label")
    tags, of_tags = zip(
        *(best(x, "tags") for x in tag_scores(sizes, p, data["parts"], n, None)), strict=True
    )
    head = jnp.where(places == ROW, 0, places - jnp.arange(ROW))
    of_columns = jnp.stack(tags), jnp.stack(of_tags)
    return with_shares({"head": (head, of_heads), "label": (labels, of_labels), "tags": of_columns})
