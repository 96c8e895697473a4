"""Teachers: their network, their training, and the annotation of an ensemble."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')
pytest.importorskip("torch", reason='needs pip install "dodona[teachers]"')

import numpy as np
import torch

from dodona import Sentence
from dodona.distilling.ensemble import TeacherEnsemble
from dodona.distilling.teacher_inventory import TeacherInventory, padded_batches
from dodona.distilling.teacher_network import UNKNOWN, TeacherNetwork
from dodona.distilling.teacher_settings import TeacherSettings
from dodona.distilling.teacher_training import Teacher, TeacherTrainer, describe_teacher
from dodona.parsing.trainer import score_trees
from dodona.settings import Settings
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.training.neural.silver import N_CHOICES
from dodona.treebank.trees.projectivity import is_projective
from support.encoders import tiny_bert
from support.small import treebank

pytestmark = pytest.mark.thorough  # trains networks

TRAIN, DEV = treebank(60, 1), treebank(20, 2)
SMALL = TeacherSettings(
    epochs=16, width=24, layers=1, batch_words=400, learning_rate=0.02, dropout=0.1
)
ON_ENCODER = replace(SMALL, encoder_rate=0.002, epochs=3)


@pytest.fixture(scope="module")
def inventory() -> TeacherInventory:
    vectors = [b"oak", b"dove"], np.arange(12, dtype=np.float32).reshape(3, 4) / 12
    return TeacherInventory(GoldTreebanks(TRAIN, []), vectors)


@pytest.fixture(scope="module")
def trained(inventory: TeacherInventory) -> TeacherTrainer:
    return TeacherTrainer(inventory, SMALL).complete()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("transformers", reason='needs pip install "dodona[teachers]"')
    return str(tiny_bert(tmp_path_factory.mktemp("encoder"), seed=1))


def accuracy(inventory: TeacherInventory, *teachers: Teacher, **options: Any) -> dict[str, float]:
    parsed = TeacherEnsemble(inventory, teachers, batch_words=400, **options).sentences(DEV)
    return score_trees(DEV, parsed, Settings(), ["upos"])


def test_a_teacher_learns(inventory: TeacherInventory, trained: TeacherTrainer) -> None:
    fresh = Teacher(TeacherNetwork(inventory, SMALL).eval())
    before = accuracy(inventory, fresh, projective=True)
    after = accuracy(inventory, trained.teacher(), projective=True)
    assert after["LAS"] > before["LAS"] + 40 and after["upos"] > 80


def test_gradients_are_finite_and_reach_every_parameter(
    inventory: TeacherInventory, encoder: str
) -> None:
    trainer = TeacherTrainer(inventory, replace(ON_ENCODER, encoder=encoder))
    before = {name: value.detach().clone() for name, value in trainer.parameters.items()}
    next(trainer.learn_epoch(1))
    for name, value in trainer.parameters.items():
        assert value.grad is not None and torch.isfinite(value.grad).all(), name
        if "position" not in name and "token_type" not in name:
            assert not torch.equal(value, before[name]), name


def test_unknown_heads_labels_and_tags_add_nothing_to_the_loss(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    batch = next(padded_batches(trained.encoded, range(8), 400))
    network = TeacherNetwork(inventory, SMALL).eval()
    gold = inventory.gold_classes()

    def loss(*known: str) -> float:
        arrays = {name: batch.padded(values, UNKNOWN) for name, values in gold.items()}
        for name in gold.keys() - {*known}:
            arrays[name][:] = UNKNOWN
        return float(network.loss(network.tensors(batch), network.transfer(arrays)))

    assert loss() == 0 == loss("labels")  # a label is learned with its arc
    arcs, tags, whole = loss("heads"), loss("tags"), loss(*gold)
    assert arcs > 0 and tags > 0 and whole > arcs + tags
    assert whole == pytest.approx(loss("heads", "labels") + tags, rel=1e-4)


@pytest.mark.parametrize("pretrained", [False, True], ids=["alone", "on an encoder"])
def test_a_sentence_is_annotated_as_if_it_were_alone(
    inventory: TeacherInventory, trained: TeacherTrainer, encoder: str, pretrained: bool
) -> None:
    teacher = trained.teacher()
    if pretrained:
        settings = replace(ON_ENCODER, encoder=encoder)
        teacher = TeacherTrainer(inventory, settings).complete().teacher()
    teachers = TeacherEnsemble(inventory, [teacher], projective=True, batch_words=400)
    together, begin = teachers.annotate(DEV), 0
    for sentence in DEV[:4]:
        alone, some = teachers.annotate([sentence]), slice(begin, begin + len(sentence))
        begin += len(sentence)
        assert (alone.heads == together.heads[some]).all()
        assert (alone.labels == together.labels[some]).all()
        for one, several in (
            (alone.soft.head_weights, together.soft.head_weights[some]),
            (alone.soft.tag_weights, together.soft.tag_weights[:, some]),
        ):
            assert np.allclose(one, several, atol=2e-3)


def test_batches_have_every_sentence_once_and_a_limited_size(trained: TeacherTrainer) -> None:
    encoded, order = trained.encoded, list(range(30))
    batches = list(padded_batches(encoded, order, 100, seed=1))
    assert sorted(i for batch in batches for i in batch.sentences) == order
    assert sum(batch.lengths.sum() for batch in batches) == encoded.n_words[:30].sum()
    for batch in batches:
        n_rows, length = batch.arrays["single"].shape[:2]
        assert n_rows * length <= 100 or n_rows == 1
        assert length == max(map(len, batch.forms)) == batch.lengths.max()
    again = list(padded_batches(encoded, order, 100, seed=2))
    assert [b.sentences for b in again] != [b.sentences for b in batches]
    assert len(again) == len(batches)


def test_the_probabilities_of_several_teachers_are_averaged(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    one = trained.teacher()
    other = Teacher(copy.deepcopy(one.network))
    torch.manual_seed(1)
    with torch.no_grad():
        for value in other.network.parameters():
            value += torch.randn_like(value) / 10

    def annotate(*teachers: Teacher) -> Any:
        return TeacherEnsemble(inventory, teachers, projective=False, batch_words=400).annotate(DEV)

    alone, twice, both = annotate(one), annotate(one, one), annotate(one, other)
    assert (alone.heads == twice.heads).all() and (alone.labels == twice.labels).all()
    assert np.allclose(alone.soft.head_weights, twice.soft.head_weights, atol=1e-3)
    sums = both.soft.head_weights.astype(float).sum(axis=1)
    assert (sums > 0.1).all() and (sums < 1.01).all()
    # the weight of a head that is among the best of all teachers is the mean
    single = [annotate(one).soft, annotate(other).soft]
    n_checked = 0
    for word in range(len(both.heads)):
        head = both.soft.heads[word, 0]
        if all(head in soft.heads[word] for soft in single):
            mean = np.mean(
                [soft.head_weights[word][list(soft.heads[word]).index(head)] for soft in single]
            )
            assert both.soft.head_weights[word, 0] == pytest.approx(mean, abs=2e-3)
            n_checked += 1
    assert n_checked > len(both.heads) / 2
    assert both.soft.tags.shape == (2, len(both.heads), N_CHOICES)
    assert (both.tags == both.soft.tags[:, :, 0]).all()
    own = annotate(other)
    assert (both.soft.trees[1] == own.heads).all()
    assert (both.soft.tree_labels[1] == own.labels).all()


def test_projective_teachers_build_projective_trees(inventory: TeacherInventory) -> None:
    fresh = Teacher(TeacherNetwork(inventory, replace(SMALL, seed=7)).eval())
    for wanted in (True, False):
        found = TeacherEnsemble(inventory, [fresh], projective=wanted, batch_words=400).sentences(
            DEV
        )
        heads = [[head or 0 for head in s.heads] for s in found]
        assert all(some.count(0) == 1 for some in heads)
        assert all(map(is_projective, heads)) == wanted


def test_strange_sentences_are_annotated(inventory: TeacherInventory, encoder: str) -> None:
    network = TeacherNetwork(inventory, replace(ON_ENCODER, encoder=encoder)).eval()
    teachers = TeacherEnsemble(inventory, [Teacher(network)], projective=True, batch_words=400)
    assert teachers.sentences([]) == []
    strange = Sentence.from_columns(["\u4e2d" * 30, "…"])
    (found,) = teachers.sentences([strange])
    assert sorted(head or 0 for head in found.heads) in ([0, 1], [0, 2])


def test_a_teacher_is_loaded_only_for_the_same_data_and_settings(
    inventory: TeacherInventory, encoder: str, tmp_path: Path
) -> None:
    settings = replace(ON_ENCODER, encoder=encoder)
    path, teacher = tmp_path / "teacher", Teacher(TeacherNetwork(inventory, settings).eval())
    with torch.no_grad():
        teacher.network.root += 1
    teacher.save(path, describe_teacher(inventory, settings))
    again = Teacher.load(path, inventory, settings)
    named = dict(again.network.named_parameters())
    assert all(torch.equal(v, named[k]) for k, v in teacher.network.named_parameters())
    other_encoder = str(tiny_bert(tmp_path / "other", seed=2))
    for other, changed in (
        (TeacherInventory(GoldTreebanks(DEV, []), None), settings),
        (inventory, replace(settings, seed=2)),
        (inventory, replace(settings, encoder=other_encoder)),
    ):
        with pytest.raises(ValueError, match="other data or with other settings"):
            Teacher.load(path, other, changed)
    same_encoder = replace(settings, encoder=str(tiny_bert(tmp_path / "same", seed=1)))
    Teacher.load(path, inventory, same_encoder)


@pytest.mark.parametrize("pretrained", [False, True], ids=["alone", "on an encoder"])
def test_an_interrupted_training_ends_with_the_same_teacher(
    inventory: TeacherInventory, encoder: str, tmp_path: Path, pretrained: bool
) -> None:
    settings = replace(ON_ENCODER, encoder=encoder if pretrained else "")
    whole = TeacherTrainer(inventory, settings).complete().average()
    first = TeacherTrainer(inventory, settings)
    next(iter(first.epochs(checkpoint=tmp_path / "checkpoint")))
    second = TeacherTrainer(inventory, settings).complete(resume=tmp_path / "checkpoint")
    assert all(torch.equal(value, second.average()[name]) for name, value in whole.items())
