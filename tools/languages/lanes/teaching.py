"""The teacher of all languages: how it learns, and what it finds of texts and dev sets.

The teacher (`teacher`) learns from the treebanks of all languages that lend, and from all texts,
whose hidden words it guesses. When it and the voters of languages (`fleet`) have annotated the
texts, it learns once more, also from their trees: so languages share what each of them has found in
its text.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.tagging.word_types import HASHED, WordTypes
from dodona.training.neural.network import Arrays, Numbers, Parameters
from dodona.training.neural.optimizer import AVERAGED, TINY, AdamWSettings, adamw_update
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence
from tools.languages.lanes.arrays import some_grams
from tools.languages.lanes.decks import NOTHING, Deck, voted_sentences
from tools.languages.lanes.lane import (
    DEV,
    TEACHER,
    TEXT,
    TIMED,
    Lane,
    dev_scores,
    no_opinions,
    prefixed,
    report,
    stacked,
    steps_within,
    targets,
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

GOLD_ROWS, TEXT_ROWS = 2, 4  # of a lane, in a batch
ADAMW = AdamWSettings(rate=1e-3, warm=500, clip=1.0)
ANNOTATED_ROWS = 32  # at once
REPORTED = 500  # steps between reports
AT_ONCE = 500  # forms in a sentence of which types are made
READY = 8  # batches that are drawn before they are wanted


@dataclass(frozen=True)
class Round:
    """A training of the teacher: steps, and how often a treebank is learned from at most; with four
    times as many epochs as in the first, small ones were learned by heart."""

    name: str
    steps: int
    epochs: int
    share: float  # of the time, if it is limited
    has_votes: bool = False  # whether it learns from trees of texts, too
    seed: int = 1

    @property
    def n_parsed(self) -> int:
        """The number of rows of a lane that have trees."""
        return GOLD_ROWS + TEXT_ROWS * self.has_votes


FIRST = Round("first teacher", 6_000, 60, 0.28)
SECOND = Round("second teacher", 6_000, 30, 0.26, has_votes=True, seed=2)


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=(3, 4))
def train_step(
    sizes: Sizes,
    n_parsed: int,
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
        return teacher_loss(sizes, (n_parsed, GOLD_ROWS), p, data, chosen, seed)

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


def _like(x: Any) -> Any:
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


class Teacher:
    """The teacher of some lanes, and their arrays on the device."""

    def __init__(self, lanes: Sequence[Lane], **sizes: Any) -> None:
        self.lanes = lanes
        self.scores: dict[str, dict[str, Any]] = {}  # of the sets that it learns from
        types, numbers = common_types(lanes)
        data = {"position": stacked([lane.words("position") for lane in lanes])}
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
        self._p: Any = jax.tree.map(jnp.asarray, new_teacher(self.sizes, FIRST.seed))
        self.learn_text()

    def learn_text(self) -> None:
        """Take the annotation of the text that lanes have got, of those that lend."""
        lanes = [lane if lane.sizes["lends"] else lane.without_votes() for lane in self.lanes]
        self._data |= {name: jnp.asarray(x) for name, x in targets(lanes).items()}

    def compiled(self, one: Round) -> Any:
        """Return the compiled step of a round."""
        number, p = jax.ShapeDtypeStruct((), np.float32), jax.tree.map(_like, self._p)
        size = len(self.lanes), GOLD_ROWS + TEXT_ROWS, ROW
        words, seed = jax.ShapeDtypeStruct(size, np.int32), jax.ShapeDtypeStruct((), np.uint32)
        given = p, (p, p, p), jax.tree.map(_like, self._data), words, seed, number, number
        return train_step.lower(self.sizes, one.n_parsed, ADAMW, *given).compile()

    def train(self, one: Round, step_of: Any, seconds: float) -> None:
        """Go on from the parameters that there are, and keep the average of those that follow; the
        rate falls over all steps, or over those that a limit of seconds leaves."""
        p, steps = self._p, one.steps
        moments = tuple(jax.tree.map(f, p) for f in (jnp.array, jnp.zeros_like, jnp.zeros_like))
        self._shares = self._gold_shares(one, steps)
        begun = time.monotonic()
        for number, chosen in enumerate(ahead(self._batches(one))):
            if number == 1:  # what is before it is not repeated
                jax.block_until_ready(p)
                begun = time.monotonic()
            if number == TIMED + 1:
                jax.block_until_ready(p)
                steps = steps_within(seconds, steps, begun, one.name)
                self._shares = self._gold_shares(one, steps)
            if number >= steps:
                break
            p, moments, losses = step_of(
                p, moments, self._data, chosen,
                np.uint32(one.seed * 7919 + number * 104_729), np.float32(number),
                np.float32(steps),
            )  # fmt: skip
            if (number + 1) % REPORTED == 0:
                named = ", ".join(f"{name} {float(x):.3f}" for name, x in losses.items())
                passed = time.monotonic() - begun
                report(f"{one.name}: step {number + 1}, {named}, {passed:.0f} s")
        self._p = dict(moments[0])

    def _gold_shares(self, one: Round, steps: int) -> Numbers:
        """Return for each lane the share of its rows for gold that have some; others have text."""
        own = np.array([lane.sizes["own_words"] for lane in self.lanes])
        return np.minimum(one.epochs * own / (steps * GOLD_ROWS * ROW), 1)

    def _batches(self, one: Round) -> Iterator[Numbers]:
        """Yield batches for ever."""
        decks = []
        for i, lane in enumerate(self.lanes):
            gold = lane.own_sentences() if lane.sizes["lends"] else ((), ())
            has_trees = one.has_votes and lane.has_votes and lane.sizes["lends"]
            text = voted_sentences(lane) if has_trees else lane.sentences(TEXT)
            decks.append((Deck(*gold, one.seed, i, 1), Deck(*text, one.seed, i, 2)))
        random = np.random.default_rng(one.seed)
        while True:
            filled = random.random((len(decks), GOLD_ROWS)) < self._shares[:, None]
            rows = [
                [(gold if is_gold else text).draw(ROW) for is_gold in some]
                + [text.draw(ROW) for _ in range(TEXT_ROWS)]
                for (gold, text), some in zip(decks, filled, strict=True)
            ]
            yield np.array(rows)

    def annotate_lanes(self, name: str) -> None:
        """Give each lane that lends the opinions on its dev set and its text; of others the teacher
        does not know the classes."""
        lending = [(i, lane) for i, lane in enumerate(self.lanes) if lane.sizes["lends"]]
        for part in (DEV, TEXT):
            found = self.annotate(self._p, part)
            for i, lane in lending:
                lane.learn(prefixed(TEACHER, found[i]), part)
        for _, lane in lending:
            self.scores[lane.name] = dev_scores(lane, lane.teacher_votes(DEV))
        mean = np.mean([one["las"] for one in self.scores.values()])
        report(f"{name}: {mean:.2f}, mean of {len(self.scores)}")

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
