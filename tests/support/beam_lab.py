"""Systems with random weights, in the core and out of it, for the tests of beams."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.search.actions import Actions
from dodona.core.weights.linear import Weights
from dodona.treebank.encoding.encoding import Encoder
from reference import beam as twins
from reference.trees import (
    Heads,
    random_projective_tree,
)
from support.small import TEMPLATES, train, treebank
from support.systems import TREE_SYSTEMS

SYSTEMS = pytest.mark.parametrize(("name", "root"), TREE_SYSTEMS)
UPDATES = pytest.mark.parametrize("update", ["early", "max-violation", "full"])
ONE, TWO = ("root",), ("root", "obj")


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
        templates: str = TEMPLATES,
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
        self.features = Features(templates)
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


def lab(
    name: str, root: str, seed: int, n: int = 6, n_labels: int = 3, templates: str = TEMPLATES
) -> Lab:
    # without a model there is nothing to remember in the system of 2013 but the only label
    n_labels = 1 if name == "nonmonotonic-2013" else n_labels
    labels = ["root", "obj", "det", *map(str, range(3, n_labels))][:n_labels]
    random = Random(seed)
    heads = random_projective_tree(n, random)
    while root == "none" and heads.count(0) != 1:
        heads = random_projective_tree(n, random)
    one = Lab(name, root, labels, heads, seed, templates=templates)
    one.scatter(2 * n_labels)
    return one


def crossing_treebank(n: int, seed: int) -> list[dodona.Sentence]:
    return treebank(n, seed, 0.3)


@cache
def parser(name: str, root: str, **settings: Any) -> dodona.Parser:
    return train(crossing_treebank(60, 1), system=name, root=root, **settings)


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
