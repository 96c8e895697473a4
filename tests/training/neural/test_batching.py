"""Batches of words against what `WordTypes` says of each form."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS
from dodona.training.neural.batching import BatchCapacity, WordTable, in_batches, make_batch
from support import tiny


def spelled(form: str) -> list[list[int]]:
    """The rows of a form in each field, read plainly."""
    types = tiny.word_types()
    types.numbers([tiny.dodona.Sentence.from_columns([form])])
    first, rows = (np.frombuffer(data, np.int32) for data in types.field_rows())
    return [list(rows[first[i] : first[i + 1]]) for i in range(len(types.fields))]


@pytest.mark.parametrize("which", [[0], [2], [3, 1], [0, 1, 2, 3]])
def test_every_word_has_the_rows_of_its_form(which: list[int]) -> None:
    batch = tiny.batch(which)
    forms = [form for i in which for form in tiny.FORMS[i]]
    arrays = batch.arrays
    for word, form in enumerate(forms):
        kind = arrays["type"][word]
        single = list(arrays["single"][kind])
        bag = [row for row, of in zip(arrays["bag"], arrays["bag_type"], strict=True) if of == kind]
        fields = spelled(form)
        assert [row for i, rows in enumerate(fields) if i != tiny.BAG for row in rows] == single
        assert sorted(bag) == sorted(fields[tiny.BAG])
        assert arrays["bag_share"][kind] == np.float32(1 / max(len(bag), 1))


def test_words_that_are_not_known_share_the_first_row() -> None:
    batch = tiny.batch([3])
    known = batch.arrays["single"][batch.arrays["type"][: len(batch.words)], 0] > 0
    assert list(known) == [form.lower() in {"the", "dogs", "bark", "not"} for form in tiny.FORMS[3]]


def test_a_form_of_one_letter_has_one_n_gram() -> None:
    assert len(spelled("a")[tiny.BAG]) == 1


def test_sentences_begin_and_end_where_they_do() -> None:
    batch = tiny.batch([1, 3, 2])
    lengths = [len(tiny.FORMS[i]) for i in (1, 3, 2)]
    firsts = [0, lengths[0], lengths[0] + lengths[1]]
    lasts = [first + n - 1 for first, n in zip(firsts, lengths, strict=True)]
    n = sum(lengths)
    assert [*np.flatnonzero(batch.arrays["is_first"][:n])] == firsts
    assert [*np.flatnonzero(batch.arrays["is_last"][:n])] == lasts
    assert [*batch.first_rows] == [first + N_SPECIAL_ROWS for first in firsts]
    assert batch.arrays["word_share"].sum() == n
    assert batch.arrays["is_first"][n:].all() and batch.arrays["is_last"][n:].all()


def test_words_are_numbered_as_in_the_treebank() -> None:
    starts = np.cumsum([0, *map(len, tiny.FORMS)])
    batch = tiny.batch([3, 0])
    assert [*batch.words] == [*range(starts[3], starts[4]), *range(starts[0], starts[1])]


def test_batches_hold_all_sentences_in_order_and_no_more_words_than_asked() -> None:
    words, order = tiny.words(), [3, 1, 0, 2]
    batches = list(in_batches(words, order, 6))
    assert [i for some in batches for i in some] == order
    assert batches == [[3], [1, 0, 2]]  # the first has 12 words: a sentence is not cut


def test_capacity_grows_and_stays() -> None:
    words, capacity = tiny.words(), BatchCapacity(1)
    sizes = []
    for which in ([0], [3], [0]):
        arrays = make_batch(words, which, capacity).arrays
        sizes.append({name: len(value) for name, value in arrays.items()})
    assert sizes[1] == sizes[2]
    assert all(n % 32 == 0 for n in sizes[2].values())


def test_a_treebank_without_words() -> None:
    words = WordTable.of([], tiny.word_types(), tiny.BAG)
    assert list(in_batches(words, [], 10)) == [] and len(words.types) == 0
