"""Beam search: the derivations of a slow twin, greedy at a width of one, no state twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

import dodona
from dodona.core.learning.beam_training import BeamTrainer
from dodona.core.search.beam import Beam
from dodona.core.search.greedy import Greedy
from dodona.core.search.scoring import LinearScorer
from dodona.core.search.tracing import derivations
from dodona.core.weights.packing import pack
from reference import beam as twins
from reference.trees import (
    is_tree,
)
from support.beam_lab import SYSTEMS, Lab, lab, parser
from support.small import treebank


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("width", "n_labels"), [(1, 3), (2, 3), (5, 3), (16, 3), (1, 80), (3, 40), (8, 80)]
)
@SYSTEMS
def test_the_beam_ends_with_the_derivations_of_the_slow_twin(
    name: str, root: str, width: int, n_labels: int
) -> None:
    """With many labels, scores of some classes are only bounded at first."""
    for seed in range(6 if n_labels == 3 else 2):
        one = lab(name, root, seed, n_labels=n_labels)
        packed = pack(one.weights, 1)
        twin = twins.Beam(width, one.system.is_final, one.successors(packed.scores))
        expected = twin.decode(one.system.start(len(one.sentence)))
        found = derivations(
            Beam(LinearScorer(one.features, packed), one.actions, width=width), one.corpus
        )
        assert found == [(h.score, list(h.path)) for h in expected]


@SYSTEMS
def test_duplicate_hypotheses_have_the_scores_of_the_slow_twin(name: str, root: str) -> None:
    """With few templates most states share their signature with another, or an earlier one."""
    n_duplicates = 0
    for seed in range(3):
        one = lab(name, root, seed, n=8, templates="s0.form + b0.form\nb0.upos")
        packed = pack(one.weights, 1)
        twin = twins.Beam(8, one.system.is_final, one.successors(packed.scores))
        expected = twin.decode(one.system.start(len(one.sentence)))
        found = derivations(
            Beam(LinearScorer(one.features, packed), one.actions, width=8), one.corpus
        )
        assert found == [(h.score, list(h.path)) for h in expected]
        signatures = Counter((step, *keys) for h in expected for step, keys in _keys(one, h.path))
        n_duplicates += sum(n > 1 for n in signatures.values())
    assert n_duplicates > 10


def _keys(one: Lab, path: twins.Path) -> Iterator[tuple[int, list[int]]]:
    """Yield the keys at each step of a derivation."""
    state = one.system.start(len(one.sentence))
    for step, klass in enumerate(path):
        yield step, one.keys(state)
        state = one.step(state, klass)


@SYSTEMS
def test_sentences_have_the_same_trees_alone_and_among_others(name: str, root: str) -> None:
    """What a state scored in one of them is remembered in the next."""
    a_parser = parser(name, root)
    parts = a_parser.scorer.state_scorer, a_parser.actions
    sentences = treebank(30, 3)
    together = a_parser.encoder.encode(sentences)
    Beam(*parts, width=4).parse(together)
    for i, sentence in enumerate(sentences):
        alone = a_parser.encoder.encode([sentence])
        Beam(*parts, width=4).parse(alone)
        assert alone.heads(0) == together.heads(i)
        assert alone.labels(0) == together.labels(i)


@SYSTEMS
def test_no_two_derivations_of_a_beam_lead_to_the_same_state(name: str, root: str) -> None:
    for seed in range(5):
        one = lab(name, root, seed)
        beam = Beam(LinearScorer(one.features, pack(one.weights, 1)), one.actions, width=30)
        ends = []
        for _, classes in derivations(beam, one.corpus):
            state = one.system.start(len(one.sentence))
            for c in classes:
                state = one.step(state, c)
            ends.append(state)
        assert len(set(ends)) == len(ends) > 5


@SYSTEMS
def test_a_beam_of_one_is_greedy_search(name: str, root: str) -> None:
    """The same trees, with one root or many, on sentences and on jumbles of words."""
    a_parser = parser(name, root)
    words = [form for sentence in treebank(30, 3) for form in sentence.forms]
    sentences = treebank(30, 3) + [
        dodona.Sentence.from_columns(words[i : i + 12]) for i in range(0, len(words) - 12, 7)
    ]
    parts = a_parser.scorer.state_scorer, a_parser.actions
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
    parts = a_parser.scorer.state_scorer, a_parser.actions
    corpus = a_parser.encoder.encode(treebank(40, 3))
    totals = [
        sum(derivations(Beam(*parts, width=width), corpus, i)[0][0] for i in range(40))
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
    with pytest.raises(ValueError, match=f"beam must be from 1 to 1000, not {width}"):
        parser("arc-eager", "first").pipe([], beam=width)


def test_a_sentence_that_is_not_there_has_no_derivations() -> None:
    one = lab("arc-eager", "first", 1)
    beam = Beam(LinearScorer(one.features, pack(one.weights, 1)), one.actions, width=2)
    with pytest.raises(IndexError, match="of a corpus of 1"):
        derivations(beam, one.corpus, 1)


def test_a_beam_in_training_starts_only_where_a_derivation_leads() -> None:
    one = lab("arc-eager", "first", 1)
    trainer = BeamTrainer(one.corpus, one.features, one.actions, one.weights, width=2)
    with pytest.raises(IndexError, match="no sentence 1 among 1"):
        trainer.hypotheses(1, [], 1)
    reduce = [pair[0] for pair in one.actions.pairs].index(one.system.moves.index("REDUCE"))
    for c in (-1, 99, reduce):
        with pytest.raises(ValueError, match=f"class {c} is not valid there"):
            trainer.hypotheses(0, [c], 1)
