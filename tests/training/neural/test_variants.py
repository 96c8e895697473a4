"""Variants of sentences: casing, removed marks, and soft targets without the words removed."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dodona
from dodona.settings import Settings
from dodona.training.neural.silver import SilverFiles, soft_path, write_soft_targets
from dodona.training.neural.strategy import NeuralStrategy
from dodona.training.neural.tag_heads import NO_CLASS, learn_tags
from dodona.training.neural.training_sets import GOLD, SILVER, SoftTargets
from dodona.training.neural.variants import KINDS, Variants, kept_words, variant, without_words
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.trees.projectivity import is_projective
from support.small import treebank

SENTENCE = dodona.Sentence.from_columns(
    ["Do", "n't", "tell", "Ann", ",", "and", "go", "to", "Paris", "!"],
    lemmas=["do", "not", "tell", "Ann", ",", "and", "go", "to", "Paris", "!"],
    upos=["AUX", "PART", "VERB", "PROPN", "PUNCT", "CCONJ", "VERB", "ADP", "PROPN", "PUNCT"],
    xpos=["VB", "RB", "VB", "NNP", ",", "CC", "VB", "IN", "NNP", "."],
    heads=[3, 3, 0, 3, 7, 7, 3, 9, 7, 3],
    deprels=["aux", "advmod", "root", "obj", "punct", "cc", "conj", "case", "obl", "punct"],
)
FEW, MANY = (treebank(n, seed, nonprojective=0.2) for n, seed in ((12, 1), (250, 3)))
# the invented language has no marks: some of its words become marks
MARKED = [
    s.replace(upos=["PUNCT" if i % 3 == 2 else tag for i, tag in enumerate(s.upos)]) for s in MANY
]
SMALL = Settings(scorer="neural", system="arc-hybrid", width=32, layers=1, hidden=16)


@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        ("lower", "do n't tell ann , and go to paris !"),
        ("title", "Do n't Tell Ann , And Go To Paris !"),
        ("headline", "Do n't Tell Ann , and Go to Paris !"),
        ("capitals", "DO N'T TELL ANN , AND GO TO PARIS !"),
        ("bare", "Do n't tell Ann and go to Paris"),
        ("bare lower", "do n't tell ann and go to paris"),
    ],
)
def test_a_variant_has_other_forms_and_the_same_analysis(kind: str, forms: str) -> None:
    found = variant(SENTENCE, kind)
    assert found.forms == forms.split()
    kept = [i for i in range(10) if len(found) == 10 or SENTENCE.upos[i] != "PUNCT"]
    for column in ("lemmas", "upos", "xpos", "feats", "deprels"):
        assert getattr(found, column) == [getattr(SENTENCE, column)[i] for i in kept]
    heads = [SENTENCE.heads[i] for i in kept]
    names = [head and SENTENCE.lemmas[head - 1] for head in heads]
    assert [head and found.lemmas[head - 1] for head in found.heads] == names


def test_all_kinds_are_tested_and_weights_sum_to_one() -> None:
    assert len(KINDS) == 6 and sum(weight for *_, weight in KINDS.values()) == pytest.approx(1)


def test_a_tree_without_marks_is_a_tree_and_projective_if_it_was() -> None:
    n_removed = n_projective = 0
    for sentence in MARKED:
        found = variant(sentence, "bare")
        heads = [head or 0 for head in found.heads]
        assert heads.count(0) == 1 and all(0 <= head <= len(found) for head in heads)
        (again,) = dodona.read(BytesIO(bytes(found)))  # refused if there were a cycle
        assert again == found
        n_removed += len(sentence) - len(found)
        if is_projective([head or 0 for head in sentence.heads]):
            n_projective += 1
            assert is_projective(heads)
    assert n_removed > 100 and n_projective > 100


def test_marks_with_dependents_roots_and_sentences_of_marks_stay() -> None:
    odd = dodona.Sentence.from_columns(
        ["(", "x", ")", "..."],
        upos=["PUNCT", "X", "PUNCT", "PUNCT"],
        heads=[0, 3, 1, 1],
        deprels=["root", "dep", "punct", "punct"],
    )
    assert kept_words(odd) == [0, 1, 2]
    alone = dodona.Sentence.from_columns(["?", "!"], upos=["PUNCT"] * 2, heads=[None, None])
    assert kept_words(alone) == [0, 1] and variant(alone, "bare").heads == [None, None]


def test_the_choice_depends_on_the_seed_alone_and_has_the_share_that_is_asked_for() -> None:
    def drawn(share: float, seed: int) -> list[str | None]:
        variants = Variants(share, seed)
        return [variants.draw() for _ in range(2000)]

    assert drawn(0.15, 1) == drawn(0.15, 1) != drawn(0.15, 2)
    assert 240 < sum(kind is not None for kind in drawn(0.15, 1)) < 360
    assert {*drawn(1, 1)} == {*KINDS} and {*drawn(0, 1)} == {None}
    with pytest.raises(ValueError, match="from 0 to 1, not 15"):
        Variants(15, 1)


def test_soft_targets_lose_the_words_that_are_removed() -> None:
    # two sentences: the second word of the first is removed, on which the third hangs in a tree
    soft = SoftTargets(
        heads=np.array([[2, 3], [3, 0], [0, 2], [0, 1]], np.int16),
        head_weights=np.array([[0.75, 0.25], [1, 0], [0.5, 0.5], [1, 0]], np.float16),
        tags=np.arange(4).reshape(1, 4, 1),
        tag_weights=np.ones((1, 4, 1), np.float16),
        trees=np.array([[3, 3, 0, 0], [2, 0, 2, 0]], np.int16),
        tree_labels=np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.int16),
    )
    found = without_words(soft, [3, 1], [[0, 2], None])
    assert found.heads.tolist() == [[0, 2], [0, 0], [0, 1]]
    assert found.head_weights.tolist() == [[0, 1], [1, 0], [1, 0]]
    assert found.tags[0, :, 0].tolist() == [0, 2, 3]
    assert found.trees.tolist() == [[2, 0, 0], [0, 0, 0]]
    assert found.tree_labels.tolist() == [[1, 3, 4], [5, 7, 8]]
    assert soft.trees.tolist() == [[3, 3, 0, 0], [2, 0, 2, 0]]  # unchanged


def begun(share: float, path: Path, **options: Any) -> NeuralStrategy:
    files = SilverFiles((path,), variants=share, **options)
    strategy = NeuralStrategy(silver=files, variants=share)
    strategy.begin(FEW, [], SMALL.resolved())
    return strategy


@pytest.mark.thorough
def test_silver_is_replaced_and_gold_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "silver.conllu"
    with Writer(path) as writer:
        for sentence in MARKED:
            writer.write(sentence)
    plain, varied = begun(0, path), begun(0.5, path)
    assert varied.silver is not None and plain.silver is not None
    before, after = plain.schedule.sets, varied.schedule.sets
    assert len(before[GOLD].order) == len(FEW) < len(after[GOLD].order) < 2 * len(FEW)
    assert len(after[SILVER].words.n_words) == len(MARKED)
    assert 0.7 * plain.silver.n_words < varied.silver.n_words < plain.silver.n_words
    # copies have no lemmas to learn
    assert varied.known.known == plain.known.known
    assert varied.initial_settings()["variants"] == 0.5
    assert "variants" not in plain.initial_settings()
    again = begun(0.5, path)
    assert again.schedule.sets[SILVER].heads.tolist() == after[SILVER].heads.tolist()
    assert (after[GOLD].tags[0] != NO_CLASS).all()


@pytest.mark.thorough
def test_weights_beside_silver_follow_its_variants(tmp_path: Path) -> None:
    path = tmp_path / "silver.conllu"
    with Writer(path) as writer:
        for sentence in MARKED:
            writer.write(sentence)
    tags = learn_tags(MARKED, ["upos", "feats"])
    heads: Any = np.array([[head or 0] for s in MARKED for head in s.heads], np.int16)
    n, labels = len(heads), sorted({label for s in MARKED for label in s.deprels})
    named = np.array([labels.index(label) for s in MARKED for label in s.deprels])
    soft = SoftTargets(
        heads,
        np.ones((n, 1)),
        np.stack(tags.gold)[..., None],
        np.ones((2, n, 1)),
        np.stack([heads[:, 0]] * 2),
        np.stack([named] * 2),
    )
    names = [(answers.column, answers.classes) for answers in tags.tag_classes]
    write_soft_targets(soft_path(path), soft, names, labels)
    strategy = begun(0.7, path, soft=True, votes=True)
    silver = strategy.schedule.sets[SILVER]
    assert silver.soft is not None and len(silver.soft.heads) == silver.n_words < n
    first = silver.words.first
    for i, (begin, end) in enumerate(pairwise(first)):
        tree = [int(head) for head in silver.soft.heads[begin:end, 0]]
        assert silver.others[0].heads(i) == tree  # the teacher's tree is the one that is written
    assert (silver.soft.tag_weights[0].sum(axis=1) <= 1.001).all()


def test_graphs_and_variants_exclude_each_other() -> None:
    strategy = NeuralStrategy(variants=0.1)
    with pytest.raises(ValueError, match="variants are of trees"):
        strategy.begin(FEW, [], Settings(scorer="neural", graph="enhanced").resolved())
