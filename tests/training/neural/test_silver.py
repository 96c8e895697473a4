"""Silver: what is learned of it, how much in an epoch, and what is left alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax.numpy as jnp
import numpy as np

import dodona
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from dodona.training.neural.batching import BatchCapacity, make_batch
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.training.neural.losses import (
    arc_loss,
    soft_tag_losses,
    state_losses,
    tag_losses,
    vote_losses,
)
from dodona.training.neural.silver import (
    SilverFiles,
    read_soft_targets,
    soft_path,
    write_soft_targets,
)
from dodona.training.neural.strategy import NeuralStrategy
from dodona.training.neural.tag_heads import NO_CLASS, learn_tags
from dodona.training.neural.training_sets import GOLD, SILVER, Schedule, SoftTargets
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.trees.projectivity import is_projective
from support.small import treebank

pytestmark = pytest.mark.thorough  # trains networks

FEW, MANY, DEV = (treebank(n, seed, nonprojective=0) for n, seed in ((12, 1), (250, 3), (20, 2)))
SMALL = Settings(
    scorer="neural",
    system="arc-hybrid",
    width=32,
    layers=1,
    hidden=16,
    batch_words=100,
    learning_rate=0.01,
    dropout=0.1,
)


def written(path: Path, sentences: list[dodona.Sentence]) -> Path:
    with Writer(path) as writer:
        for sentence in sentences:
            writer.write(sentence)
    return path


def run(path: Path, **options: Any) -> Trainer:
    kinds = {name: options.pop(name, False) for name in ("soft", "votes")}
    files = SilverFiles((path,), options.pop("per_gold", 20), **kinds)
    return Trainer(FEW, DEV, SMALL.replace(**options), NeuralStrategy(silver=files))


def begun(
    train: list[dodona.Sentence], settings: Settings = SMALL, **options: Any
) -> NeuralStrategy:
    strategy = NeuralStrategy(**options)
    strategy.begin(train, [], settings.resolved())
    return strategy


def test_a_student_learns_from_silver_what_gold_lacks_and_goes_on_to_the_same_bytes(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "silver.conllu.gz", MANY)
    whole = run(path, epochs=8)
    at = tmp_path / "at"
    for epoch in whole.epochs(checkpoint=at):
        if epoch.number == 4:
            saved = at.read_bytes()
    assert whole.history[-1].scores["LAS"] > 65  # of gold alone, some 40
    assert whole.history[-1].scores["upos"] > 90
    at.write_bytes(saved)
    resumed = run(path, epochs=8).complete(resume=at)
    model = whole.parser()
    assert resumed.parser().to_bytes() == model.to_bytes()
    assert model.record["silver"]["n_sentences"] == len(MANY)
    assert model.record["n_sentences"] == len(FEW)
    with pytest.raises(ValueError, match="the silver data are not those this run began with"):
        run(written(tmp_path / "other.conllu", MANY[1:]), epochs=8).resume(at)
    with pytest.raises(ValueError, match="began with silver_per_gold=20"):
        run(path, epochs=8, per_gold=3).resume(at)


def test_weights_and_trees_of_teachers_are_read_as_gold_numbers_them(tmp_path: Path) -> None:
    path = written(tmp_path / "silver.conllu", MANY)
    tags = learn_tags(MANY, ["upos", "feats"])
    n = len(tags.gold[0])
    heads: Any = np.zeros((n, 2), np.int16)
    heads[:, 0] = [head for s in MANY for head in s.heads]
    classes = np.stack([np.stack([gold, np.zeros_like(gold)], axis=1) for gold in tags.gold])
    # two teachers: one who is right, and one who hangs all words on the one before
    labels = sorted({label for s in MANY for label in s.deprels})
    right = [labels.index(label) for s in MANY for label in s.deprels]
    before = [i for s in MANY for i in range(len(s))]
    soft = SoftTargets(
        heads,
        np.full((n, 2), [0.9, 0.1]),
        classes,
        np.full((2, n, 2), [0.9, 0.1]),
        np.array([heads[:, 0], before]),
        np.array([right, right]),
    )
    names = [(answers.column, answers.classes) for answers in tags.tag_classes]
    write_soft_targets(soft_path(path), soft, names, labels)
    trainer = run(path, epochs=3, soft=True, votes=True).strategy
    assert isinstance(trainer, NeuralStrategy)
    silver = trainer.schedule.sets[SILVER]
    one, other = silver.others
    assert one.heads(5) == silver.corpus.heads(5) and one.labels(5) == silver.corpus.labels(5)
    assert other.heads(5) == [*range(len(MANY[5]))]
    found = trainer.schedule.sets[SILVER].soft
    assert found is not None
    # the numbers of classes are those of gold now, which knows fewer
    of_gold = [name.decode() for name in trainer.tags.tag_classes[0].classes]
    upos = [tag for s in MANY for tag in s.upos]
    assert all(
        weight == 0 or of_gold[number] == tag
        for number, weight, tag in zip(
            found.tags[0, :, 0], found.tag_weights[0, :, 0], upos, strict=True
        )
    )
    batch = make_batch(silver.words, [5], BatchCapacity(64))
    targets, arrays = silver.targets(batch, 64)
    n_here, first = len(MANY[5]), sum(map(len, MANY[:5]))
    assert targets["classes"].shape == targets["weights"].shape == (2, 64, 2)
    assert (targets["weights"][:, n_here:] == 0).all()
    wanted = [64 if head == 0 else (head or 0) - 1 for head in MANY[5].heads]
    assert arrays["heads"][0, :n_here].tolist() == wanted
    assert (arrays["heads"][1, :n_here] == 64).all()  # the second choice is the root
    assert np.allclose(arrays["head_weights"][:, :n_here].sum(axis=0), 1, atol=1e-3)
    assert (found.heads[first : first + n_here, 0] == MANY[5].heads).all()
    alone = replace(soft, trees=soft.trees[:0], tree_labels=soft.tree_labels[:0])
    write_soft_targets(soft_path(path), alone, names, labels)
    with pytest.raises(ValueError, match="made by one teacher"):
        run(path, epochs=1, votes=True)
    soft_path(path).unlink()
    for kind in ("soft", "votes"):
        with pytest.raises(ValueError, match="the teacher's weights are missing"):
            run(path, epochs=1, **{kind: True})


def test_weights_of_other_sentences_are_refused(tmp_path: Path) -> None:
    few, many = np.zeros((3, 2)), np.zeros((1, 3, 2))
    soft = SoftTargets(few, few, many, many, np.zeros((2, 3)), np.zeros((2, 3)))
    write_soft_targets(tmp_path / "a.soft.npz", soft, [])
    with pytest.raises(ValueError, match="there are no soft targets for upos"):
        read_soft_targets(tmp_path / "a.soft.npz", learn_tags(FEW, ["upos"]), [])
    path = written(tmp_path / "a.conllu", MANY)
    names = [(column, [b"X"]) for column in ("upos", "feats")]
    soft = replace(soft, tags=np.zeros((2, 3, 2)), tag_weights=np.zeros((2, 3, 2)))
    write_soft_targets(soft_path(path), soft, names, ["obj"])
    with pytest.raises(ValueError, match=r"these are not weights of a\.conllu"):
        run(path, soft=True)


def test_tags_and_labels_that_gold_has_not_are_not_learned(tmp_path: Path) -> None:
    odd = MANY[0].replace(upos=["ODD"] * len(MANY[0]))
    unknown = MANY[1].replace(deprels=["odd"] * len(MANY[1]))
    bare = dodona.Sentence.from_columns(MANY[2].forms)
    trainer = run(written(tmp_path / "silver.conllu", [odd, unknown, bare, MANY[3]])).strategy
    assert isinstance(trainer, NeuralStrategy) and trainer.silver is not None
    silver = trainer.schedule.sets[SILVER]
    assert (silver.tags[0, : len(odd)] == NO_CLASS).all()
    assert (silver.tags[1, : len(odd)] != NO_CLASS).any()
    assert silver.order == [0, 1, 3]
    # an arc with a label that gold has not is learned without it
    assert all(label is not None and label < 0 for label in silver.corpus.labels(1))
    batch = next(some for which, some in trainer.schedule.epoch(1) if which == SILVER)
    assert set(batch) <= {0, 1, 3}


def test_crossing_arcs_are_lifted_where_gold_knows_the_labels(tmp_path: Path) -> None:
    crossing = [s for s in treebank(60, 1) if not is_projective([h or 0 for h in s.heads])]
    path = written(tmp_path / "silver.conllu", crossing[:3])
    trainer = begun([*FEW, crossing[0]], silver=SilverFiles((path,)))
    silver = trainer.schedule.sets[SILVER]
    assert 0 in silver.order
    assert all(is_projective(silver.corpus.heads(i)) for i in silver.order)  # type: ignore[arg-type]
    strange = crossing[1].replace(deprels=["odd"] * len(crossing[1]))
    path = written(tmp_path / "odd.conllu", [FEW[0], strange])
    trainer = begun(FEW, silver=SilverFiles((path,)))
    assert trainer.schedule.sets[SILVER].order == [0]


def test_lemmas_are_learned_from_gold_alone(tmp_path: Path) -> None:
    gold = treebank(12, 1, lemmas=True)
    silver = [s.replace(lemmas=["oak"] * len(s)) for s in treebank(30, 3, lemmas=True)]
    files = SilverFiles((written(tmp_path / "silver.conllu", silver),))
    trainer = begun(gold, silver=files)
    assert trainer.lemma_trainer is not None
    assert trainer.lemma_trainer.n_pieces == len(gold)


def test_an_epoch_has_all_gold_and_as_much_silver_as_goes_with_it(tmp_path: Path) -> None:
    trainer = run(written(tmp_path / "silver.conllu", MANY[:50]), per_gold=2).strategy
    assert isinstance(trainer, NeuralStrategy)
    gold, silver = trainer.schedule.sets
    table = Schedule(gold, silver, 2, 100, seed=7)
    assert table.n_sentences == 3 * len(FEW)
    seen: Counter[int] = Counter()
    orders = []
    for number in range(1, 6):
        epoch = list(table.epoch(number))
        of_gold = sorted(i for which, some in epoch if which == GOLD for i in some)
        of_silver = [i for which, some in epoch if which == SILVER for i in some]
        assert of_gold == sorted(gold.order) and len(of_silver) == 2 * len(FEW)
        seen.update(of_silver)
        orders.append(of_silver)
        if number == 2:
            assert max(seen.values()) == 1  # all of it is seen before any of it again
    assert len(seen) == 50 and set(seen.values()) == {2, 3}
    again = Schedule(gold, silver, 2, 100, seed=7)
    assert [i for w, some in again.epoch(4) if w == SILVER for i in some] == orders[3]


def test_more_treebanks_teach_what_the_first_calls_so_too() -> None:
    first = [s.replace(deprels=[d.partition(":")[0] for d in s.deprels]) for s in FEW]
    other = [s.replace(upos=["ODD"] * len(s), deprels=["nsubj:odd"] * len(s)) for s in MANY[:5]]
    last = [MANY[7].replace(deprels=["odd"] * len(MANY[7]))]
    gold = GoldTreebanks.load(first, [other, last])
    assert {label for s in gold.others[0] for label in s.deprels} == {"nsubj"}
    trainer = begun(first, more=[other, last])
    n_first = sum(map(len, first))
    assert (trainer.tags.gold[0][:n_first] >= 0).all()
    n_other = sum(map(len, other))
    assert (trainer.tags.gold[0][n_first : n_first + n_other] == NO_CLASS).all()
    assert {*trainer.task.data.corpus.labels(len(first) + len(other))} == {None}  # the arc alone


def test_lemmas_of_several_treebanks_are_learned_of_tags_as_the_network_numbers_them() -> None:
    first, second, third = (
        treebank(n, seed, lemmas=True) for n, seed in ((12, 1), (30, 2), (9, 3))
    )
    other = [s.replace(upos=["X"] * len(s)) for s in second]
    bare = [s.replace(lemmas=["_"] * len(s)) for s in third]
    settings = SMALL.replace(epochs=1)
    trainer = NeuralStrategy(more=[bare, other])
    whole = Trainer(first, None, settings, trainer)
    lemmas = trainer.lemma_trainer
    assert lemmas is not None and trainer.columns == lemmas.columns
    for mine, of_lemmas in zip(
        trainer.tags.tag_classes, lemmas.inventory.tag_classes, strict=False
    ):
        assert of_lemmas.classes[: mine.n_classes] == mine.classes
    assert lemmas.inventory.tag_classes[0].n_classes > trainer.tags.tag_classes[0].n_classes
    assert trainer.known.known == lemmas.inventory.forms.strings()
    tagger = whole.complete().parser().tagger
    assert tagger is not None
    tags = [name for name in trainer.columns if name != "lemma"]
    found = tagger.tag_batch(first, keep=tags)  # by the right tags lemmas are right
    right = [
        a == b
        for s, t in zip(first, found, strict=True)
        for a, b in zip(s.lemmas, t.lemmas, strict=True)
    ]
    assert sum(right) > 0.95 * len(right)


def test_words_of_more_treebanks_have_the_lemmas_that_the_first_gives_them() -> None:
    def one(lemma: str, upos: str = "NOUN") -> dodona.Sentence:
        return dodona.Sentence.from_columns(
            ["people"], heads=[0], deprels=["root"], upos=[upos], lemmas=[lemma]
        )

    first = [one("people")] * 2 + [one("man", "X")]
    gold = GoldTreebanks.load(
        first, [[one("person"), one("person", "VERB"), one("person", "X"), one("_")]]
    )
    assert [s.lemmas for s in gold.others[0]] == [["people"], ["person"], ["person"], ["_"]]
    assert gold.first == first


def test_the_loss_of_weighted_tags() -> None:
    logits = jnp.asarray(np.random.default_rng(1).normal(size=(4, 5)), jnp.float32)
    tags = np.array([3, 0, 2, 1])
    classes = np.stack([tags, np.zeros(4, np.int64)], axis=1)
    sure = np.tile(np.array([1, 0], np.float32), (4, 1))
    assert np.allclose(soft_tag_losses(logits, classes, sure), tag_losses(logits, tags), atol=1e-6)
    half = np.tile(np.array([0.5, 0.5], np.float32), (4, 1))
    mean = (tag_losses(logits, tags) + tag_losses(logits, classes[:, 1])) / 2
    assert np.allclose(soft_tag_losses(logits, classes, half), mean, atol=1e-6)
    assert (soft_tag_losses(logits, classes, 0 * sure) == 0).all()


def test_the_loss_of_weighted_heads() -> None:
    random = np.random.default_rng(1)
    n, d, k = 64, 6, 8
    p = {"arc.dependent": (k, d), "arc.head": (k, d), "arc.bias": (k,), "arc.root": (d,)}
    p = {name: random.normal(size=size).astype(np.float32) for name, size in p.items()}
    words = random.normal(size=(n, d)).astype(np.float32)
    shape: Any = SimpleNamespace(arcs=k)
    borders = {"is_first": np.arange(n) % 8 == 0, "word_share": (np.arange(n) < 40) * np.float32(1)}
    heads: Any = np.arange(n) // 8 * 8 + random.integers(0, 8, size=(2, n))
    heads[0, ::8], heads[1, 3] = n, -1  # the root, and one that is not known

    def loss(**arrays: Any) -> float:
        return float(arc_loss(shape, p, words, borders | arrays))

    one, other = (loss(heads=some) for some in heads)
    shares = np.full((2, n), [[0.25], [0.75]], np.float32)
    both = loss(heads=heads, head_weights=shares)
    assert both == pytest.approx(0.25 * one + 0.75 * other, rel=1e-5)


def test_the_loss_of_a_state_is_the_mean_of_that_by_every_tree() -> None:
    scores = jnp.asarray(np.random.default_rng(1).normal(size=(3, 4)), jnp.float32)
    first = np.array([[2, 1, 1, 0], [2, 2, 1, 1], [1, 2, 0, 0]], np.uint8)
    second = np.array([[1, 2, 1, 0], [2, 2, 1, 1], [2, 2, 0, 0]], np.uint8)
    bits = (first > 0) + 2 * (first == 2) + 4 * (second == 2)
    shares = np.array([0.75, 0.25], np.float32)
    expected = 0.75 * state_losses(scores, first) + 0.25 * state_losses(scores, second)
    found = vote_losses(scores, bits.astype(np.uint8), shares)
    assert np.allclose(found, expected, atol=1e-6)


def test_silver_without_files_or_share_is_refused() -> None:
    with pytest.raises(ValueError, match="silver without a file"):
        SilverFiles(())
    with pytest.raises(ValueError, match="above 0, not 0"):
        SilverFiles((Path("a"),), 0)
