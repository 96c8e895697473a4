"""Text as people write it, split as they expect: the probes of `probes.txt`, by phenomenon."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import dodona
from dodona.segmentation.segmenter import Segmenter, require_segmenter

LEAST = 0.95  # of all probes
LEAST_OF_ONE = 0.6  # of those of one phenomenon
PROBES = Path(__file__).with_name("probes.txt")


class Probe(NamedTuple):
    """A text, and its sentences as lists of words."""

    phenomenon: str
    text: str
    sentences: list[list[str]]


def read_probes() -> list[Probe]:
    probes = []
    for line in PROBES.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            phenomenon, text, expected = line.split("\t")
            sentences = [part.split() for part in expected.split(" | ")]
            probes.append(Probe(phenomenon, text.replace("\\n", "\n"), sentences))
    return probes


def joined(sentence: list[str], expected: list[str]) -> list[str]:
    """The sentence, its last period joined to an abbreviation and the first to a number.

    Treebanks of English differ there: one has "etc." at the end of a sentence, another "etc" ".";
    likewise with "1." before an item.
    """
    if expected[-1] != "." and expected[-1].endswith(".") and sentence[-1:] == ["."]:
        sentence = [*sentence[:-2], "".join(sentence[-2:])]
    if expected[0][:-1].isdigit() and sentence[1:2] == ["."]:
        sentence = ["".join(sentence[:2]), *sentence[2:]]
    return sentence


def is_right(segmenter: Segmenter, probe: Probe) -> bool:
    found = [sentence.forms for sentence in segmenter.segment(probe.text)]
    pairs = zip(found, probe.sentences, strict=False)
    return len(found) == len(probe.sentences) and all(
        joined(sentence, expected) == expected for sentence, expected in pairs
    )


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return require_segmenter(dodona.load("en").segmenter)


def test_probes_are_many_and_their_words_are_in_their_texts() -> None:
    probes = read_probes()
    assert len(probes) >= 300
    for probe in probes:
        words = "".join(word for sentence in probe.sentences for word in sentence)
        assert words == "".join(probe.text.split()), probe.text


def test_most_probes_hold(segmenter: Segmenter) -> None:
    probes = read_probes()
    wrong = [probe for probe in probes if not is_right(segmenter, probe)]
    assert len(wrong) <= (1 - LEAST) * len(probes), "\n".join(probe.text for probe in wrong)
    n = Counter(probe.phenomenon for probe in probes)
    n_wrong = Counter(probe.phenomenon for probe in wrong)
    for phenomenon, count in n.items():
        assert n_wrong[phenomenon] <= (1 - LEAST_OF_ONE) * count, phenomenon
