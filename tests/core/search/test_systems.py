"""Every transition system with search and training, which know none of them by name."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import dodona
from reference.trees import is_projective, is_tree
from support.small import train, treebank
from support.systems import TREE_SYSTEMS

SYSTEMS = pytest.mark.parametrize(("name", "root"), TREE_SYSTEMS)
WAYS = pytest.mark.parametrize("training", ["static", "ambiguity", "explore"])


@cache
def parser(name: str, root: str, training: str, **settings: Any) -> dodona.Parser:
    return train(treebank(150, 1, 0.3), system=name, root=root, training=training, **settings)


def heads_of(sentence: dodona.Sentence) -> tuple[int, ...]:
    return tuple(head or 0 for head in sentence.heads)


@pytest.mark.thorough
@WAYS
@SYSTEMS
def test_what_is_learned_holds_for_sentences_never_seen(
    name: str, root: str, training: str
) -> None:
    """Better than every word on the one before it; always a tree, with its root labelled so."""
    unseen = treebank(60, 5)
    n_words = n_right = n_chained = 0
    for gold, guess in zip(unseen, parser(name, root, training).pipe(unseen), strict=True):
        heads = heads_of(guess)
        assert is_tree(heads) and heads.count(0) == 1
        for word, (gold_head, head, label) in enumerate(
            zip(gold.heads, heads, guess.deprels, strict=True), 1
        ):
            assert (head == 0) == (label == "root")
            n_words += 1
            n_right += head == gold_head
            n_chained += gold_head == word - 1
    assert n_right > n_chained + 0.2 * n_words


@pytest.mark.thorough
@WAYS
@SYSTEMS
def test_trees_out_of_reach_are_no_obstacle(name: str, root: str, training: str) -> None:
    """Without a transform the dynamic oracle makes the best of them."""
    sentences = treebank(20, 6)
    guesses = parser(name, root, training, projectivise="none").pipe(sentences)
    assert all(is_tree(heads_of(guess)) for guess in guesses)


def n_crossing(sentences: list[dodona.Sentence]) -> int:
    return sum(not is_projective(heads_of(sentence)) for sentence in sentences)


@WAYS
def test_swap_learns_crossing_arcs(training: str) -> None:
    """It keeps the trees that others leave out of static training, and builds some itself."""
    sentences = treebank(150, 1, 0.3)
    a_parser = parser("swap", "first", training, projectivise="none", epochs=5)
    assert a_parser.record["n_sentences"] == len(sentences)
    assert a_parser.record["n_nonprojective"] == n_crossing(sentences) > 10
    assert n_crossing(list(a_parser.pipe(sentences))) > 0


@pytest.mark.parametrize(
    ("name", "root"), [("arc-standard", "last"), ("arc-standard", "none"), ("arc-hybrid", "none")]
)
def test_a_root_that_a_system_cannot_have_is_refused(name: str, root: str) -> None:
    with pytest.raises(ValueError, match=f"{name} has its root first.*root='{root}' is not"):
        dodona.system(name, labels=["dep"], root=root)


@pytest.mark.parametrize("training", ["static", "explore"])
def test_each_static_oracle_of_swap_trains_its_own_parser(training: str) -> None:
    sentences = treebank(100, 1, 0.4)
    models = {
        oracle: train(sentences, system="swap", training=training, static_oracle=oracle)
        for oracle in ("static", "lazy", "eager")
    }
    assert models["eager"].system.static_oracle == "eager"
    weights = {oracle: model.scorer.weights.rows_bytes() for oracle, model in models.items()}
    assert weights["static"] == weights["lazy"] != weights["eager"]


def test_a_static_oracle_that_a_system_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="arc-eager has no 'lazy' oracle, only 'static'"):
        train(treebank(5, 1), system="arc-eager", static_oracle="lazy")
