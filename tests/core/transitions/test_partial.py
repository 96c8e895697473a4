"""Partial trees: heads and labels that are not annotated never cost anything."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.transitions.registry import SYSTEMS
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from dodona.treebank.conllu.errors import TreebankError
from reference.search import Action, Arc, Definition, Space
from reference.trees import Heads, projective_trees
from reference.twins import exact_twins
from support.small import train, treebank

TWINS = exact_twins()
LABELS = ("root", "obj")
ANY = "?"  # in the twin's gold: a label that is not annotated

Partial = tuple[tuple[int | None, ...], tuple[str | None, ...]]  # heads and labels


# --- costs


def labelled(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    """Count the missing and wrongly labelled gold arcs; ANY is never wrong."""
    built = {(head, word): label for head, label, word in arcs}
    return sum(
        built.get((head, word)) not in ({label} if label != ANY else set(LABELS))
        for head, label, word in gold
    )


def unlabelled(arcs: frozenset[Arc], gold: frozenset[Arc]) -> int:
    built = {(head, word) for head, _, word in arcs}
    return sum((head, word) not in built for head, _, word in gold)


LOSSES = {"labelled": labelled, "unlabelled": unlabelled}


def arcs_of(partial: Partial) -> frozenset[Arc]:
    words = enumerate(zip(*partial, strict=True), 1)
    return frozenset(
        (head, label or ANY, word) for word, (head, label) in words if head is not None
    )


def partials(n: int, one_root: bool, random: Random) -> list[Partial]:
    """Yield all trees of up to three words with all sets of unknown heads, and some of four."""
    trees: list[Heads] = [t for t in projective_trees(n) if t.count(0) == 1 or not one_root]
    gaps = list(product([True, False], repeat=n))
    found = [
        (
            tuple(None if gap else head for head, gap in zip(heads, holes, strict=True)),
            tuple(
                random.choice(("root", None) if head == 0 else (*LABELS, None)) for head in heads
            ),
        )
        for heads, holes in product(trees, gaps)
    ]
    return found if n < 4 else random.sample(found, 12)


@cache
def space(name: str, root: str) -> Space[Any]:
    return Space(TWINS[name, root].kind(LABELS, root))


def core_states(system: dodona.System, twin: Space[Any], n: int) -> dict[Any, dodona.State]:
    """Yield every reachable reference state and the core's state of the same derivation."""
    cores = {twin.system.start(n): system.start(n)}
    for state in twin.reachable(n):
        for action, after in twin.successors(state).items():
            if after not in cores:
                core_action = dodona.Action(action.move, action.label)
                cores[after] = system.step(cores[state], core_action)
    return cores


@pytest.mark.thorough
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(("name", "root"), TWINS)
def test_costs_equal_exhaustive_search_where_heads_are_unknown(
    name: str, root: str, n: int, loss: str
) -> None:
    system = dodona.system(name, labels=LABELS, root=root, loss=loss)
    twin = space(name, root)
    cores = core_states(system, twin, n)
    for partial in partials(n, TWINS[name, root].one_root, Random(n)):
        gold = dodona.Gold(heads=partial[0], labels=partial[1])
        definition = Definition(twin, arcs_of(partial), LOSSES[loss])
        for state, core in cores.items():
            if not twin.system.is_final(state):
                found = {Action(*action): cost for action, cost in system.costs(core, gold).items()}
                assert found == definition.costs(state), f"{state}, gold {partial}"


def test_a_tree_of_which_nothing_is_known_costs_nothing() -> None:
    for name in SYSTEMS:
        if name != "swap":
            system = dodona.system(name, labels=LABELS)
            gold = dodona.Gold(heads=[None] * 4, labels=[None] * 4)
            state, random = system.start(4), Random(1)
            while not system.is_final(state):
                assert set(system.costs(state, gold).values()) == {0}
                state = system.step(state, random.choice(system.valid(state)))


# --- training


def with_gaps(
    sentences: Sequence[dodona.Sentence], share: float, seed: int, *, labels_only: bool = False
) -> list[dodona.Sentence]:
    """Remove a share of the heads and labels of sentences, or of their labels only."""
    random = Random(seed)
    found = []
    for sentence in sentences:
        gap = [random.random() < share for _ in range(len(sentence))]
        heads = [
            None if g and not labels_only else h for h, g in zip(sentence.heads, gap, strict=True)
        ]
        labels = ["_" if g else label for label, g in zip(sentence.deprels, gap, strict=True)]
        found.append(sentence.replace(heads=heads, deprels=labels))
    return found


def las(parser: dodona.Parser, gold: Sequence[dodona.Sentence]) -> float:
    return dodona.evaluate(gold, list(parser.pipe(gold))).las


WAYS = pytest.mark.parametrize(
    "way",
    [
        {"training": "ambiguity"},
        {"training": "explore"},
        {"beam": 4, "update": "early"},
        {"beam": 4, "restart": "good"},
        {"beam": 4},
    ],
    ids=lambda way: " ".join(map(str, way.values())),
)
WITHOUT_SWAP = pytest.mark.parametrize("system", [n for n in SYSTEMS if n != "swap"])


@WAYS
def test_sentences_with_gaps_teach_more_than_the_whole_ones_alone(way: dict[str, Any]) -> None:
    """60% of all heads are unknown: two of three in nine of ten sentences."""
    sentences = treebank(200, 1)
    whole, rest = sentences[:20], with_gaps(sentences[20:], 0.67, 1)
    n_heads = sum(head is not None for s in whole + rest for head in s.heads)
    assert 0.37 < n_heads / sum(map(len, sentences)) < 0.43
    unseen = treebank(60, 5)
    few = las(train(whole, epochs=4, **way), unseen)
    many = las(train(whole + rest, epochs=4, **way), unseen)
    assert many > few + 3


@pytest.mark.thorough
@WITHOUT_SWAP
@pytest.mark.parametrize("beam", [1, 4])
def test_every_system_learns_from_gaps_alone(system: str, beam: int) -> None:
    """Train without a complete tree, with half of the labels unknown."""
    gaps = with_gaps(treebank(80, 1), 0.5, 1) + with_gaps(treebank(40, 2), 0.5, 2, labels_only=True)
    trained = train(
        [s for s in gaps if "_" in s.deprels], system=system, beam=beam, features="auto"
    )
    assert trained.record["n_unannotated"] == sum(s.heads.count(None) for s in gaps)
    assert "_" not in trained.labels
    for sentence in trained.pipe(treebank(20, 3)):
        assert sentence.heads.count(0) == 1 and "_" not in sentence.deprels
    assert las(trained, treebank(60, 5)) > 50


@pytest.mark.parametrize("beam", [1, 4])
def test_what_is_not_annotated_changes_no_weight(beam: int) -> None:
    """Sentences without annotation change no weights; the same ones with trees change many."""
    whole, others = treebank(5, 1), treebank(30, 2)
    bare = [s.replace(heads=[None] * len(s), deprels=["_"] * len(s)) for s in others]
    trainer = Trainer(whole + bare + others, None, Settings(beam=beam, features="zn11"))
    trainer.strategy.core.train(range(5), True)
    n_updates, weights = trainer.strategy.core.n_updates, trainer.strategy.weights.save()
    assert n_updates > 5
    trainer.strategy.core.train(range(5, 35), True)
    assert (trainer.strategy.core.n_updates, trainer.strategy.weights.save()) == (
        n_updates,
        weights,
    )
    trainer.strategy.core.train(range(35, 65), True)
    assert trainer.strategy.core.n_updates > n_updates + 20


def test_actions_are_those_of_the_arcs_that_are_annotated() -> None:
    words = dodona.Sentence.from_columns(["a", "b", "c"])
    sentences = [
        words.replace(heads=[2, 0, None], deprels=["left", "root", "_"]),
        words.replace(heads=[None, None, 2], deprels=["_", "ignored", "right"]),
        words.replace(heads=[None, 1, None], deprels=["_", "_", "_"]),
    ]
    trained = train(sentences, system="arc-eager", root="first")
    found = {
        (trained.system.moves[move], trained.labels[label], under_root, elsewhere)
        for move, label, under_root, elsewhere in trained.pairs
        if label >= 0
    }
    assert found == {
        ("LEFT-ARC", "left", False, True),
        ("RIGHT-ARC", "right", False, True),
        ("RIGHT-ARC", "root", True, False),
    }


def test_a_beam_learns_early_where_heads_are_unknown_and_only_there() -> None:
    """After the first error, max-violation would learn arcs that are not annotated."""
    test = treebank(30, 3)

    def parsed(data: list[dodona.Sentence], update: str) -> list[bytes]:
        trained = train(data, beam=4, update=update, restart="good")
        return list(map(bytes, trained.pipe(test)))

    partial = with_gaps(treebank(40, 1), 0.6, 1)
    assert parsed(partial, "max-violation") == parsed(partial, "early") != parsed(partial, "full")
    whole = treebank(40, 1)
    assert parsed(whole, "max-violation") != parsed(whole, "early")


def test_a_treebank_without_any_label_has_the_one() -> None:
    bare = [s.replace(deprels=["_"] * len(s)) for s in treebank(40, 1, 0)]
    trained = train(bare, training="static")
    assert trained.labels == ["_"]
    assert trained.record["n_unannotated"] == 0


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ({"training": "static"}, "sentence 2: word 1 has no head or no label, but static training"),
        ({"beam": 4, "oracle": "static"}, "static training needs complete trees"),
        ({"system": "swap"}, "the swap system needs complete trees"),
    ],
)
def test_gaps_are_refused_where_only_whole_trees_will_do(way: dict[str, Any], said: str) -> None:
    one, other = treebank(2, 1)
    for gap in (
        other.replace(heads=[None, *other.heads[1:]]),
        other.replace(deprels=["_", *other.deprels[1:]]),
    ):
        with pytest.raises(ValueError, match=said):
            train([one, gap], **way)


def test_gaps_are_read_from_files_and_the_dev_set_may_have_some(tmp_path: Path) -> None:
    for name, data in [("train", treebank(40, 1)), ("dev", treebank(20, 2))]:
        text = b"".join(map(bytes, with_gaps(data, 0.3, 1)))
        (tmp_path / name).write_bytes(text)
    trained = train(tmp_path / "train", tmp_path / "dev", tags="gold")
    gold = list(dodona.read(tmp_path / "dev", trees="optional"))
    scores = dodona.evaluate(gold, list(trained.pipe(gold)))
    assert scores.n_unannotated > 10
    assert trained.record["dev_uas"] == pytest.approx(scores.uas)
    assert trained.record["dev_las"] == pytest.approx(scores.las)


def test_no_head_at_all_is_nothing_to_learn_from() -> None:
    bare = [s.replace(heads=[None] * len(s)) for s in treebank(3, 1)]
    with pytest.raises(TreebankError, match="no word has a head: there is nothing to learn from"):
        train(bare)


# --- evaluation


def test_a_word_without_a_gold_label_is_scored_by_its_head() -> None:
    words = dodona.Sentence.from_columns(["a", "b", "c", "d"])
    gold = words.replace(heads=[2, 0, 2, None], deprels=["_", "root", "obj", "_"])
    system = words.replace(heads=[2, 0, 2, 3], deprels=["det", "root", "iobj", "dep"])
    scores = dodona.evaluate([gold], [system])
    assert (scores.n_words, scores.n_unannotated) == (3, 1)
    assert scores.uas == 100
    assert scores.las == scores.label_accuracy == pytest.approx(200 / 3)
    other = words.replace(heads=[3, 0, 2, 3], deprels=["_", "root", "obj", "dep"])
    comparison = dodona.compare([gold], [system], [other])
    assert (comparison.n_only_a, comparison.n_only_b) == (1, 1)
