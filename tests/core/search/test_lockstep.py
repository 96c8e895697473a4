"""Sentences parsed side by side beside the same, one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.learning.static_oracle import seen_actions
from dodona.core.network.network import Network, variants
from dodona.core.network.slot_language import load_slots
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.core.search.greedy import Greedy
from dodona.core.search.lockstep import LockStep
from dodona.core.search.scoring import NeuralScorer
from dodona.parsing.preparation import prepare
from dodona.settings import SLOTS, Settings
from dodona.tagging.reading import WordReader
from dodona.tagging.word_types import FIELDS, HASHED, WordTypes
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.trees.ud_rules import constraints_of
from dodona.treebank.trees.word_kinds import set_kinds
from support.networks import Shape, random_arrays
from support.small import treebank

TREES = [name for name in dodona.systems() if not dodona.system(name, labels=["a"]).builds_graphs]
N_ROWS = 11
SENTENCES = treebank(150, 3)  # more than are parsed side by side


class Lab:
    """A system, and a network that has learned nothing: it goes wherever it may."""

    def __init__(self, name: str, *, int8: bool = True, variant: str | None = None) -> None:
        settings = Settings(system=name, projectivise="auto").resolved()
        data = prepare(SENTENCES, Encoder(()), settings)
        self.labels = [label.decode() for label in data.encoder.labels]
        options = {"root": settings.root, "root_label": data.root_label}
        system = dodona.system(name, labels=self.labels, **options)
        self.actions = Actions(system, seen_actions(system, data.corpus, data.order))
        self.slots = Slots(load_slots(SLOTS[type(system).default_templates]))
        shape = Shape(
            layers=1,
            hidden=32,
            fields=(4,) * len(FIELDS),
            slots=self.slots.n_slots,
            atoms=tuple(self.slots.sizes(system)),
            classes=self.actions.n_classes,
            n_rows=N_ROWS,
        )
        arrays = random_arrays(shape, Random(name), int8=int8)
        self.network = Network(shape.about(), arrays, variant)
        self.scorer = NeuralScorer(self.slots, self.network)

    def read(self, sentences: list[dodona.Sentence]) -> Corpus:
        forms = Vocabulary([str(i).encode() for i in range(N_ROWS - 1)])
        types = WordTypes(forms, [N_ROWS] * (len(HASHED) + 1))
        return WordReader(self.network, types, self.network.n_heads).read(sentences)

    def parse(
        self,
        kind: type[Greedy | LockStep],
        *,
        constrained: bool = False,
        start: int = 0,
        sentences: list[dodona.Sentence] = SENTENCES,
    ) -> object:
        """Transitions, trees, and which of them break constraints."""
        corpus = self.read(sentences)
        constraints = None
        if constrained:
            constraints = constraints_of(self.labels)
            set_kinds(corpus, sentences)
        search = kind(self.scorer, self.actions, constraints=constraints)
        n_transitions = search.parse(corpus, start)
        trees = [(corpus.heads(i), corpus.labels(i)) for i in range(len(sentences))]
        assert all(None not in heads for heads, _ in trees[start:])
        return n_transitions, trees, sorted(corpus.broken)


@pytest.mark.parametrize("int8", [True, False], ids=["int8", "float32"])
@pytest.mark.parametrize("name", TREES)
def test_trees_are_those_of_sentences_alone(name: str, int8: bool) -> None:
    lab = Lab(name, int8=int8)
    assert lab.parse(LockStep) == lab.parse(Greedy)


@pytest.mark.parametrize("constrained", [True, False], ids=["ud", "free"])
def test_trees_are_those_of_sentences_alone_with_constraints_and_from_any_on(
    constrained: bool,
) -> None:
    lab = Lab("arc-eager")
    expected = lab.parse(Greedy, constrained=constrained, start=7)
    assert lab.parse(LockStep, constrained=constrained, start=7) == expected


def test_trees_are_those_of_every_kernel() -> None:
    expected = Lab("arc-hybrid", variant="plain").parse(Greedy)
    for variant in variants():
        assert Lab("arc-hybrid", variant=variant).parse(LockStep) == expected


def test_threads_share_a_search() -> None:
    lab = Lab("arc-eager")
    search = LockStep(lab.scorer, lab.actions)

    def trees(_: int) -> list[list[int | None]]:
        corpus = lab.read(SENTENCES)
        search.parse(corpus)
        return [corpus.heads(i) for i in range(len(SENTENCES))]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(trees, range(8)))
    assert all(one == found[0] for one in found)


def test_a_corpus_of_another_network_is_refused() -> None:
    lab = Lab("arc-eager")
    search = LockStep(lab.scorer, lab.actions)
    with pytest.raises(ValueError, match="this network has not read"):
        search.parse(Corpus(3))


@pytest.mark.parametrize("name", TREES)
def test_long_sentences_whose_products_are_dropped_and_computed_again(name: str) -> None:
    forms = [word for sentence in SENTENCES for word in sentence.forms]
    long = [dodona.Sentence.from_columns((forms * 2)[:n]) for n in (900, 7, 1500)]
    lab = Lab(name)
    assert lab.parse(LockStep, sentences=long) == lab.parse(Greedy, sentences=long)
