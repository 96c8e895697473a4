"""The k best trees of a beam: ordered, different, and those of an exhaustive enumeration."""

from __future__ import annotations

import pytest

from dodona.core.search.beam import Beam
from dodona.core.search.k_best import k_best
from dodona.core.search.scoring import LinearScorer
from dodona.core.weights.packing import pack
from dodona.parsing.given import Given
from dodona.settings import SettingsError
from support.beam_lab import Lab, lab
from support.given_lab import PARSERS, check, parser
from support.small import treebank

SENTENCE = treebank(3, 11)[1]
Tree = tuple[tuple[int | None, ...], tuple[str | None, ...]]


def every_tree(one: Lab) -> dict[Tree, float]:
    """The score of each tree's best derivation, of all derivations there are."""
    scores = pack(one.weights, 1).scores
    found: dict[Tree, float] = {}
    todo = [(one.system.start(len(one.sentence)), 0.0)]
    while todo:
        state, score = todo.pop()
        if one.system.is_final(state):
            whole = one.system.finish(state)
            tree = whole.heads, whole.labels
            found[tree] = max(score, found.get(tree, score))
        row, valid = scores(one.keys(state)), set(one.system.valid(state))
        for c in range(one.actions.n_classes):
            if one.action(state, c) in valid:
                todo.append((one.step(state, c), score + row[c]))
    return found


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("name", "root"),
    [
        ("arc-standard", "first"),
        ("arc-hybrid", "first"),
        ("arc-hybrid", "last"),
        ("swap", "first"),
        ("arc-eager-tree", "none"),
        ("nonmonotonic", "none"),
    ],
)
def test_a_beam_that_is_wide_enough_finds_every_tree(name: str, root: str, seed: int) -> None:
    one = lab(name, root, seed, n=3, n_labels=2)
    scorer = LinearScorer(one.features, pack(one.weights, 1))
    search = Beam(scorer, one.actions, width=1000, one_root=False)
    found = {
        (heads, tuple(one.system.labels[label] for label in labels)): score
        for score, heads, labels in k_best(search, one.corpus)
    }
    assert found == every_tree(one)
    assert len(found) > 10


@pytest.mark.parametrize("beam", [1, 4, 16])
@pytest.mark.parametrize(("name", "root", "scorer"), PARSERS)
def test_the_best_tree_is_that_of_the_beam_and_others_are_different_and_worse(
    name: str, root: str, scorer: str, beam: int
) -> None:
    one = parser(name, root, scorer)
    for sentence in treebank(3, 11):
        best = one.k_best(sentence, beam, beam=beam)
        if beam > 1:
            assert best[0].sentence == next(one.pipe([sentence], beam=beam))
        scores = [candidate.score for candidate in best]
        assert scores == sorted(scores, reverse=True)
        trees = {(*s.heads, *s.deprels) for s, _ in best}
        assert len(trees) == len(best) <= beam
        assert beam < 16 or len(best) > 1


@pytest.mark.parametrize("constraints", ["none", "ud"])
@pytest.mark.parametrize(("name", "root", "scorer"), PARSERS[::3])
def test_all_of_the_trees_keep_what_is_given(
    name: str, root: str, scorer: str, constraints: str
) -> None:
    one = parser(name, root, scorer)
    given = Given({1: 3}, {2: "obj"}, {}, [(2, 4)])
    best = one.k_best(SENTENCE, 6, given=given, constraints=constraints)
    assert len(best) > 1
    for candidate in best:
        check(given, candidate.sentence)


def test_the_beam_is_wide_enough_or_the_request_refused() -> None:
    one = parser("arc-eager", "last", "linear")
    assert one.settings.search.beam == 1
    assert len(one.k_best(SENTENCE)) == 5
    with pytest.raises(SettingsError, match="k must be from 1 to 4, the width of the beam, not 5"):
        one.k_best(SENTENCE, 5, beam=4)
    with pytest.raises(SettingsError, match="not 0"):
        one.k_best(SENTENCE, 0)
    with pytest.raises(SettingsError, match="beam must be from 1 to 1000, not 0"):
        one.k_best(SENTENCE, 1, beam=0)


def test_trees_with_restored_crossing_arcs_are_different_too() -> None:
    one = parser("arc-eager", "last", "linear")
    assert one.settings.projectivise != "none"
    for sentence in treebank(20, 3, 0.5):
        found = [(*s.heads, *s.deprels) for s, _ in one.k_best(sentence, 8)]
        assert len({*found}) == len(found)
        assert not any("↑" in label for s, _ in one.k_best(sentence, 8) for label in s.deprels)
