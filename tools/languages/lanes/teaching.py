"""Train the teacher of all languages, and let it annotate their texts and dev sets.

python -m tools.languages.lanes.teaching ARRAYS... --out FOLDER [--seconds N]

The teacher (`teacher`) learns from the treebanks of all languages that lend, and from all texts.
FOLDER gets its opinions on the words of each language, which vote beside the networks of the
language (`training`), and teacher.json: the sets that it learned from, with scores on the dev sets.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.storage.atomic import atomic_write
from dodona.tagging.word_types import HASHED, WordTypes
from dodona.training.neural.network import Arrays, Numbers, Parameters
from dodona.training.neural.optimizer import AVERAGED, TINY, AdamWSettings, adamw_update
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence
from tools.languages.lanes.arrays import some_grams
from tools.languages.lanes.decks import NOTHING, Deck
from tools.languages.lanes.lane import (
    DEV,
    TEXT,
    Lane,
    dev_scores,
    no_opinions,
    report,
    stacked,
)
from tools.languages.lanes.teacher import (
    AFFIX_ROWS,
    FORM_ROWS,
    GRAM_ROWS,
    ROW,
    Sizes,
    new_teacher,
    opinions,
    teacher_loss,
)
from tools.languages.recipe import TEACHER

GOLD_ROWS, TEXT_ROWS = 2, 2  # of a lane, in a batch
STEPS = 5_000
MOST_EPOCHS = 60  # of a treebank; with four times as many, small ones were learned by heart
ADAMW = AdamWSettings(rate=1e-3, warm=500, clip=1.0)
ANNOTATED_ROWS = 32  # at once
TIMED = 20  # steps, from which the time of all follows
REPORTED = 500  # steps between reports
AT_ONCE = 500  # forms in a sentence of which types are made
READY = 8  # batches that are drawn before they are wanted
WORDS = "position", "head", "label", "tags"  # arrays of words, by lane


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=(3, 4))
def train_step(
    sizes: Sizes,
    n_gold: int,
    adamw: AdamWSettings,
    p: Parameters,
    moments: Any,
    data: Arrays,
    chosen: Numbers,
    seed: Numbers,
    step: Numbers,
    steps: Numbers,
) -> Any:
    """Take a step, and return parameters, moments and the parts of the loss."""

    def loss(p: Parameters) -> Any:
        return teacher_loss(sizes, n_gold, p, data, chosen, seed)

    (_, losses), gradients = jax.value_and_grad(loss, has_aux=True)(p)
    length = jnp.sqrt(sum(jnp.vdot(g, g) for g in gradients.values()))
    scale, adamw = jnp.minimum(1, adamw.clip / (length + TINY)), replace(adamw, steps=steps)
    kept, new = jnp.minimum(AVERAGED, (2 + step) / (11 + step)), {}
    average, mean, square = map(dict, moments)
    for name, g in gradients.items():
        new[name], mean[name], square[name] = adamw_update(
            adamw, p[name], mean[name], square[name], g * scale, step + 1
        )
        average[name] = kept * average[name] + (1 - kept) * new[name]
    return new, (average, mean, square), losses


annotate_step = jax.jit(opinions, static_argnums=0)


class Teacher:
    """The teacher of some lanes, and their arrays on the device."""

    def __init__(self, lanes: Sequence[Lane], **sizes: Any) -> None:
        self.lanes = lanes
        types, numbers = common_types(lanes)
        data = {key: stacked([lane.words(key) for lane in lanes]) for key in WORDS}
        pairs = list(zip(lanes, numbers, strict=True))
        data["type"] = stacked([of_lane[lane.words("type")] for lane, of_lane in pairs])
        forms = [lane.arrays["types.single"][:, 0][lane.words("type")] for lane in lanes]
        data |= {"form": stacked(forms), "parts": parts_of(lanes)}
        self.sizes = Sizes(
            lanes=len(lanes),
            labels=max(lane.sizes["n_labels"] for lane in lanes),
            tags=tuple(map(max, zip(*(lane.sizes["tag_sizes"] for lane in lanes), strict=True))),
            parts=data["parts"].shape[2],
            forms=max(lane.sizes["table_sizes"][0] for lane in lanes),
            affixes=types["affixes"].shape[1],
            **sizes,
        )
        self._data = jax.tree.map(jnp.asarray, data | {"types": types})

    def train(self, seconds: float, steps: int, seed: int = 1) -> Parameters:
        """Train the teacher and return the average of its parameters; the rate falls over all
        steps, or over those that a limit of seconds leaves."""
        p: Any = jax.tree.map(jnp.asarray, new_teacher(self.sizes, seed))
        moments = tuple(jax.tree.map(f, p) for f in (jnp.array, jnp.zeros_like, jnp.zeros_like))
        self._shares = self._gold_shares(steps)
        begun = time.monotonic()
        for number, chosen in enumerate(ahead(self._batches(seed))):
            if number == 1:  # what is before it is not repeated
                jax.block_until_ready(p)
                begun = time.monotonic()
            if number == TIMED + 1:
                jax.block_until_ready(p)
                each = (time.monotonic() - begun) / TIMED
                steps = min(steps, max(int(seconds / each), 2 * TIMED))
                self._shares = self._gold_shares(steps)
                report(f"teacher: {each * 1000:.0f} ms a step, {steps} steps")
            if number >= steps:
                break
            p, moments, losses = train_step(
                self.sizes, GOLD_ROWS, ADAMW, p, moments, self._data, chosen,
                np.uint32(seed * 7919 + number * 104_729), np.float32(number), np.float32(steps),
            )  # fmt: skip
            if (number + 1) % REPORTED == 0:
                named = ", ".join(f"{name} {float(x):.3f}" for name, x in losses.items())
                report(f"teacher: step {number + 1}, {named}, {time.monotonic() - begun:.0f} s")
        return dict(moments[0])

    def _gold_shares(self, steps: int) -> Numbers:
        """Return for each lane the share of its rows of gold that are filled."""
        own = np.array([lane.sizes["own_words"] for lane in self.lanes])
        return np.minimum(MOST_EPOCHS * own / (steps * GOLD_ROWS * ROW), 1)

    def _batches(self, seed: int) -> Iterator[Numbers]:
        """Yield batches for ever."""
        decks = []
        for i, lane in enumerate(self.lanes):
            gold = lane.own_sentences() if lane.sizes["lends"] else ((), ())
            decks.append((Deck(*gold, seed, i, 1), Deck(*lane.sentences(TEXT), seed, i, 2)))
        random, empty = np.random.default_rng(seed), np.full(ROW, NOTHING, np.int32)
        while True:
            filled = random.random((len(decks), GOLD_ROWS)) < self._shares[:, None]
            rows = [
                [gold.draw(ROW) if is_filled else empty for is_filled in some]
                + [text.draw(ROW) for _ in range(TEXT_ROWS)]
                for (gold, text), some in zip(decks, filled, strict=True)
            ]
            yield np.array(rows)

    def annotate(self, p: Parameters, part: str) -> list[Arrays]:
        """Return the opinions on the words of a part, by lane."""
        rows = [[*Deck(*lane.sentences(part)).once(ROW)] for lane in self.lanes]
        found = [no_opinions(lane.n_words(part)) for lane in self.lanes]
        for begin in range(0, max(map(len, rows)), ANNOTATED_ROWS):
            some = [of_lane[begin : begin + ANNOTATED_ROWS] for of_lane in rows]
            chosen = np.full((len(rows), ANNOTATED_ROWS, ROW), NOTHING, np.int32)
            for i, of_lane in enumerate(some):
                chosen[i, : len(of_lane)] = np.reshape(of_lane, (-1, ROW))
            answers = jax.device_get(annotate_step(self.sizes, p, self._data, chosen))
            for i, lane in enumerate(self.lanes):
                inside = chosen[i] >= 0
                words = chosen[i][inside] - lane.first(part)
                for key, values in answers.items():
                    found[i][key][..., words] = values[..., i, :, :][..., inside]
        return found


def ahead(batches: Iterator[Numbers]) -> Iterator[Numbers]:
    """Yield batches that are drawn by another thread before they are wanted."""
    with ThreadPoolExecutor(1) as pool:
        drawn = deque(pool.submit(next, batches) for _ in range(READY))
        while True:
            drawn.append(pool.submit(next, batches))
            yield drawn.popleft().result()


def common_types(lanes: Sequence[Lane]) -> tuple[Arrays, list[Numbers]]:
    """Return the rows of the word types of all lanes, and the numbers of each lane's types."""
    types = WordTypes(Vocabulary(), [FORM_ROWS, *[AFFIX_ROWS] * (len(HASHED) - 1), GRAM_ROWS])
    numbers = []
    for lane in lanes:
        forms = lane.forms
        some = (forms[i : i + AT_ONCE] for i in range(0, len(forms), AT_ONCE))
        sentences = [Sentence.from_columns(forms=part) for part in some]
        numbers.append(np.frombuffer(types.numbers(sentences), np.int32))
    first, rows = (np.frombuffer(data, np.int32) for data in types.field_rows())
    starts = first[:-1].reshape(len(types), -1)
    affixes = rows[starts[:, 2:-1]]
    grams, n_grams = some_grams(first, rows, len(types))
    return {
        "form": rows[starts[:, 1]],
        "affixes": affixes + AFFIX_ROWS * np.arange(affixes.shape[1], dtype=np.int32),
        "grams": grams,
        "n_grams": n_grams,
    }, numbers


def parts_of(lanes: Sequence[Lane]) -> Numbers:
    """Return the parts of the classes of the last column, by lane."""
    n_tags = max(lane.sizes["tag_sizes"][-1] for lane in lanes)
    n_parts = max(lane.sizes["n_parts"][-1] for lane in lanes)
    found = np.zeros((len(lanes), n_tags, n_parts), np.float32)
    for i, lane in enumerate(lanes):
        for tag, ones in enumerate(lane.sizes["parts"][-1]):
            found[i, tag, ones] = 1
    return found


def run(lanes: Sequence[Lane], out: Path, seconds: float, steps: int, **sizes: Any) -> None:
    """Train a teacher, and write its opinions and its scores."""
    begun = time.monotonic()
    teacher = Teacher(lanes, **sizes)
    report(f"{len(lanes)} languages on {jax.default_backend()}, {time.monotonic() - begun:.0f} s")
    p = teacher.train(seconds, steps)
    parts = {part: teacher.annotate(p, part) for part in (DEV, TEXT)}
    scores = {}
    out.mkdir(parents=True, exist_ok=True)
    for i, lane in enumerate(lanes):
        if lane.sizes["lends"]:  # else the teacher does not know its classes
            found = {f"{part}.{key}": x for part in parts for key, x in parts[part][i].items()}
            with atomic_write(out / f"{lane.name}.teacher.npz") as file:
                np.savez(file, **found)
            lane.arrays |= found
            scores[lane.name] = dev_scores(lane, lane.teacher_votes(DEV))
            report(f"{lane.name}: {scores[lane.name]}")
    report(f"mean: {np.mean([x['las'] for x in scores.values()]):.2f}")
    with atomic_write(out / TEACHER) as file:
        file.write(json.dumps(scores, indent=1).encode())


def main(words: list[str] | None = None) -> None:
    """Train the teacher of some languages."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("arrays", type=Path, nargs="+", help="files of arrays")
    options.add_argument("--out", type=Path, required=True, help="folder of its opinions")
    options.add_argument("--seconds", type=float, default=1e9, help="shorten training to so many")
    chosen = options.parse_args(words)
    run([Lane.load(path) for path in chosen.arrays], chosen.out, chosen.seconds, STEPS)


if __name__ == "__main__":
    main()
