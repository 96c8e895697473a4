"""Teachers: their network, their training, and the annotation of an ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax
import jax.numpy as jnp
import numpy as np

from dodona import Sentence
from dodona.distilling import teacher_inventory as batches_module
from dodona.distilling.ensemble import TeacherEnsemble
from dodona.distilling.teacher_inventory import TeacherInventory, length_for, padded_batches
from dodona.distilling.teacher_network import cross_entropy, lstm, new_teacher
from dodona.distilling.teacher_training import (
    Teacher,
    TeacherSettings,
    TeacherTrainer,
    describe_teacher,
    teach,
)
from dodona.parsing.trainer import score_trees
from dodona.settings import Settings
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.training.neural.optimizer import OptimizerState
from dodona.training.neural.silver import N_CHOICES
from support.small import treebank

pytestmark = pytest.mark.thorough  # trains networks

TRAIN, DEV = treebank(60, 1), treebank(20, 2)
SMALL = TeacherSettings(
    epochs=16, width=24, layers=1, batch_words=400, learning_rate=0.02, dropout=0.1
)


@pytest.fixture(scope="module", autouse=True)
def one_length() -> Iterator[None]:
    """Use batches of one length, so that JAX compiles once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches_module, "LENGTHS", (40,))
        yield


@pytest.fixture(scope="module")
def inventory() -> TeacherInventory:
    vectors = [b"oak", b"dove"], np.arange(12, dtype=np.float32).reshape(3, 4) / 12
    return TeacherInventory(GoldTreebanks(TRAIN, []), vectors)


@pytest.fixture(scope="module")
def trained(inventory: TeacherInventory) -> TeacherTrainer:
    return TeacherTrainer(inventory, SMALL).complete()


def accuracy(inventory: TeacherInventory, *teachers: Teacher, **options: Any) -> dict[str, float]:
    said = TeacherEnsemble(inventory, teachers, batch_words=400, **options).sentences(DEV)
    return score_trees(DEV, said, Settings(), ["upos"])


def test_a_teacher_learns(inventory: TeacherInventory, trained: TeacherTrainer) -> None:
    fresh = Teacher(trained.shape, new_teacher(trained.shape, 1))
    before = accuracy(inventory, fresh, projective=True)
    after = accuracy(inventory, trained.teacher(), projective=True)
    assert after["LAS"] > before["LAS"] + 40 and after["upos"] > 80
    assert float(trained.loss) < 2


def test_gradients_are_finite_and_reach_every_parameter(trained: TeacherTrainer) -> None:
    for name, mean in trained.learning.mean.items():
        assert np.isfinite(mean).all() and np.abs(mean).max() > 0, name


def test_what_is_not_known_is_not_learned(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    (batch,) = padded_batches(trained.encoded, range(8), 400)
    answers = inventory.gold_classes()

    def loss(*known: str) -> float:
        """Return the loss, computed as by the trainer, so that nothing is compiled anew."""
        now = OptimizerState.begin(new_teacher(trained.shape, 3))
        arrays = {name: batch.padded(values, -1) for name, values in answers.items()}
        for name in answers.keys() - {*known}:
            arrays[name][:] = -1
        _, found = teach(
            (trained.shape, trained.dropout, trained.adamw),
            (now.parameters, now.average, now.mean, now.square),
            np.float32(0),
            jnp.asarray(inventory.given),
            inventory.tags.parts,
            batch.arrays | arrays,
            jax.random.PRNGKey(1),
        )
        return float(found)

    assert loss() == 0 == loss("labels")  # a label without an arc tells nothing
    arcs, tags, whole = loss("heads"), loss("tags"), loss(*answers)
    assert arcs > 0 and tags > 0 and whole > arcs + tags
    assert whole == pytest.approx(loss("heads", "labels") + tags, rel=1e-4)


def test_an_lstm_is_what_its_equations_say() -> None:
    random = np.random.default_rng(1)
    width, lengths, n_in = 3, [4, 2], 5
    x = random.normal(size=(2, 4, n_in)).astype(np.float32)
    p = {
        "layer.0.in": random.normal(size=(n_in, 8 * width)).astype(np.float32),
        "layer.0.bias": random.normal(size=8 * width).astype(np.float32),
        "layer.0.recurrent": random.normal(size=(2, width, 4 * width)).astype(np.float32),
    }
    found = lstm(p, 0, width, x, np.array(lengths), 0, None)

    def sigmoid(y: Any) -> Any:
        return 1 / (1 + np.exp(-y))

    for row, n in enumerate(lengths):
        for way, order in enumerate((range(n), range(n - 1, -1, -1))):
            h = c = np.zeros(width)
            some = slice(way * 4 * width, (way + 1) * 4 * width)
            for t in order:
                gates = x[row, t] @ p["layer.0.in"][:, some] + p["layer.0.bias"][some]
                i, f, o, g = np.split(gates + h @ p["layer.0.recurrent"][way], 4)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                expected = found[row, t, way * width : (way + 1) * width]
                assert np.allclose(expected, h, atol=1e-5)


def test_a_sentence_is_seen_as_if_it_were_alone(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    teachers = TeacherEnsemble(inventory, [trained.teacher()], projective=True, batch_words=400)
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


def test_rows_have_few_lengths_and_every_sentence(trained: TeacherTrainer) -> None:
    encoded, order = trained.encoded, list(range(30))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches_module, "LENGTHS", (10, 20, 40))
        batches = list(padded_batches(encoded, order, 100, seed=1))
        assert {b.arrays["single"].shape[:2] for b in batches} <= {(10, 10), (5, 20), (2, 40)}
        assert length_for(41) == 160
    assert sorted(i for batch in batches for i in batch.sentences) == order
    assert sum(batch.lengths.sum() for batch in batches) == encoded.n_words[:30].sum()


def test_several_teachers_say_what_they_say_on_average(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    one = trained.teacher()
    noise = np.random.default_rng(1)
    other = Teacher(
        one.shape,
        {
            k: v + noise.normal(size=v.shape).astype(np.float32) / 10
            for k, v in one.parameters.items()
        },
    )

    def annotate(*teachers: Teacher) -> Any:
        return TeacherEnsemble(inventory, teachers, projective=False, batch_words=400).annotate(DEV)

    alone, twice, both = annotate(one), annotate(one, one), annotate(one, other)
    assert (alone.heads == twice.heads).all() and (alone.labels == twice.labels).all()
    assert np.allclose(alone.soft.head_weights, twice.soft.head_weights, atol=1e-3)
    sums = both.soft.head_weights.astype(float).sum(axis=1)
    assert (sums > 0.1).all() and (sums < 1.01).all()
    # of a head that all hold to be among the best, the weight is the mean
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


def test_projective_teachers_build_projective_trees(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    from dodona.treebank.trees.projectivity import is_projective

    fresh = Teacher(trained.shape, new_teacher(trained.shape, 7))
    for wanted in (True, False):
        found = TeacherEnsemble(inventory, [fresh], projective=wanted, batch_words=400).sentences(
            DEV
        )
        heads = [[head or 0 for head in s.heads] for s in found]
        assert all(some.count(0) == 1 for some in heads)
        assert all(map(is_projective, heads)) == wanted


def test_nobody_is_asked_of_a_sentence_without_words(
    inventory: TeacherInventory, trained: TeacherTrainer
) -> None:
    teachers = TeacherEnsemble(inventory, [trained.teacher()], projective=True, batch_words=400)
    assert teachers.sentences([]) == []
    strange = Sentence.from_columns(["\u4e2d" * 30, "…"])
    (found,) = teachers.sentences([strange])
    assert sorted(head or 0 for head in found.heads) in ([0, 1], [0, 2])


def test_a_teacher_is_kept_for_its_subject_alone(
    inventory: TeacherInventory, trained: TeacherTrainer, tmp_path: Path
) -> None:
    path, teacher = tmp_path / "teacher", trained.teacher()
    teacher.save(path, describe_teacher(inventory, SMALL))
    again = Teacher.load(path, inventory, SMALL)
    assert again.shape == teacher.shape
    assert all((again.parameters[k] == v).all() for k, v in teacher.parameters.items())
    for other, settings in (
        (TeacherInventory(GoldTreebanks(DEV, []), None), SMALL),
        (inventory, replace(SMALL, seed=2)),
    ):
        with pytest.raises(ValueError, match="other data or with other settings"):
            Teacher.load(path, other, settings)


def test_cross_entropy_is_that_of_what_is_right() -> None:
    scores = np.log(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]], np.float32))
    assert np.allclose(cross_entropy(scores, np.array([1, -1])), [np.log(4), 0], atol=1e-6)
