"""Words in their sentences: whatever else is in the batch makes no difference."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS
from dodona.training.neural.batching import BatchCapacity
from support import tiny
from support.read_words import products_of, tags_of

pytestmark = pytest.mark.thorough  # trains networks

SHAPE = tiny.shape()
PARAMETERS = tiny.parameters(SHAPE)


def test_a_sentence_alone_and_among_others_adds_the_same_to_states() -> None:
    whole = tiny.batch()
    products = products_of(SHAPE, PARAMETERS, whole.arrays, tiny.PARTS)
    for i, forms in enumerate(tiny.FORMS):
        alone = products_of(SHAPE, PARAMETERS, tiny.batch([i]).arrays, tiny.PARTS)
        assert np.allclose(alone[:N_SPECIAL_ROWS], products[:N_SPECIAL_ROWS])
        first = whole.first_rows[i]
        mine = alone[N_SPECIAL_ROWS : N_SPECIAL_ROWS + len(forms)]
        assert np.allclose(mine, products[first : first + len(forms)], atol=1e-5)


def test_a_word_depends_on_all_words_of_its_sentence_and_on_no_other() -> None:
    batch = tiny.batch([0, 3])
    n = len(tiny.FORMS[0])

    same = np.asarray(products_of(SHAPE, PARAMETERS, batch.arrays, tiny.PARTS))
    for changed in range(len(batch.words)):
        arrays = {**batch.arrays, "type": batch.arrays["type"].copy()}
        arrays["type"][changed] = (arrays["type"][changed] + 1) % 5
        other = np.asarray(products_of(SHAPE, PARAMETERS, arrays, tiny.PARTS))
        differ = (other != same).any(axis=1)[N_SPECIAL_ROWS : N_SPECIAL_ROWS + len(batch.words)]
        mine = np.arange(len(batch.words)) < n
        assert (differ == (mine if changed < n else ~mine)).all()


def test_capacity_for_more_words_makes_no_difference() -> None:
    capacity = BatchCapacity(600, 300, 900)
    few, many = tiny.batch(), tiny.batch(capacity=capacity)
    n = N_SPECIAL_ROWS + len(few.words)
    products = [products_of(SHAPE, PARAMETERS, b.arrays, tiny.PARTS)[:n] for b in (few, many)]
    assert np.allclose(*products, atol=1e-5)


def test_tags_are_those_of_the_highest_logits() -> None:
    batch = tiny.batch()
    biases = {f"tag.{i}.bias": np.full(n, -1e3, np.float32) for i, n in enumerate((3, 4))}
    biases["tag.0.bias"][2] = biases["tag.1.bias"][1] = 0
    tags = tags_of(SHAPE, PARAMETERS | biases, batch.arrays, tiny.PARTS)
    assert (tags[0] == 2).all() and (tags[1] == 1).all()
