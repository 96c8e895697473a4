"""Every state has a way on, and every derivation an end, whatever a model's classes and weights."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from random import Random

import pytest

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.search.actions import Actions
from dodona.core.search.beam import Beam
from dodona.core.search.greedy import Greedy
from dodona.core.search.scoring import LinearScorer
from dodona.core.search.search import Search
from dodona.core.search.tracing import state_scores, trace
from dodona.core.transitions.python_bridge import Draft
from dodona.core.transitions.registry import GRAPH_SYSTEMS, SYSTEMS
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.packing import pack
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.trees.projectivity import is_tree

Pair = tuple[int, int, bool, bool]  # move, label, under the root, elsewhere
LABELS = ("root", "obj")
EVERY = [
    (name, root)
    for name, kind in {**SYSTEMS, **GRAPH_SYSTEMS}.items()
    if not issubclass(kind, dodona.PythonSystem)
    for root in kind.roots
]
TREES = [(name, root) for name, root in EVERY if name in SYSTEMS]

# what little there is to see: all words are alike, so that weights amount to a few blunt rules
FEATURES = Features("s0.tag\ns1.tag\nb0.tag\nb1.tag\ns0.label\ns0.n_left\ns0.n_right + b0.tag")


@cache
def corpus(n_words: int) -> Corpus:
    sentence = dodona.Sentence.from_columns(["a"] * n_words)
    encoder = Encoder(FEATURES.columns, labels=[label.encode() for label in LABELS])
    encoder.learn([sentence])
    return encoder.encode([sentence])


def unlabelled(system: dodona.System) -> list[Pair]:
    return [(i, -1, False, True) for i, takes in enumerate(system.labelled) if not takes]


def least(system: dodona.System) -> list[Pair]:
    """No more than the classes that a model must have."""
    needed = [
        (moves[0], 0 if under_root else 1, under_root, not under_root)
        for moves, under_root in system.needed_arcs
    ]
    return unlabelled(system) + needed


def search(
    system: dodona.System, pairs: list[Pair], weights: PackedWeights | None = None
) -> Greedy:
    scorer = LinearScorer(FEATURES, weights or pack(Weights(len(pairs)), 1))
    return Greedy(scorer, Actions(system, pairs))


@cache
def reachable(name: str, root: str, n_words: int) -> list[dodona.State]:
    """Every state that some model can come to, whatever its classes; labels make no difference."""
    system = dodona.system(name, labels=LABELS[:1], root=root)
    seen = {system.start(n_words)}
    todo = list(seen)
    while todo:
        state = todo.pop()
        if not system.is_final(state):
            after = {system.step(state, action) for action in system.valid(state)} - seen
            seen |= after
            todo += after
    return list(seen)


def all_reachable(name: str, root: str) -> Iterator[dodona.State]:
    for n_words in (1, 2, 3) if name in GRAPH_SYSTEMS else (1, 2, 3, 4):
        yield from reachable(name, root, n_words)


@pytest.mark.parametrize(("name", "root"), EVERY)
def test_the_classes_that_are_needed_are_enough_in_every_state(name: str, root: str) -> None:
    system = dodona.system(name, labels=LABELS[:1], root=root)
    pairs = [(move, min(label, 0), *where) for move, label, *where in least(system)]
    model = search(system, pairs)
    n_asked = 0
    for state in all_reachable(name, root):
        if not system.is_final(state):
            assert state_scores(model, state, corpus(len(state))), state
            n_asked += 1
    assert n_asked > 10


@pytest.mark.parametrize(("name", "root"), EVERY)
def test_none_of_them_can_be_left_out(name: str, root: str) -> None:
    """There is a state in which nothing else is valid, and a model without it is refused."""
    system = dodona.system(name, labels=LABELS, root=root)
    valid = [{a.move for a in state.system.valid(state)} for state in all_reachable(name, root)]
    pairs = least(system)
    for i, (moves, under_root) in enumerate(system.needed_arcs, len(unlabelled(system))):
        names = {system.moves[move] for move in moves}
        assert any(found and found <= names for found in valid)
        where = "under the root" if under_root else "between words"
        with pytest.raises(ValueError, match=f"no class for an arc {where} by"):
            Actions(system, pairs[:i] + pairs[i + 1 :])


def rules(n_classes: int, model: Greedy, random: Random) -> PackedWeights:
    """Weights that follow no sense: each feature of some states is for one class, against another.

    Sums of them go beyond every barrier.
    """
    weights = Weights(n_classes)
    system = model.system
    for _ in range(6):
        state = system.start(4)
        while not system.is_final(state):
            good, bad = random.randrange(n_classes), random.randrange(n_classes)
            weights.learn(FEATURES.keys(state, corpus(4)), good, bad, random.randint(1, 99), 0)
            state = system.step(state, random.choice(system.valid(state)))
    return pack(weights, 1)


@pytest.mark.parametrize(("name", "root"), EVERY)
def test_no_weights_make_a_derivation_endless(name: str, root: str) -> None:
    """Swapping each pair of words once is the longest that there is."""
    system = dodona.system(name, labels=LABELS, root=root)
    moves = {pair[:2] for pair in least(system)}
    every = [
        (move, label, True, True)
        for move, takes in enumerate(system.labelled)
        for label in (range(len(LABELS)) if takes else [-1])
    ]
    random = Random(7)
    for _ in range(30):
        some = [pair for pair in every if pair[:2] in moves or random.random() < 0.5]
        weights = rules(len(some), search(system, some), random)
        for n in (1, 2, 3, 7, 20):
            parsers: list[Search] = [search(system, some, weights)]
            if not system.builds_graphs:
                parsers.append(
                    Beam(LinearScorer(FEATURES, weights), Actions(system, some), width=3)
                )
            for parser in parsers:
                words = corpus(n)
                assert parser.parse(words) <= n * n + 4 * n
                assert not system.builds_graphs or words.graph(0)
                assert system.builds_graphs or is_tree(words.heads(0)), words.heads(0)
                assert len(trace(parser, words)) <= n * n + 4 * n + 1


@pytest.mark.usefixtures("own_systems")
@pytest.mark.parametrize("beam", [1, 3])
def test_a_system_in_python_that_never_ends_is_told_so(beam: int) -> None:
    class Idle(dodona.PythonSystem):
        """Puts a word on the stack and back again, for ever."""

        name = "idle"
        moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
        when = ("", "", "")
        leftward, rightward = ("LEFT-ARC",), ("RIGHT-ARC",)

        def final(self, state: dodona.State) -> bool:
            return False

        def valid_moves(self, state: dodona.State) -> list[str]:
            return ["SHIFT"]

        def take(self, state: Draft, move: str, label: str | None) -> None:
            if len(state.stack) > 1:
                state.put_back(state.pop())
            else:
                state.push(state.next_word())

        def move_costs(self, state: dodona.State, gold: dodona.Gold) -> dict[str, int]:
            return {"SHIFT": 0}

    system = dodona.system("idle", labels=LABELS)
    pairs = [(0, -1, False, True), (1, 0, True, True), (2, 0, True, True)]
    weights = pack(Weights(len(pairs)), 1)
    parser: Search = search(system, pairs, weights)
    if beam > 1:
        parser = Beam(LinearScorer(FEATURES, weights), Actions(system, pairs), width=beam)
    for ask in (parser.parse, partial(trace, parser)):
        with pytest.raises(RuntimeError, match=r"idle has taken 32 transitions .* of 2 words"):
            ask(corpus(2))
    gold = dodona.Gold(heads=[0, 1], labels=["root", "obj"])
    with pytest.raises(RuntimeError, match="does every move bring it nearer"):
        system.derivation(gold)
