"""The networks of many languages, which are trained in one program.

On a GPU twenty languages take hardly longer than one, if they share every operation. So there is an
axis for the lane and one for the network: voters of a language differ in their seeds. Branches,
which are half of the voters, begin with what networks know of sentences, and not of the words of
their language, from a trunk in which the languages that lend have learned it together. Without one,
the branches of several languages are the same for half of their steps: they make it. The student
goes on from the first voter.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.encoder import seeds_of
from dodona.training.neural.network import Arrays, Dropout, Numbers, Parameters, Parts, Shape
from dodona.training.neural.optimizer import AdamWSettings, adamw_step, clipped
from tools.languages.lanes.decks import NOTHING, Deck
from tools.languages.lanes.lane import (
    DEV,
    GOLD,
    TEACHER,
    TEXT,
    TIMED,
    VOTED,
    Lane,
    common_shape,
    dev_scores,
    first_of,
    fixed_arrays,
    likeliest,
    no_opinions,
    prefixed,
    report,
    steps_within,
)
from tools.languages.lanes.network import (
    lane_loss,
    lane_votes,
    new_lane,
    padded_to,
    shared_rows,
)

DROPOUT = Dropout(word=0.15, input=0.3, layer=0.3, hidden=0.3)
DROPOUT_ON_TEXT = Dropout()  # there is more to learn than a small network can learn by heart
VOTE_WORDS = 2048  # annotated at once
WEIGHTS = 0.0, 0.25, 0.5, 1.0, 2.0, 4.0  # of a teacher, beside all networks of a lane
REPORTED = 400  # steps between reports


@dataclass(frozen=True)
class Phase:
    """The training of voters or of students: networks a lane, steps, and words of a batch."""

    name: str
    networks: int
    steps: int
    gold: int
    text: int
    has_states: bool = False
    seed: int = 1
    branches: int = 0  # the first networks, which begin from the trunk or, without one, make it
    dropout: Dropout = DROPOUT
    share: float = 1.0  # of the time, if it is limited

    @property
    def n_states(self) -> int:
        """The number of words with states."""
        return self.gold if self.has_states else 0


VOTERS = Phase("voters", 2, 6000, 512, 512, branches=1, share=0.14)
STUDENTS = Phase(
    "students", 1, 12_000, 512, 1536, has_states=True, seed=7, dropout=DROPOUT_ON_TEXT, share=0.32
)
TOGETHER = 0.5  # share of the steps in which branches are the same in all languages


@partial(jax.jit, static_argnums=(0, 1), donate_argnums=(2, 3))
def train_step(
    shape: Shape,
    phase: Phase,
    p: Parameters,
    moments: Any,
    data: Arrays,
    parts: Parts,
    chosen: Numbers,
    seeds: Numbers,
    lent: Numbers,
    step: Numbers,
    steps: Numbers,
) -> Any:
    """Take a step in all lanes; parameters have an axis for the lane and one for the network."""
    adamw = AdamWSettings(steps=steps)

    def learn(p: Any, chosen: Numbers, seed: Numbers, data: Any, parts: Any) -> Any:
        def loss(p: Parameters) -> Numbers:
            sites, counts = seeds_of(seed, shape.layers), (phase.n_states, phase.text)
            return lane_loss(shape, phase.dropout, p, data, parts, chosen, sites, *counts)

        value, gradients = jax.value_and_grad(loss)(p)
        return value, clipped(gradients, adamw.clip)

    def change(p: Any, moments: Any, gradients: Any) -> Any:
        return adamw_step(replace(adamw, clip=np.inf), p, moments, gradients, step)

    networks = jax.vmap(learn, in_axes=(0, 0, 0, None, None))
    losses, gradients = jax.vmap(networks)(p, chosen, seeds, data, parts)
    new, *after = jax.vmap(jax.vmap(change))(p, moments, averaged(gradients, lent))
    return new, tuple(after), losses


def averaged(gradients: Parameters, lent: Numbers) -> Parameters:
    """Return gradients of which those that languages can share are means over the languages, by
    the weights `lent` of each in a network; they are a network's own where all weights are 0.

    Parameters that are the same in the beginning thus remain so.
    """

    def one(name: str, own: Numbers) -> Numbers:
        n = shared_rows(name, own.shape[2])
        weights = lent.reshape(*lent.shape, *[1] * (own.ndim - 2))
        first, mean = own[:, :, :n], (weights * own[:, :, :n]).sum(axis=0)
        first = jnp.where(weights.sum(axis=0) > 0, mean, first)
        return jnp.concatenate([first, own[:, :, n:]], axis=2) if n else own

    return {name: one(name, own) for name, own in gradients.items()}


@partial(jax.jit, static_argnums=0)
def vote_step(shape: Shape, p: Parameters, data: Arrays, parts: Parts, chosen: Numbers) -> Any:
    """Annotate a batch of every lane."""
    return jax.vmap(partial(lane_votes, shape))(p, data, parts, chosen)


class Fleet:
    """All lanes, and their arrays on the device."""

    def __init__(self, lanes: Sequence[Lane], trunk: Parameters | None = None) -> None:
        self.lanes, self.shape, self.trunk = lanes, common_shape(lanes), trunk
        self.weights: Numbers = np.zeros(len(lanes), np.float32)  # of the teacher's opinions
        self.n_labels = max(lane.sizes["n_labels"] for lane in lanes)
        largest = new_lane(self.shape, self.n_labels, 0)
        self._sizes = {name: value.shape for name, value in largest.items()}
        of_lanes = [lane.parts(self.shape) for lane in lanes]
        self._parts = {i: jnp.asarray([one[i] for one in of_lanes]) for i in of_lanes[0]}
        self._data = {name: jnp.asarray(x) for name, x in fixed_arrays(lanes).items()}
        self._opinions: Arrays = {}
        self.learn_text()

    def learn_text(self) -> None:
        """Take the annotation of the text that the lanes have got."""
        found = likeliest(self.lanes, VOTED)
        self._data |= {name: jnp.asarray(x) for name, x in found.items()}

    def learn_opinions(self) -> None:
        """Take the opinions of a teacher that the lanes have got."""
        found = prefixed(TEACHER, likeliest(self.lanes, TEACHER))
        self._opinions = {name: jnp.asarray(x) for name, x in found.items()}

    def compiled(self, phase: Phase) -> Any:
        """Return the compiled step of a phase."""

        def like(x: Any) -> Any:
            return jax.ShapeDtypeStruct(x.shape, x.dtype)

        n, number = (len(self.lanes), phase.networks), jax.ShapeDtypeStruct((), np.float32)
        p = {k: jax.ShapeDtypeStruct((*n, *x), np.float32) for k, x in self._sizes.items()}
        words = jax.ShapeDtypeStruct((*n, phase.gold + phase.text), np.int32)
        given = jax.tree.map(like, (self._data, self._parts))
        seeds = jax.ShapeDtypeStruct(n, np.uint32)
        lent = jax.ShapeDtypeStruct(n, np.float32)
        arguments = (self.shape, phase, p, (p, p, p), *given, words, seeds, lent, number, number)
        return train_step.lower(*arguments).compile()

    def new(self, phase: Phase) -> Parameters:
        """Return initial parameters; what branches can share is the same in all."""
        stacked: dict[str, Numbers] = {}
        for i, lane in enumerate(self.lanes):
            for k in range(phase.networks):
                seed = phase.seed + 100 * k + i
                own = padded_to(self._sizes, new_lane(lane.shape, lane.sizes["n_labels"], seed))
                for name, value in own.items():
                    size = len(self.lanes), phase.networks, *value.shape
                    stacked.setdefault(name, np.zeros(size, np.float32))[i, k] = value
        for name, value in stacked.items():
            if n := shared_rows(name, value.shape[2]):
                branches = value[:, : phase.branches, :n]
                branches[...] = branches[:1] if self.trunk is None else self.trunk[name][:n]
        return {name: jnp.asarray(value) for name, value in stacked.items()}

    def train(self, phase: Phase, p: Parameters, step_of: Any, seconds: float) -> Parameters:
        """Train the networks of a phase from initial parameters, and return their averages.

        If there is no trunk yet, but several languages, the branches make one. The rate falls over
        all steps, or over those that a limit of seconds leaves.
        """
        makers = jnp.array, jnp.zeros_like, jnp.zeros_like
        moments: Any = tuple({name: make(x) for name, x in p.items()} for make in makers)
        lent = self._lent(phase)
        makes_trunk = self.trunk is None and len(self.lanes) > 1 and lent.any()
        decks = [*zip(self._decks(GOLD, phase), self._decks(TEXT, phase), strict=True)]
        steps, begun = phase.steps, time.monotonic()
        size = len(self.lanes), phase.networks
        for number in range(phase.steps):
            if number == 1:  # what is before it is not repeated
                jax.block_until_ready(p)
                begun = time.monotonic()
            if number == TIMED + 1:
                jax.block_until_ready(p)
                steps = steps_within(seconds, steps, begun, phase.name)
            if number >= steps:
                break
            together = makes_trunk and number < TOGETHER * steps
            if makes_trunk and self.trunk is None and not together:
                self.trunk = trunk_of(moments[0])
            words = [np.concatenate([a.draw(phase.gold), b.draw(phase.text)]) for a, b in decks]
            chosen = np.stack(words).reshape(*size, -1)
            seeds = np.arange(np.prod(size), dtype=np.uint32).reshape(size) * 7919 + phase.seed
            p, moments, losses = step_of(
                p, moments, self._data, self._parts, chosen, seeds + np.uint32(number * 104_729),
                lent * together, np.float32(number), np.float32(steps),
            )  # fmt: skip
            if (number + 1) % REPORTED == 0:
                passed = time.monotonic() - begun
                report(f"{phase.name}: step {number + 1}, loss {losses.mean():.3f}, {passed:.0f} s")
        average, *_ = moments
        return dict(average)

    def _lent(self, phase: Phase) -> Numbers:
        """Return the weight of each language in each network while branches are the same."""
        found: Numbers = np.zeros((len(self.lanes), phase.networks), np.float32)
        lends = np.array([lane.sizes["lends"] for lane in self.lanes])
        found[lends, : phase.branches] = 1 / max(int(lends.sum()), 1)
        return found

    def _decks(self, part: str, phase: Phase) -> list[Deck]:
        """Return a deck for every network of every lane."""
        return [
            Deck(*lane.sentences(part), phase.seed, i, k)
            for i, lane in enumerate(self.lanes)
            for k in range(phase.networks)
        ]

    def best_weights(self, p: Parameters) -> Numbers:
        """Return the weight of the teacher's opinions in each lane that is best on its dev set."""
        if not any(lane.has_teacher for lane in self.lanes):
            return np.zeros_like(self.weights)
        scores = []
        for weight in WEIGHTS:
            self.weights = np.full(len(self.lanes), weight, np.float32)
            pairs = zip(self.lanes, self.votes(p, DEV), strict=True)
            scores.append([dev_scores(lane, first_of(votes))["las"] for lane, votes in pairs])
        return np.float32(WEIGHTS)[np.argmax(scores, axis=0)]

    def votes(self, p: Parameters, part: str) -> list[Arrays]:
        """Return the likeliest heads, labels and tags of the words of a part, by lane: the votes of
        networks and, by its weight, of the teacher."""
        data = self._data | self._opinions | {f"{TEACHER}weight": jnp.asarray(self.weights)}
        batches = [[*Deck(*lane.sentences(part)).once(VOTE_WORDS)] for lane in self.lanes]
        padding: Numbers = np.full(VOTE_WORDS, NOTHING, np.int32)
        found = [no_opinions(lane.n_words(part)) for lane in self.lanes]
        for b in range(max(map(len, batches))):
            chosen = np.stack([some[b] if b < len(some) else padding for some in batches])
            answers = jax.device_get(vote_step(self.shape, p, data, self._parts, chosen))
            for i, lane in enumerate(self.lanes):
                inside = chosen[i] >= 0
                words = chosen[i][inside] - lane.first(part)
                for key, values in answers.items():
                    found[i][key][..., words] = values[i][..., inside]
        return found


def trunk_of(p: Parameters) -> Parameters:
    """Return what languages share, of the first branch."""
    rows = {name: shared_rows(name, x.shape[2]) for name, x in p.items()}
    return jax.device_get({name: p[name][0, 0, :n] for name, n in rows.items() if n})
