"""Notes of training and parsing (Aufrant et al. 2017), against twins that keep everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import dodona
from dodona.core.learning.beam_training import BeamTrainer
from dodona.core.learning.greedy_training import GreedyTrainer
from dodona.core.search.beam import Beam
from dodona.core.search.scoring import LinearScorer
from dodona.core.search.tracing import derivations
from dodona.core.weights.linear import Weights
from dodona.core.weights.packing import pack
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from dodona_papers.experiments.aufrant_2017.biases import biases
from dodona_papers.experiments.aufrant_2017.measured import (
    MeasuredBeam,
    MeasuredBeamTrainer,
    MeasuredGreedyTrainer,
)
from reference import beam as twins
from support.beam_lab import Lab, Learner, cells, lab
from support.small import parser, treebank

SYSTEMS = pytest.mark.parametrize(
    ("name", "root"),
    [("arc-eager", "last"), ("arc-eager", "none"), ("arc-hybrid", "first"), ("swap", "first")],
)
WAYS = pytest.mark.parametrize(
    ("update", "oracle", "restart"),
    [
        ("early", "static", "none"),
        ("max-violation", "static", "none"),
        ("early", "dynamic", "none"),
        ("early", "dynamic", "good"),
        ("max-violation", "dynamic", "bad"),
        ("full", "dynamic", "good"),
    ],
)


class CountingBeam(twins.Beam[dodona.State]):
    """Counts the features of every hypothesis that is about to be expanded."""

    def __init__(self, one: Lab, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.one, self.counts = one, Counter[int]()

    def is_over(self, beam: Sequence[twins.Hypothesis[dodona.State]]) -> bool:
        for hypothesis in beam:
            if not self.is_final(hypothesis.state):
                self.counts.update(self.one.keys(hypothesis.state))
        return super().is_over(beam)


class Notes(Learner):
    """Algorithm 3 once more, with every note taken the long way."""

    def __init__(self, one: Lab, width: int, update: str, oracle: str, restart: str) -> None:
        super().__init__(one, width, update, oracle, restart)
        plain = self.beam
        self.beam = self.counting = CountingBeam(
            one, width, plain.is_final, plain.successors, is_static=plain.is_static
        )
        self.search = twins.Beam(width, one.system.is_final, one.successors(self.scores))
        self.shares: list[float] = []
        self.changes: list[int] = []  # by how many right heads each update changed the sentence

    def n_right(self) -> int:
        best = self.search.decode(self.one.system.start(len(self.one.sentence)))[0].state
        has_root = self.one.system.root != "none"
        heads = [0 if h is None and not has_root else h for h in best.heads]
        return sum(a == b for a, b in zip(heads, self.one.gold.heads, strict=True))

    def n_left(self, good: twins.Hypothesis[dodona.State]) -> int:
        n = 0
        while not self.one.system.is_final(good.state):
            found = self.beam.best_correct(self.beam.candidates([good]))
            assert found is not None
            good, n = found, n + 1
        return n

    def learn(self) -> None:
        start, share = self.one.system.start(len(self.one.sentence)), 1.0
        self.n_done = 0
        while not self.one.system.is_final(start):
            error = self.beam.error(start, self.update)
            share = 1.0
            if error is None:
                break
            n_taken = self.n_done + len(error.good.path)
            share = n_taken / (n_taken + self.n_left(error.good))
            before = self.n_right()
            moved = twins.difference(start, error, self.one.step, self.one.keys)
            self.weights.update(moved)
            self.changes.append(self.n_right() - before)
            if self.restart == "none":
                break
            follow = error.good if self.restart == "good" else error.bad
            start = follow.state
            self.n_done += len(follow.path)
            if self.one.system.is_final(start):
                share = 1.0
        self.shares.append(share)


def beam_trainer(
    kind: type[BeamTrainer], one: Lab, update: str, oracle: str, restart: str
) -> BeamTrainer:
    return kind(
        *(one.corpus, one.features, one.actions, Weights(one.actions.n_classes)),
        width=3,
        update=update,
        oracle=oracle,
        restart=restart,
        explore_rate=1,
    )


@pytest.mark.thorough
@WAYS
@SYSTEMS
def test_a_beam_trainer_notes_what_the_slow_twin_does(
    name: str, root: str, update: str, oracle: str, restart: str
) -> None:
    n_changed = 0
    for seed in range(3):
        one = lab(name, root, seed, n=5)
        trainer = beam_trainer(MeasuredBeamTrainer, one, update, oracle, restart)
        assert isinstance(trainer, MeasuredBeamTrainer)
        trainer.judges = True
        twin = Notes(one, 3, update, oracle, restart)
        for _ in range(4):
            trainer.train([0], True)
            twin.learn()
        assert trainer.counts.to_dict() == twin.counting.counts
        assert trainer.n_sentences == len(twin.shares) == 4
        assert trainer.n_finished == twin.shares.count(1)
        assert trainer.considered == pytest.approx(sum(twin.shares))
        assert trainer.n_judged == trainer.n_updates == len(twin.changes)
        assert trainer.n_worse == sum(change < 0 for change in twin.changes)
        assert trainer.n_better == sum(change > 0 for change in twin.changes)
        n_changed += trainer.n_better
        if restart != "none":
            assert trainer.n_finished == 4
    assert n_changed > 0


@WAYS
def test_to_take_notes_changes_nothing(update: str, oracle: str, restart: str) -> None:
    for judges in (False, True):
        one = lab("arc-eager", "last", 5)
        way = update, oracle, restart
        plain, measured = (
            beam_trainer(kind, one, *way) for kind in (BeamTrainer, MeasuredBeamTrainer)
        )
        assert isinstance(measured, MeasuredBeamTrainer)
        measured.judges = judges
        for trainer in (plain, measured):
            trainer.train([0] * 6, True)
        assert cells(plain.weights) == cells(measured.weights)
        assert plain.__getstate__() == measured.__getstate__()
        assert (plain.n_updates, plain.n_steps) == (measured.n_updates, measured.n_steps)
        assert (measured.n_judged > 0) == judges


@pytest.mark.parametrize("width", [1, 4])
@SYSTEMS
def test_a_search_counts_the_features_of_every_hypothesis_it_scores(
    name: str, root: str, width: int
) -> None:
    for seed in range(4):
        one = lab(name, root, seed)
        packed = pack(one.weights, 1)
        parts = LinearScorer(one.features, packed), one.actions
        twin = CountingBeam(one, width, one.system.is_final, one.successors(packed.scores))
        twin.decode(one.system.start(len(one.sentence)))
        search = MeasuredBeam(*parts, width=width)
        search.parse(one.corpus)
        assert search.counts.to_dict() == twin.counts
        plain = Beam(*parts, width=width)
        assert derivations(search, one.corpus) == derivations(plain, one.corpus)


@SYSTEMS
def test_a_greedy_trainer_counts_the_features_of_every_state_on_its_way(
    name: str, root: str
) -> None:
    one = lab(name, root, 3)
    plain, measured = (
        kind(
            *(one.corpus, one.features, one.actions, Weights(one.actions.n_classes)),
            mode="static",
        )
        for kind in (GreedyTrainer, MeasuredGreedyTrainer)
    )
    expected = Counter[int]()
    state = one.system.start(len(one.sentence))
    for action in one.system.derivation(one.gold):
        expected.update(one.keys(state))
        state = one.system.step(state, action)
    for trainer in (plain, measured):
        trainer.train([0, 0], False)
    assert isinstance(measured, MeasuredGreedyTrainer)
    assert measured.counts.to_dict() == {key: 2 * n for key, n in expected.items()}
    assert cells(plain.weights) == cells(measured.weights)


def train_to_the_end(**settings: Any) -> Trainer:
    trainer = Trainer(treebank(60, 1, 0), None, Settings(epochs=2, explore_after=1, **settings))
    for _ in trainer.epochs():
        pass
    return trainer


def test_biases_are_those_of_the_settings() -> None:
    """Restarting reaches the end of every sentence; early update without it does not."""
    test = treebank(30, 3)
    standard, improved = (
        (trainer, biases(trainer, trainer.parser(), test))
        for trainer in (
            train_to_the_end(beam=3, update="early", oracle="static"),
            train_to_the_end(beam=3, update="early", restart="bad"),
        )
    )
    for trainer, found in (standard, improved):
        parsed = list(trainer.parser().pipe(test))
        scores = dodona.evaluate(test, parsed, punctuation=False)
        words, right = map(sum, zip(*found["quarters"].values(), strict=True))
        assert (words, 100 * (right / words)) == (scores.n_words, scores.uas)
        assert found["n_sentences"] == 60
        assert found["n_worse"] + found["n_better"] <= found["n_judged"] > 0
        assert all(0 < value < 10 for value in found["divergence"].values())
    assert standard[1]["n_finished"] < 60 and standard[1]["considered"] < 1
    assert improved[1]["n_finished"] == 60 and improved[1]["considered"] == 1


def test_a_greedy_parser_has_no_derivations_to_leave() -> None:
    trainer = train_to_the_end()
    found = biases(trainer, trainer.parser(), treebank(30, 3))
    assert sorted(found) == ["divergence", "quarters"]


@pytest.mark.parametrize("settings", [Settings(learner="svm"), Settings(tags="predicted")])
def test_training_that_cannot_be_measured_is_refused(settings: Settings) -> None:
    trainer = Trainer(treebank(5, 1, 0), None, settings)
    with pytest.raises(ValueError, match="only online training on gold tags can be measured"):
        biases(trainer, parser(), treebank(5, 3))
