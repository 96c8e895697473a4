"""Segmenters do not learn features below the cutoff."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from random import Random

import pytest

from dodona.core.segmenting.boundary_training import BoundaryTrainer, count_pairs
from dodona.core.segmenting.expansion import RuleIndex
from dodona.core.segmenting.expansion_training import ExpansionTrainer
from dodona.core.segmenting.text_scanner import LABELS, make_pair_table
from dodona.segmentation.sentence_writer import code_points
from dodona.settings import MAX_CUTOFF

WORDS = ["oak's", "elm's", "oak", "fir's", "elm", "yew's", "ash"]
TOKENS = Random(1).choices(WORDS, [32, 16, 8, 8, 4, 2, 1], k=200)
TEXT = " ".join(f"{word}." if i % 5 == 4 else word for i, word in enumerate(TOKENS))


def labels_of(text: str) -> array[int]:
    """Label a token after each space and at each period, a sentence after a period and a space."""
    labels = array("B", bytes(len(text)))
    for i in range(1, len(text)):
        if text[i - 1] == " ":
            labels[i] = LABELS["sentence" if text[i - 2] == "." else "token"]
        elif text[i] == ".":
            labels[i] = LABELS["token"]
    return labels


def train_boundaries(cutoff: int) -> BoundaryTrainer:
    text, labels = code_points(TEXT), labels_of(TEXT)
    table = make_pair_table(count_pairs(text, labels), 1)
    trainer = BoundaryTrainer(text, table, labels, margin=1000, cutoff=cutoff)
    trainer.count(0, len(text))
    trainer.train(0, len(text))
    return trainer


def train_words(cutoff: int) -> ExpansionTrainer:
    text = " ".join(TOKENS)
    ends = [len(" ".join(TOKENS[: i + 1])) for i in range(len(TOKENS))]
    spans = [
        (end - len(word), end, i == 0)
        for i, (word, end) in enumerate(zip(TOKENS, ends, strict=True))
    ]
    index = RuleIndex([("suffix", "'s")], array("Q"), array("I"))
    gold = [int(word.endswith("'s")) for word in TOKENS]
    trainer = ExpansionTrainer(code_points(text), spans, index, gold, margin=1000, cutoff=cutoff)
    trainer.train(trainer.matching())
    return trainer


@pytest.mark.parametrize("train", [train_boundaries, train_words])
def test_rare_features_are_not_learned(
    train: Callable[[int], BoundaryTrainer | ExpansionTrainer],
) -> None:
    rows = [train(cutoff).weights.n_rows for cutoff in (1, 2, 5, 20)]
    assert rows[0] > rows[1] > rows[2] > rows[3] > 0


@pytest.mark.parametrize("train", [train_boundaries, train_words])
def test_a_cutoff_above_the_counters_is_refused(
    train: Callable[[int], BoundaryTrainer | ExpansionTrainer],
) -> None:
    with pytest.raises(ValueError, match="a cutoff is from 0 to 255, not 256"):
        train(MAX_CUTOFF + 1)
