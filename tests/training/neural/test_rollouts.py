"""What is learned from a walk is what the oracle says, in every state that it goes through.

Walks are repeated here with the public oracles, one state at a time: what the network would choose
is worked out from the rows that a walk tells, and what comes next follows the rules of each kind of
training. Where these leave a choice to chance, all choices are followed as long as they fit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

pytest.importorskip("numpy", reason='needs pip install "dodona[neural]"')

import numpy as np

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.learning.rollouts import (
    ALLOWED,
    ALLOWED_FLAG,
    BANNED,
    N_SPECIAL_ROWS,
    OPTIMAL,
    RolloutRecorder,
)
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.core.transitions.registry import GRAPH_SYSTEMS, SYSTEMS, systems
from dodona.parsing.preparation import prepare, prepare_graphs
from dodona.settings import Settings
from dodona.synthetic.generator import random_tree
from dodona.training.neural import rollouts
from dodona.training.neural.batching import Batch
from dodona.training.neural.rollouts import SPARE, used_rows, used_shares
from dodona.treebank.encoding.encoding import Encoder
from support.small import enhanced, treebank

SLOTS = "s0\ns1\nb0\ns0.label\ndistance"
MISSING, ROOT = range(N_SPECIAL_ROWS)
HIDDEN = 12


@dataclass
class Lab:
    """A corpus, and a network's last layers."""

    system: Any
    corpus: Any
    golds: list[dodona.Gold]

    def __post_init__(self) -> None:
        n_labels = len(self.system.labels)
        self.pairs = [
            (move, label, True, True)
            for move, is_labelled in enumerate(self.system.labelled)
            for label in (range(n_labels) if is_labelled else [-1])
        ]
        self.actions, self.slots = Actions(self.system, self.pairs), Slots(SLOTS)
        random = np.random.default_rng(1)
        n_rows = N_SPECIAL_ROWS + sum(gold.n_words for gold in self.golds)
        n_atom_rows, n_classes = sum(self.slots.sizes(self.system)), len(self.pairs)
        sizes = [(n_rows, 3, HIDDEN), (n_atom_rows, HIDDEN), (HIDDEN,)]
        self.products, self.atoms, self.bias = (
            random.standard_normal(size).astype(np.float32) for size in sizes
        )
        self.weights = np.zeros((HIDDEN, -(-n_classes // 8) * 8), np.float32)
        self.weights[:, :n_classes] = random.standard_normal((HIDDEN, n_classes))

    def named(self, c: int, state: dodona.State) -> dodona.Action:
        """The action that a class is; a move may have another name in some states."""
        move, label, *_ = self.pairs[c]
        label_name = None if label < 0 else self.system.labels[label]
        names = self.system.moves[move], (self.system.other_names or {}).get(move)
        action, other = (dodona.Action(name or "", label_name) for name in names)
        return other if other in self.system.valid(state) else action

    def walk(self, mode: str, exploring: bool) -> Iterator[tuple[dodona.Gold, int, Any]]:
        """Each sentence's gold, the row of its first word, and its states."""
        walker = RolloutRecorder(self.corpus, self.actions, self.slots, mode=mode, explore_rate=1.0)
        first_row = N_SPECIAL_ROWS
        numbers = (self.products, self.atoms, self.bias, self.weights, self.weights[0] * 0)
        for i, gold in enumerate(self.golds):
            flat = [x.ravel() for x in numbers]
            rows, atom_rows, verdicts = walker.roll_out([i], [first_row], *flat, 7, exploring)
            yield (
                gold,
                first_row,
                zip(
                    np.frombuffer(rows, np.int32).reshape(-1, 3),
                    np.frombuffer(atom_rows, np.int32).reshape(-1, 2),
                    np.frombuffer(verdicts, np.uint8).reshape(-1, len(self.pairs)),
                    strict=True,
                ),
            )
            first_row += gold.n_words

    def predicted(self, rows: Any, atom_rows: Any, verdicts: Any) -> int:
        """The class that the network would choose."""
        units = self.bias + self.products[rows, range(3)].sum(axis=0)
        units = units + self.atoms[atom_rows].sum(axis=0)
        scores = np.where(units >= 0, units, units / 8) @ self.weights
        return int(np.argmax(np.where(verdicts == BANNED, -np.inf, scores[: len(self.pairs)])))


def make_lab(name: str) -> Lab:
    """Small sentences for a system."""
    settings = Settings(system=name).resolved()
    random = Random(5)
    labels = ("obj",) if name == "nonmonotonic-2013" else ("obj", "nsubj")
    if name in GRAPH_SYSTEMS:
        data = prepare_graphs([enhanced(s) for s in treebank(6, 3)], Encoder(()))
    else:
        data = prepare([_sentence(n, random, labels) for n in (1, 2, 4, 6)], Encoder(()), settings)
    names = [label.decode() for label in data.encoder.labels]
    system = dodona.system(
        name,
        labels=names,
        root=settings.root,
        loss=settings.loss,
        root_label=data.root_label,
        exact_words=settings.exact_words,
    )
    golds = []
    for i in range(len(data.corpus)):
        if name in GRAPH_SYSTEMS:
            arcs = [(h, names[label or 0], d) for h, label, d in data.corpus.graph(i)]
            golds.append(dodona.Gold(arcs=arcs, n_words=len(data.corpus.heads(i))))
        else:
            numbers = data.corpus.labels(i)
            golds.append(dodona.Gold(data.corpus.heads(i), [names[label] for label in numbers]))
    return Lab(system, data.corpus, golds)


def _sentence(n: int, random: Random, labels: tuple[str, ...]) -> dodona.Sentence:
    heads, deprels = random_tree(n, random, projective=True, labels=labels)
    if len(labels) == 1:  # nonmonotonic-2013 notes which label the network likes: let it be this
        deprels = [labels[0]] * n
    return dodona.Sentence.from_columns([f"w{i}" for i in range(n)], heads=heads, deprels=deprels)


def expected_verdicts(lab: Lab, state: dodona.State, gold: dodona.Gold) -> list[int]:
    """What the oracle says of each class."""
    valid, costs = set(lab.system.valid(state)), lab.system.costs(state, gold)
    optimal = set(lab.system.optimal(state, gold))
    assert all(costs[action] == min(costs.values()) for action in optimal)
    actions = [lab.named(c, state) for c in range(len(lab.pairs))]
    return [
        OPTIMAL if action in optimal else ALLOWED if action in valid else BANNED
        for action in actions
    ]


def seen_rows(state: dodona.State, first_row: int) -> list[int]:
    """The rows of s0, s1 and b0."""

    def row(words: tuple[int, ...], i: int) -> int:
        if i >= len(words):
            return MISSING
        is_word = 0 < words[i] <= len(state.heads)
        return first_row + words[i] - 1 if is_word else ROOT

    stack = tuple(reversed(state.stack))
    if state.system.root == "none":  # the root lies below the stack, though no node stands for it
        stack = (*stack, 0)
    return [row(stack, 0), row(stack, 1), row(state.buffer, 0)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", systems())
@pytest.mark.parametrize(
    ("mode", "exploring"), [("ambiguity", True), ("explore", False), ("explore", True)]
)
def test_optimal_classes_are_those_of_the_dynamic_oracle(
    name: str, mode: str, exploring: bool
) -> None:
    lab = make_lab(name)
    n_wrong = 0
    for gold, first_row, told in lab.walk(mode, exploring):
        states = {lab.system.start(gold.n_words)}
        for rows, atom_rows, verdicts in told:
            assert not any(lab.system.is_final(state) for state in states)
            states = {
                state
                for state in states
                if seen_rows(state, first_row) == [*rows]
                and expected_verdicts(lab, state, gold) == [*verdicts]
            }
            assert states
            chosen = lab.predicted(rows, atom_rows, verdicts)
            is_optimal = verdicts[chosen] == OPTIMAL
            n_wrong += not is_optimal
            follows = is_optimal or (mode == "explore" and exploring)
            taken = [chosen] if follows else np.flatnonzero(verdicts == OPTIMAL)
            states = {lab.system.step(s, lab.named(c, s)) for s in states for c in taken}
        assert any(lab.system.is_final(state) for state in states)
    assert n_wrong  # the network is a random one


@pytest.mark.parametrize("name", [*SYSTEMS])
def test_other_trees_are_asked_about_in_the_same_states(name: str) -> None:
    """With every prediction followed, a walk does not depend on the tree: verdicts by another tree
    are those of a walk with that tree."""
    lab, random = make_lab(name), Random(9)
    other = Corpus(0)
    Encoder((), labels=[label.encode() for label in lab.system.labels]).encode(
        [_sentence(gold.n_words, random, tuple(lab.system.labels)) for gold in lab.golds],
        trees=True,
        into=other,
    )
    for i in range(len(other)):
        tree = random_tree(lab.golds[i].n_words, random, projective=True, labels=["obj"])[0]
        other.set_tree(i, tree, [0] * len(tree))
    numbers = (lab.products, lab.atoms, lab.bias, lab.weights, lab.weights[0] * 0)
    flat = [x.ravel() for x in numbers]
    first_rows = N_SPECIAL_ROWS + np.cumsum([0, *(gold.n_words for gold in lab.golds[:-1])])

    def walk(corpus: Any, *others: Any) -> Any:
        options = {"mode": "explore", "explore_rate": 1.0}
        walker = RolloutRecorder(corpus, lab.actions, lab.slots, others, **options)
        rows, _, verdicts = walker.roll_out(range(len(lab.golds)), first_rows, *flat, 7, True)
        return rows, np.frombuffer(verdicts, np.uint8)

    rows, both = walk(lab.corpus, other, lab.corpus)
    for corpus, bit in ((lab.corpus, 2), (other, 4), (lab.corpus, 8)):
        alone_rows, verdicts = walk(corpus)
        assert alone_rows == rows
        assert ((both & bit > 0) == (verdicts == OPTIMAL)).all()
        assert ((both & ALLOWED_FLAG > 0) == (verdicts != BANNED)).all()


def test_trees_that_cannot_be_compared_are_refused() -> None:
    lab = make_lab("arc-hybrid")
    with pytest.raises(ValueError, match="the same sentences"):
        RolloutRecorder(lab.corpus, lab.actions, lab.slots, [Corpus(0)])
    with pytest.raises(ValueError, match="up to 7 trees"):
        RolloutRecorder(lab.corpus, lab.actions, lab.slots, [lab.corpus] * 7)
    with pytest.raises(ValueError, match="not for static training"):
        RolloutRecorder(lab.corpus, lab.actions, lab.slots, [lab.corpus], mode="static")


@pytest.mark.parametrize("name", [*SYSTEMS])
def test_only_the_static_oracles_action_is_optimal_where_it_leads(name: str) -> None:
    lab = make_lab(name)
    for gold, first_row, told in lab.walk("static", True):
        state = lab.system.start(gold.n_words)
        derivation = iter(lab.system.derivation(gold))
        for rows, _, verdicts in told:
            valid = set(lab.system.valid(state))
            assert [*rows] == seen_rows(state, first_row)
            assert [v != BANNED for v in verdicts] == [
                lab.named(c, state) in valid for c in range(len(lab.pairs))
            ]
            (best,) = np.flatnonzero(verdicts == OPTIMAL)
            action = next(derivation)
            assert lab.named(best, state) == action
            state = lab.system.step(state, action)
        assert lab.system.is_final(state) and not list(derivation)


def test_used_rows_are_those_of_any_state() -> None:
    rows = np.random.default_rng(2).integers(40, size=(30, 3)).astype(np.int32)
    counts = [len(np.unique(rows[:, slot])) for slot in range(3)]
    told = used_rows(rows, 50, [count + 4 for count in counts])
    for slot, used in enumerate(told["used"]):
        assert set(used) - {0} == set(rows[:, slot]) - {0}
        assert len(used) == counts[slot] + 4
    assert (np.concatenate(told["used"])[told["positions"]] == rows).all()
    # where there is too little room, all count as used
    assert used_rows(rows, 50, [50, counts[1] - 1, 50]) == {}


def test_shares_of_used_rows_leave_room_for_walks() -> None:
    lab = make_lab("arc-hybrid")
    some = range(len(lab.golds))
    shares = used_shares(lab.corpus, lab.actions, lab.slots, some)
    n_rows = N_SPECIAL_ROWS + sum(gold.n_words for gold in lab.golds)
    for slot, share in enumerate(shares):
        met = {rows[slot] for _, _, told in lab.walk("ambiguity", False) for rows, _, _ in told}
        assert len(met) / n_rows <= share <= SPARE


def test_parts_of_a_batch_have_about_as_many_words() -> None:
    n_words = [1, 1, 1, 1, 30, 1, 30, 1, 1, 0, 28, 2, 2, 1]
    first_rows = np.cumsum([0, *n_words])[:-1] + N_SPECIAL_ROWS
    batch = Batch(range(len(n_words)), np.arange(sum(n_words)), first_rows, {})
    for n in (1, 2, 3, 20):
        cuts = rollouts._cuts(batch, n)
        assert len(cuts) == n + 1 and cuts == sorted(cuts)
        assert (cuts[0], cuts[-1]) == (0, len(n_words))
        most = max(sum(n_words[a:b]) for a, b in itertools.pairwise(cuts))
        assert most <= sum(n_words) / n + max(n_words)
    assert rollouts._cuts(Batch([], np.zeros(0), np.zeros(0), {}), 2) == [0, 0, 0]
