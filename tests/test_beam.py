"""Beam search and its training against slow twins, and CORRECT against exhaustive search."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.actions import Actions
from dodona.core.beam import Beam
from dodona.core.beam_training import BeamTrainer
from dodona.core.corpus import Corpus
from dodona.core.features import Features
from dodona.core.greedy import Greedy
from dodona.core.linear import Weights
from dodona.core.packed import pack
from dodona.settings import Settings
from dodona.training import Trainer
from dodona.treebank.encoding import Encoder
from reference import arc_eager, arc_hybrid, arc_standard, nonmonotonic
from reference import beam as twins
from reference.search import Action, Definition, Space, labelled, unlabelled
from reference.trees import (
    Heads,
    arcs_of,
    is_tree,
    projective_trees,
    random_projective_tree,
)
from small import TEMPLATES, train, treebank
from test_nonmonotonic import BestEnd

ALL = [
    ("arc-eager", "first"),
    ("arc-eager", "last"),
    ("arc-eager", "none"),
    ("arc-eager-tree", "none"),
    ("nonmonotonic-2013", "none"),
    ("nonmonotonic", "none"),
    ("arc-standard", "first"),
    ("arc-hybrid", "first"),
    ("arc-hybrid", "last"),
    ("swap", "first"),
]
SYSTEMS = pytest.mark.parametrize(("name", "root"), ALL)
UPDATES = pytest.mark.parametrize("update", ["early", "max-violation", "full"])
ONE, TWO = ("root",), ("root", "obj")


# --- a system with random weights, in the core and out of it


class Lab:
    """One sentence, a transition system, features, and weights that know nothing."""

    def __init__(
        self,
        name: str,
        root: str,
        labels: Sequence[str],
        heads: Heads,
        seed: int,
        loss: str = "labelled",
    ) -> None:
        random = Random(seed)
        self.system = dodona.system(name, labels=labels, root=root, loss=loss)
        self.gold_labels = ["root" if h == 0 else random.choice(labels) for h in heads]
        self.gold = dodona.Gold(heads=heads, labels=self.gold_labels)
        self.sentence = dodona.Sentence.from_columns(
            [random.choice("abc") for _ in heads],
            upos=[random.choice("XY") for _ in heads],
            heads=list(heads),
            deprels=self.gold_labels,
        )
        pairs = [
            (move, label, True, True)
            for move, takes_label in enumerate(self.system.labelled)
            for label in (range(len(labels)) if takes_label else [-1])
        ]
        self.actions = Actions(self.system, pairs)
        self.features = Features(TEMPLATES)
        encoder = Encoder(self.features.columns, labels=[label.encode() for label in labels])
        encoder.learn([self.sentence])
        self.corpus: Corpus = encoder.encode([self.sentence], trees=True)
        self.weights = Weights(self.actions.n_classes)
        self.random = random

    def scatter(self, n_states: int) -> None:
        """Give the features of some random states random weights, in whole numbers."""
        for _ in range(n_states):
            state = self.system.start(len(self.sentence))
            while not self.system.is_final(state):
                good, bad = self.random.sample(range(self.actions.n_classes), 2)
                self.weights.learn(self.keys(state), good, bad, self.random.randint(1, 3), 1)
                state = self.system.step(state, self.random.choice(self.system.valid(state)))

    def keys(self, state: dodona.State) -> list[int]:
        return self.features.keys(state, self.corpus)

    def step(self, state: dodona.State, klass: int) -> dodona.State:
        return self.system.step(state, self.action(state, klass))

    def action(self, state: dodona.State, klass: int) -> dodona.Action:
        """What a class is called in this state, valid or not."""
        move, label, _, _ = self.actions.pairs[klass]
        name, other = self.system.moves[move], (self.system.other_names or {}).get(move)
        if other is not None and dodona.Action(other) in self.system.valid(state):
            return dodona.Action(other)
        return dodona.Action(name, self.system.labels[label] if label >= 0 else None)

    def successors(
        self,
        scores: Callable[[list[int]], Sequence[float]],
        free: Callable[[dodona.State, int, twins.Path], bool] = lambda *_: False,
    ) -> Callable[[dodona.State, twins.Path], list[twins.Successor[dodona.State]]]:
        def find(state: dodona.State, path: twins.Path) -> list[twins.Successor[dodona.State]]:
            row, valid = scores(self.keys(state)), set(self.system.valid(state))
            return [
                twins.Successor(c, row[c], self.step(state, c), free(state, c, path))
                for c in range(self.actions.n_classes)
                if self.action(state, c) in valid
            ]

        return find

    def is_free(self, state: dodona.State, klass: int, _: twins.Path = ()) -> bool:
        return self.action(state, klass) in self.system.optimal(state, self.gold)


def lab(name: str, root: str, seed: int, n: int = 6) -> Lab:
    # without a model there is nothing to remember in the system of 2013 but the only label
    labels = ONE if name == "nonmonotonic-2013" else ("root", "obj", "det")
    random = Random(seed)
    heads = random_projective_tree(n, random)
    while root == "none" and heads.count(0) != 1:
        heads = random_projective_tree(n, random)
    one = Lab(name, root, labels, heads, seed)
    one.scatter(6)
    return one


# --- decoding


@pytest.mark.parametrize("width", [1, 2, 5, 16])
@SYSTEMS
def test_the_beam_ends_with_the_derivations_of_the_slow_twin(
    name: str, root: str, width: int
) -> None:
    for seed in range(6):
        one = lab(name, root, seed)
        packed = pack(one.weights, 1)
        twin = twins.Beam(width, one.system.is_final, one.successors(packed.scores))
        expected = twin.decode(one.system.start(len(one.sentence)))
        found = Beam(one.features, one.actions, packed, width=width).derivations(one.corpus, 0)
        assert found == [(h.score, list(h.path)) for h in expected]


@SYSTEMS
def test_no_two_derivations_of_a_beam_lead_to_the_same_state(name: str, root: str) -> None:
    for seed in range(5):
        one = lab(name, root, seed)
        beam = Beam(one.features, one.actions, pack(one.weights, 1), width=30)
        ends = []
        for _, classes in beam.derivations(one.corpus, 0):
            state = one.system.start(len(one.sentence))
            for c in classes:
                state = one.step(state, c)
            ends.append(state)
        assert len(set(ends)) == len(ends) > 5


def crossing_treebank(n: int, seed: int) -> list[dodona.Sentence]:
    return treebank(n, seed, 0.3)


@cache
def parser(name: str, root: str, **settings: Any) -> dodona.Parser:
    return train(crossing_treebank(60, 1), system=name, root=root, **settings)


@SYSTEMS
def test_a_beam_of_one_is_greedy_search(name: str, root: str) -> None:
    """The same trees, with one root or many, on sentences and on jumbles of words."""
    a_parser = parser(name, root)
    words = [form for sentence in treebank(30, 3) for form in sentence.forms]
    sentences = treebank(30, 3) + [
        dodona.Sentence.from_columns(words[i : i + 12]) for i in range(0, len(words) - 12, 7)
    ]
    parts = a_parser.features, a_parser.actions, a_parser.weights
    for one_root in (True, False):
        corpora = a_parser.encoder.encode(sentences), a_parser.encoder.encode(sentences)
        Greedy(*parts, one_root=one_root).parse(corpora[0])
        Beam(*parts, one_root=one_root, width=1).parse(corpora[1])
        for i in range(len(sentences)):
            assert corpora[0].heads(i) == corpora[1].heads(i)
            assert corpora[0].labels(i) == corpora[1].labels(i)


@SYSTEMS
def test_a_wider_beam_finds_trees_that_score_no_worse(name: str, root: str) -> None:
    """Not always, sentence by sentence, but on the whole; and each is a tree with one root."""
    a_parser = parser(name, root)
    parts = a_parser.features, a_parser.actions, a_parser.weights
    corpus = a_parser.encoder.encode(treebank(40, 3))
    totals = [
        sum(Beam(*parts, width=width).derivations(corpus, i)[0][0] for i in range(40))
        for width in (1, 4, 16)
    ]
    assert totals[0] < totals[1] < totals[2]
    for sentence in a_parser.pipe(treebank(40, 3), beam=16):
        heads = tuple(head or 0 for head in sentence.heads)
        assert is_tree(heads) and heads.count(0) == 1
        pairs = zip(heads, sentence.deprels, strict=True)
        assert all((head == 0) == (label == "root") for head, label in pairs)


@pytest.mark.parametrize("width", [0, -1, 1001])
def test_a_beam_of_impossible_width_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=f"from 1 to 1000 wide, not {width}"):
        parser("arc-eager", "first").pipe([], beam=width)


def test_a_sentence_that_is_not_there_has_no_derivations() -> None:
    one = lab("arc-eager", "first", 1)
    with pytest.raises(IndexError, match="of a corpus of 1"):
        Beam(one.features, one.actions, pack(one.weights, 1), width=2).derivations(one.corpus, 1)


def test_a_beam_in_training_starts_only_where_a_derivation_leads() -> None:
    one = lab("arc-eager", "first", 1)
    trainer = BeamTrainer(one.corpus, one.features, one.actions, one.weights, width=2)
    with pytest.raises(IndexError, match="no sentence 1 among 1"):
        trainer.hypotheses(1, [], 1)
    reduce = [pair[0] for pair in one.actions.pairs].index(one.system.moves.index("REDUCE"))
    for c in (-1, 99, reduce):
        with pytest.raises(ValueError, match=f"class {c} is not valid there"):
            trainer.hypotheses(0, [c], 1)


# --- CORRECT

# (name in the core, root), its plain twin, and whether one root is all that gold may have
EXACT: dict[tuple[str, str], tuple[Any, bool]] = {
    **{("arc-eager", root): (arc_eager.ArcEager, False) for root in ("first", "last")},
    ("arc-eager", "none"): (arc_eager.ArcEager, False),
    ("arc-standard", "first"): (arc_standard.ArcStandard, False),
    **{("arc-hybrid", root): (arc_hybrid.ArcHybrid, False) for root in ("first", "last")},
    ("nonmonotonic", "none"): (nonmonotonic.NonMonotonic, True),
    ("nonmonotonic-2013", "none"): (nonmonotonic.NonMonotonic2013, True),
}
LOSSES = {"labelled": labelled, "unlabelled": unlabelled}


@cache
def space(name: str, root: str, labels: tuple[str, ...]) -> Space[Any]:
    """The twin's states, searched once and shared by all gold trees."""
    return Space(EXACT[name, root][0](labels, root))


def after(one: Lab, twin: Space[Any], state: Any, klass: int) -> Any:
    """Where a class leads the twin."""
    move, label, _, _ = one.actions.pairs[klass]
    names = {one.system.moves[move], (one.system.other_names or {}).get(move)}
    [found] = [
        end
        for action, end in twin.successors(state).items()
        if action.move in names and (label < 0 or action.label == one.system.labels[label])
    ]
    return found


def classes_to(one: Lab, twin: Space[Any], n: int) -> dict[Any, list[int]]:
    """Every reachable state that is not final, with classes that lead to it."""
    paths: dict[Any, list[int]] = {twin.system.start(n): []}
    todo = list(paths)
    for state in todo:
        for c, action in enumerate(one.actions.pairs):
            name, label = one.system.moves[action[0]], action[1]
            other = (one.system.other_names or {}).get(action[0])
            wanted = one.system.labels[label] if label >= 0 else None
            if Action(name, wanted) in twin.successors(state) or (
                other is not None and Action(other, None) in twin.successors(state)
            ):
                end = after(one, twin, state, c)
                if end not in paths:
                    paths[end] = [*paths[state], c]
                    todo.append(end)
    return {state: path for state, path in paths.items() if not twin.system.is_final(state)}


def best_steps(definition: Definition[Any]) -> Callable[[Any], set[Any]]:
    """Where one can go from a state without a loss, and without more repairs than needed."""
    space, twin = definition.space, definition.space.system
    if hasattr(twin, "is_repair"):
        best = BestEnd(definition, twin)
        return lambda state: (
            {
                space.successors(state)[action]
                for action, end in best.after_actions(state).items()
                if end == best.of(state)
            }
            or {state}
        )
    return lambda state: (
        {
            end
            for end in space.successors(state).values()
            if definition.min_loss(end) == definition.min_loss(state)
        }
        or {state}
    )


def check_correct(one: Lab, name: str, root: str, loss: str, every: int) -> int:
    """In the beam, CORRECT is "the best tree in reach of the start is still in reach".

    In systems with repairs, one that was reached with more of them than needed is not.
    """
    n = len(one.sentence)
    twin = space(name, root, one.system.labels)
    gold = arcs_of(tuple(head or 0 for head in one.gold.heads), one.gold_labels)
    definition = Definition(twin, gold, LOSSES[loss])
    trainer = BeamTrainer(one.corpus, one.features, one.actions, one.weights, width=1000)
    steps, has_repairs = best_steps(definition), hasattr(twin.system, "is_repair")
    n_wrong = 0
    for origin, path in list(classes_to(one, twin, n).items())[::every]:
        level = correct = {origin}
        for n_steps in range(1, 4 * n):
            beam = trainer.hypotheses(0, path, n_steps)
            correct = {end for state in correct for end in steps(state)}
            ends = {}
            for _, classes, is_correct in beam:
                state = origin
                for c in classes:
                    state = after(one, twin, state, c)
                ends[state] = is_correct
                where = f"{origin} to {state}, gold {one.gold}"
                assert is_correct == (state in correct), where
                still = definition.min_loss(state) == definition.min_loss(origin)
                assert is_correct == still or (still and has_repairs), where
                n_wrong += not is_correct
            level = {end for state in level for end in (twin.successors(state).values() or [state])}
            assert set(ends) == level, "the beam was wide enough for all there is"
            if all(map(twin.system.is_final, level)):
                break
    return n_wrong


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(("name", "root"), EXACT)
def test_correct_is_that_the_best_tree_in_reach_of_the_start_still_is(
    name: str, root: str, n: int, loss: str
) -> None:
    """From every configuration, however bad; of four words some trees and configurations."""
    trees = [t for t in projective_trees(n) if t.count(0) == 1 or not EXACT[name, root][1]]
    labels = TWO if n < 4 and name != "nonmonotonic-2013" else ONE
    n_wrong = 0
    for seed, heads in enumerate(trees if n < 4 else trees[::11]):
        one = Lab(name, root, labels, heads, seed, loss)
        n_wrong += check_correct(one, name, root, loss, 1 if n < 3 else 7 * n - 17)
    assert n_wrong > 0 or n == 1


# --- training


class Learner:
    """The twin of a trainer: weights in a dictionary."""

    def __init__(self, one: Lab, width: int, update: str, oracle: str, restart: str) -> None:
        self.one, self.update, self.restart = one, update, restart
        self.weights: Counter[tuple[int, int]] = Counter()
        self.totals: Counter[tuple[int, int]] = Counter()
        self.time, self.n_updates, self.n_done = 1, 0, 0
        free = one.is_free
        if oracle == "static":
            free = self.is_reference
            self.reference = self.derivation()
        self.beam = twins.Beam(
            width,
            one.system.is_final,
            one.successors(self.scores, free),
            is_static=oracle == "static",
        )

    def derivation(self) -> list[int]:
        state, classes = self.one.system.start(len(self.one.sentence)), []
        for action in self.one.system.derivation(self.one.gold):
            found = range(self.one.actions.n_classes)
            [c] = [c for c in found if self.one.action(state, c) == action]
            classes.append(c)
            state = self.one.system.step(state, action)
        return classes

    def is_reference(self, _: dodona.State, klass: int, path: twins.Path = ()) -> bool:
        return self.reference[self.n_done + len(path) :][:1] == [klass]

    def scores(self, keys: list[int]) -> list[float]:
        classes = range(self.one.actions.n_classes)
        return [sum(self.weights[key, c] for key in keys) for c in classes]

    def learn(self) -> None:
        """Algorithm 3."""
        start = self.one.system.start(len(self.one.sentence))
        self.n_done = 0
        while not self.one.system.is_final(start):
            error = self.beam.error(start, self.update)
            if error is None:
                break
            moved = twins.difference(start, error, self.one.step, self.one.keys)
            for cell, amount in moved.items():
                self.weights[cell] += amount
                self.totals[cell] += amount * self.time
            self.n_updates += 1
            if self.restart == "none":
                break
            follow = error.good if self.restart == "good" else error.bad
            start = follow.state
            self.n_done += len(follow.path)
        self.time += 1


def cells(weights: Weights) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """The weights and the totals that are not 0."""
    columns = [
        array(code, data).tolist()
        for code, data in zip("QHHfd", map(bytes, weights.save()), strict=True)
    ]
    keys, n_cells, classes, values, totals = columns
    owners = [key for key, n in zip(keys, n_cells, strict=True) for _ in range(n)]
    places = list(zip(owners, classes, strict=True))
    return (
        {place: value for place, value in zip(places, values, strict=True) if value},
        {place: total for place, total in zip(places, totals, strict=True) if total},
    )


@pytest.mark.parametrize(
    ("oracle", "restart"),
    [
        ("static", "none"),
        ("static", "good"),
        ("dynamic", "none"),
        ("dynamic", "good"),
        ("dynamic", "bad"),
    ],
)
@UPDATES
@SYSTEMS
def test_training_moves_the_weights_that_the_slow_twin_moves(
    name: str, root: str, update: str, oracle: str, restart: str
) -> None:
    n_learned = 0
    for seed in range(3):
        one = lab(name, root, seed, n=5)
        weights = Weights(one.actions.n_classes)
        trainer = BeamTrainer(
            *(one.corpus, one.features, one.actions, weights),
            width=3,
            update=update,
            oracle=oracle,
            restart=restart,
            explore_rate=1,
        )
        learner = Learner(one, 3, update, oracle, restart)
        for _ in range(4):
            trainer.train([0], True)
            learner.learn()
            assert (trainer.n_updates, trainer.time) == (learner.n_updates, learner.time)
            moved = {cell: value for cell, value in learner.weights.items() if value}
            totals = {cell: value for cell, value in learner.totals.items() if value}
            assert cells(weights) == (moved, totals)
        n_learned += learner.n_updates
    assert n_learned > 3


@UPDATES
@SYSTEMS
def test_a_few_sentences_are_learned_until_the_beam_makes_no_error(
    name: str, root: str, update: str
) -> None:
    settings = {"beam": 4, "update": update, "epochs": 25, "features": "auto"}
    history = train(treebank(4, 2, 0), system=name, root=root, **settings).record["history"]
    n_updates = [epoch["n_updates"] for epoch in history]
    assert n_updates[0] > 1 and n_updates[-1] == 0


@pytest.mark.parametrize("oracle", ["static", "dynamic"])
@UPDATES
@SYSTEMS
def test_what_is_learned_holds_for_sentences_never_seen(
    name: str, root: str, update: str, oracle: str
) -> None:
    """Crossing arcs among them; far better than every word on the one before it."""
    a_parser = parser(name, root, beam=4, update=update, oracle=oracle)
    unseen = treebank(40, 5)
    n_words = n_right = n_chained = 0
    for gold, guess in zip(unseen, a_parser.pipe(unseen), strict=True):
        for word, (gold_head, head) in enumerate(zip(gold.heads, guess.heads, strict=True), 1):
            n_words += 1
            n_right += head == gold_head
            n_chained += gold_head == word - 1
    assert n_right > n_chained + 0.15 * n_words


# --- settings, models, checkpoints


def test_the_model_remembers_its_beam_and_parsing_may_choose_another(tmp_path: Path) -> None:
    a_parser = parser("arc-eager", "first", beam=4)
    a_parser.save(tmp_path / "model")
    loaded = dodona.load(tmp_path / "model")
    sentences = treebank(60, 6)

    def trees(**options: Any) -> list[bytes]:
        return [bytes(sentence) for sentence in loaded.pipe(sentences, **options)]

    assert loaded.settings.beam == 4
    assert trees() == trees(beam=4) == list(map(bytes, a_parser.pipe(sentences)))
    assert trees(beam=1) != trees() != trees(beam=2)
    assert trees(threads=3) == trees(beam=4, roots="one")


@pytest.mark.parametrize("restart", ["good", "bad"])
def test_a_run_resumed_after_any_epoch_gives_the_same_bytes(restart: str, tmp_path: Path) -> None:
    path = tmp_path / "small.txt"
    path.write_text(TEMPLATES, encoding="utf-8")
    settings = Settings(features=str(path), epochs=3, beam=4, restart=restart, explore_after=1)
    data = treebank(40, 1), treebank(20, 9)
    whole = Trainer(*data, settings)
    for epoch in whole.epochs():
        whole.save_checkpoint(tmp_path / f"run.{epoch.number}")
    whole.parser().save(tmp_path / "whole")
    for number in (1, 2):
        resumed = Trainer(*data, settings)
        resumed.resume(tmp_path / f"run.{number}")
        assert [epoch.number for epoch in resumed.epochs()] == list(range(number + 1, 4))
        resumed.parser().save(tmp_path / "resumed")
        assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_every_way_to_train_a_beam_gives_another_model() -> None:
    ways = [
        {"update": update, "oracle": oracle, "restart": restart}
        for update in ("early", "max-violation")
        for oracle in ("static", "dynamic")
        for restart in ("none", "good", "bad")
        if (oracle, restart) != ("static", "bad")
    ]
    models = {
        train(treebank(60, 1), beam=3, explore_after=0, **way).weights.rows_bytes() for way in ways
    }
    assert len(models) == len(ways)


def test_after_an_error_training_explores_where_there_is_an_oracle_for_it() -> None:
    assert Settings(beam=8).resolved().restart == "bad"
    assert Settings(beam=8, oracle="static").resolved().restart == "none"
    assert replace(Settings().resolved(), seed=2).restart == "auto"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"beam": 0}, "beam is from 1 to 1000, not 0"),
        ({"beam": 1001}, "beam is from 1 to 1000, not 1001"),
        ({"beam": 2, "training": "static"}, "training='static' is for greedy training"),
        ({"beam": 2, "learner": "pa"}, "learner='pa' is for greedy training, but beam=2"),
        ({"update": "full"}, "update='full' is for a beam, but beam=1"),
        ({"oracle": "static"}, "oracle='static' is for a beam"),
        ({"restart": "none"}, "restart='none' is for a beam"),
        ({"beam": 2, "update": "late"}, "update is one of early, max-violation, full, not 'late'"),
        ({"beam": 2, "oracle": "static", "restart": "bad"}, "restart='bad' needs oracle='dynamic'"),
    ],
)
def test_settings_that_would_be_ignored_or_make_no_sense_are_refused(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Settings(**settings)
