"""Walks of a network in training: the states met, and what the oracle says of them."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.learning.rollouts import ALLOWED, BANNED, N_SPECIAL_ROWS, OPTIMAL, RolloutRecorder
from dodona.core.learning.static_oracle import seen_actions
from dodona.core.network.slot_language import load_slots
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.parsing.preparation import prepare
from dodona.settings import SLOTS, Settings
from dodona.treebank.encoding.encoding import Encoder
from support.small import treebank

HIDDEN = 8
TREES = [name for name in dodona.systems() if not dodona.system(name, labels=["a"]).builds_graphs]
Walk = tuple[list[list[int]], list[list[int]], list[list[int]]]


class Lab:
    """A system, sentences, and a network whose last layers are random."""

    def __init__(self, name: str, mode: str) -> None:
        settings = Settings(system=name, training=mode, projectivise="auto").resolved()
        self.sentences = treebank(6, 3)
        self.data = prepare(self.sentences, Encoder(()), settings)
        labels = [label.decode() for label in self.data.encoder.labels]
        options = {"root": settings.root, "root_label": self.data.root_label}
        self.system = dodona.system(name, labels=labels, **options)
        self.actions = Actions(
            self.system, seen_actions(self.system, self.data.corpus, self.data.order)
        )
        self.slots = Slots(load_slots(SLOTS[type(self.system).default_templates]))
        self.walker = RolloutRecorder(self.data.corpus, self.actions, self.slots, mode=mode)
        self.lengths = [len(sentence) for sentence in self.sentences]
        self.n_padded = -(-self.actions.n_classes // 8) * 8
        self.arrays = self._arrays(Random(5))

    def _arrays(self, random: Random) -> list[Any]:
        n_rows = N_SPECIAL_ROWS + sum(self.lengths)
        sizes = (
            n_rows * self.slots.n_slots * HIDDEN,
            self.walker.n_atom_rows * HIDDEN,
            HIDDEN,
            HIDDEN * self.n_padded,
            self.n_padded,
        )
        return [array("f", [random.gauss(0, 1) for _ in range(n)]) for n in sizes]

    def walk(self, sentences: list[int], exploring: bool = True, salt: int = 1) -> Walk:
        first = [N_SPECIAL_ROWS + sum(self.lengths[:i]) for i in sentences]
        rows, atoms, verdicts = self.walker.roll_out(
            sentences, first, *self.arrays, salt, exploring
        )
        widths = self.slots.n_slots, self.slots.n_atoms, self.actions.n_classes
        numbers = list(array("i", rows)), list(array("i", atoms)), list(verdicts)
        found = (
            [part[i : i + width] for i in range(0, len(part), width)]
            for part, width in zip(numbers, widths, strict=True)
        )
        return next(found), next(found), next(found)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("mode", ["ambiguity", "explore"])
def test_verdicts_are_those_of_the_oracle(name: str, mode: str) -> None:
    """Replayed with the system of the research surface, by what the verdicts leave as choices."""
    lab = Lab(name, mode)
    for i in range(len(lab.sentences)):
        _, _, verdicts = lab.walk([i])
        heads, labels = lab.data.corpus.heads(i), lab.data.corpus.labels(i)
        gold = dodona.Gold(heads=heads, labels=[lab.system.labels[label] for label in labels])
        state = lab.system.start(lab.lengths[i])
        first = lab.system.optimal(state, gold)
        by_action = {
            (lab.system.moves[move], None if label < 0 else lab.system.labels[label]): c
            for c, (move, label, _, _) in enumerate(lab.actions.pairs)
        }
        allowed = {c for c, verdict in enumerate(verdicts[0]) if verdict != BANNED}
        optimal = {c for c, verdict in enumerate(verdicts[0]) if verdict == OPTIMAL}
        known = {by_action[a.move, a.label] for a in first if (a.move, a.label) in by_action}
        assert optimal and optimal <= allowed
        assert optimal == known & allowed or not known & allowed


def test_static_training_has_one_class_a_state_and_rebuilds_the_tree() -> None:
    lab = Lab("arc-eager", "static")
    for i in range(len(lab.sentences)):
        before = lab.walker.n_labelled
        rows, atoms, verdicts = lab.walk([i], exploring=False)
        assert len(rows) == len(atoms) == len(verdicts) > 0
        assert all(row.count(OPTIMAL) == 1 for row in verdicts)
        assert all(row.count(ALLOWED) < len(row) for row in verdicts)
        assert lab.walker.n_labelled - before == lab.lengths[i]


@pytest.mark.parametrize("name", TREES)
def test_a_walk_does_not_depend_on_who_walks_beside(name: str) -> None:
    lab = Lab(name, "explore")
    together = lab.walk([2, 0, 4])
    alone = [lab.walk([i]) for i in (2, 0, 4)]
    for part in range(3):
        assert together[part] == [row for walk in alone for row in walk[part]]
    assert any(lab.walk([2], salt=salt) != alone[0] for salt in range(2, 30))


def test_rows_are_those_of_the_sentence_and_arrays_must_fit() -> None:
    lab = Lab("arc-eager", "explore")
    rows, atoms, _ = lab.walk([3])
    first = N_SPECIAL_ROWS + sum(lab.lengths[:3])
    words = {row for state in rows for row in state if row >= N_SPECIAL_ROWS}
    assert words == set(range(first, first + lab.lengths[3]))
    assert all(0 <= row < lab.walker.n_atom_rows for state in atoms for row in state)
    with pytest.raises(IndexError, match="no row"):
        lab.walker.roll_out([0], [1], *lab.arrays, 1, True)
    with pytest.raises(IndexError, match="no sentence 99"):
        lab.walker.roll_out([99], [2], *lab.arrays, 1, True)
    with pytest.raises(ValueError, match="do not fit together"):
        lab.walker.roll_out([0], [2], *lab.arrays[:4], lab.arrays[4][:-1], 1, True)
