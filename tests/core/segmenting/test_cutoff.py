"""Segmenters learn no feature that is rarer than the cutoff, as taggers do."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from random import Random

import pytest

from dodona.core.segmenting.expansion import RuleIndex
from dodona.core.segmenting.expansion_training import ExpansionTrainer
from dodona.core.segmenting.place_training import PlaceTrainer, count_pairs
from dodona.core.segmenting.places import LABELS, certain_pairs
from dodona.segmentation.segmented import code_points
from dodona.settings import MAX_CUTOFF

WORDS = ["oak's", "elm's", "oak", "fir's", "elm", "yew's", "ash"]
TOKENS = Random(1).choices(WORDS, [32, 16, 8, 8, 4, 2, 1], k=200)
TEXT = " ".join(f"{word}." if i % 5 == 4 else word for i, word in enumerate(TOKENS))


def labels_of(text: str) -> array[int]:
    """A token begins behind a space and at a period, a sentence behind a period and its space."""
    labels = array("B", bytes(len(text)))
    for i in range(1, len(text)):
        if text[i - 1] == " ":
            labels[i] = LABELS["sentence" if text[i - 2] == "." else "token"]
        elif text[i] == ".":
            labels[i] = LABELS["token"]
    return labels


def train_places(cutoff: int) -> PlaceTrainer:
    text, labels = code_points(TEXT), labels_of(TEXT)
    certain = certain_pairs(count_pairs(text, labels), 1)
    trainer = PlaceTrainer(text, certain, labels, margin=1000, cutoff=cutoff)
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
    trainer.train(trainer.met())
    return trainer


@pytest.mark.parametrize("train", [train_places, train_words])
def test_rare_features_are_not_learned(
    train: Callable[[int], PlaceTrainer | ExpansionTrainer],
) -> None:
    rows = [train(cutoff).weights.n_rows for cutoff in (1, 2, 5, 20)]
    assert rows[0] > rows[1] > rows[2] > rows[3] > 0


@pytest.mark.parametrize("train", [train_places, train_words])
def test_a_cutoff_is_no_more_than_counters_hold(
    train: Callable[[int], PlaceTrainer | ExpansionTrainer],
) -> None:
    with pytest.raises(ValueError, match="a cutoff is from 0 to 255, not 256"):
        train(MAX_CUTOFF + 1)
