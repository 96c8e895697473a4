"""Parsers of every system with both scorers, and random things to give them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import combinations, starmap
from random import Random

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.learning.static_oracle import seen_actions
from dodona.core.network.network import Network
from dodona.core.network.slot_language import load_slots
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions
from dodona.core.search.scoring import NeuralScorer, StateScorer
from dodona.parsing.given import Given, GivenError
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import prepare
from dodona.parsing.scorers import LinearParserScorer
from dodona.settings import SLOTS, Settings
from dodona.tagging.reading import WordReader
from dodona.tagging.word_types import FIELDS, HASHED, WordTypes
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary
from reference.trees import (
    Heads,
    all_trees,
    is_tree,
    projective_trees,
    random_projective_tree,
    random_tree,
)
from support import beam_lab
from support.networks import Shape, random_arrays
from support.small import treebank
from support.systems import TREE_SYSTEMS

N_ROWS = 11
LABELS = ("nsubj", "obj", "det", "root", "never-seen")


class RandomNetwork(LinearParserScorer):
    """The scorer of a parser whose network has learned nothing, and which does not tag."""

    def __init__(self, name: str, root: str) -> None:
        settings = Settings(system=name, root=root, projectivise="auto").resolved()
        data = prepare(treebank(150, 3), Encoder(()), settings)
        labels = [label.decode() for label in data.encoder.labels]
        system = dodona.system(name, labels=labels, root=root, root_label=data.root_label)
        self.settings, self.root_label, self.encoder = settings, data.root_label, data.encoder
        self.templates, self.tagger = load_slots(SLOTS[type(system).default_templates]), None
        self.pairs = seen_actions(system, data.corpus, data.order)
        slots = Slots(self.templates)
        shape = Shape(
            layers=1,
            hidden=32,
            fields=(4,) * len(FIELDS),
            slots=slots.n_slots,
            atoms=tuple(slots.sizes(system)),
            classes=Actions(system, self.pairs).n_classes,
            n_rows=N_ROWS,
        )
        self.network = Network(shape.about(), random_arrays(shape, Random(name), int8=True))
        self.state_scorer: StateScorer = NeuralScorer(slots, self.network)

    def read(
        self, sentences: list[dodona.Sentence], keep: Collection[str] | None
    ) -> tuple[list[dodona.Sentence], Corpus]:
        forms = Vocabulary([str(i).encode() for i in range(N_ROWS - 1)])
        types = WordTypes(forms, [N_ROWS] * (len(HASHED) + 1))
        return sentences, WordReader(self.network, types, self.network.n_heads).read(sentences)


@cache
def parser(name: str, root: str, scorer: str) -> dodona.Parser:
    """A parser with the scorer "linear" or "network"."""
    if scorer == "linear":
        return beam_lab.parser(name, root)
    made = RandomNetwork(name, root)
    return Parser(made.settings, made, made.root_label, made.pairs)


PARSERS = [(*system, scorer) for system in TREE_SYSTEMS for scorer in ("linear", "network")]


def given_of(heads: Heads, random: Random) -> Given:
    """Some heads, labels and spans of a tree, so that at least this tree has them all."""
    n = len(heads)
    share = random.choice((0.1, 0.3, 0.6, 1.0))
    words = range(1, n + 1)
    some = {d: heads[d - 1] for d in words if random.random() < share}
    labels = {
        d: "root" if heads[d - 1] == 0 else random.choice([one for one in LABELS if one != "root"])
        for d in words
        if random.random() < share / 2
    }
    spans: list[tuple[int, int]] = []
    for _ in range(random.choice((0, 0, 1, 3))):
        first, last = sorted(random.choices(words, k=2))
        if n_tops(heads, first, last) == 1 and not any(
            cross((first, last), span) for span in spans
        ):
            spans.append((first, last))
    return Given(some, labels, {}, spans)


def anything(n: int, random: Random) -> Given:
    """Heads, labels and spans that have nothing to do with each other."""
    heads = {random.randint(1, n): random.randint(0, n) for _ in range(random.randint(0, 3))}
    labels = {random.randint(1, n): random.choice(LABELS) for _ in range(random.randint(0, 3))}
    ends = [sorted(random.choices(range(1, n + 1), k=2)) for _ in range(random.randint(0, 2))]
    return Given(heads, labels, {}, [(first, last) for first, last in ends])


def n_tops(heads: Heads, first: int, last: int) -> int:
    return sum(not first <= heads[d - 1] <= last for d in range(first, last + 1))


def cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((one, other))
    return a < c <= b < d


def check(given: Given, parsed: dodona.Sentence) -> None:
    """Fail unless a parsed sentence is a tree with one root that has all that was given."""
    heads = tuple(head or 0 for head in parsed.heads)
    assert is_tree(heads) and heads.count(0) == 1, heads
    for word, head in given.heads.items():
        assert heads[word - 1] == head, (word, given, parsed.heads)
    for word, label in given.labels.items():
        assert parsed.deprels[word - 1] == label, (word, given, parsed.deprels)
        if word not in given.heads:
            assert (label == "root") == (heads[word - 1] == 0), (word, given, parsed.heads)
    for first, last in given.spans:
        assert n_tops(heads, first, last) == 1, (first, last, given, parsed.heads)


def cases(name: str, n_cases: int, seed: int) -> Iterator[tuple[dodona.Sentence, Given, bool]]:
    """Yield sentences with what is given of them, and whether there is a tree that has it."""
    random, sentences = Random(seed), treebank(60, 7)
    crossing = not dodona.system(name, labels=["root"]).projective_only
    for _ in range(n_cases):
        sentence = random.choice(sentences)
        n = len(sentence)
        if random.random() < 0.2:
            yield sentence, anything(n, random), False
            continue
        heads: Heads = ()
        while heads.count(0) != 1:
            heads = (random_tree if crossing else random_projective_tree)(n, random)
        yield sentence, given_of(heads, random), True


def run(name: str, root: str, scorer: str, beam: int, n_cases: int, seed: int = 1) -> int:
    """Check random cases; return how many had something impossible, which is refused."""
    n_refused, one = 0, parser(name, root, scorer)
    for sentence, given, is_possible in cases(name, n_cases, seed):
        try:
            parsed = next(one.pipe([sentence], beam=beam, given=lambda _, given=given: given))
        except GivenError:
            assert not is_possible, given
            n_refused += 1
        else:
            check(given, parsed)
    return n_refused


def is_possible(given: Given, n: int, *, crossing: bool) -> bool:
    """Return whether some tree with one root has all that is given, by trying all of them.

    Spans that cross are no phrases, and refused.
    """
    return not any(starmap(cross, combinations(given.spans, 2))) and any(
        heads.count(0) == 1 and has(given, heads)
        for heads in (all_trees if crossing else projective_trees)(n)
    )


def has(given: Given, heads: Heads) -> bool:
    return (
        all(heads[word - 1] == head for word, head in given.heads.items())
        and all(
            (heads[word - 1] == 0) == (label == "root")
            for word, label in given.labels.items()
            if word not in given.heads
        )
        and all(n_tops(heads, *span) == 1 for span in given.spans)
    )
