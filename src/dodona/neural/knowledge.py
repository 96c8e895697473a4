"""What a network is to know of a treebank's words and tags, beside its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dodona.tagging.neural_tagger import Words, no_answers
from dodona.tagging.tagger import Answers
from dodona.tagging.word_learning import column_of, flatten, number_tags, tag_columns
from dodona.tagging.word_types import HASHED
from dodona.treebank.sentence import Sentence

LEAST = 2  # forms seen as often have vectors of their own
HASHED_ROWS, GRAM_ROWS = 4096, 16384  # of the tables of hashed spellings
FED_BACK = ("upos", "xpos")  # tags that the parser is told of, if there are few enough
FEW = 100
NO_CLASS = -1

Numbers = Any  # an array of NumPy


@dataclass
class Tags:
    """The tag heads of a network and what they learn from."""

    answers: list[Answers] = field(default_factory=list)
    gold: list[Numbers] = field(default_factory=list)  # per word: its class, or NO_CLASS
    parts: dict[int, Numbers] = field(default_factory=dict)  # head → per class: which parts it has

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many classes each head has."""
        return tuple(answers.n_classes for answers in self.answers)

    @property
    def fed_back(self) -> tuple[int, ...]:
        """The heads that the parser is told of."""
        return tuple(
            i
            for i, answers in enumerate(self.answers)
            if answers.column in FED_BACK and answers.n_classes <= FEW
        )


def learn_words(sentences: Sequence[Sentence], vectors: list[bytes] | None) -> Words:
    """The forms that have vectors of their own, and those whose lemmas are known."""
    forms = flatten(column_of(sentences, "forms"))
    counts = Counter(form.lower() for form in forms)
    often = sorted(form for form, n in counts.items() if n >= LEAST)
    sizes = [HASHED_ROWS] * len(HASHED) + [GRAM_ROWS]
    known = [form.encode() for form in sorted(set(forms))]
    return Words([form.encode() for form in often], sizes, known, vectors)


def find_tags(sentences: Sequence[Sentence]) -> list[str]:
    """The columns that hold tags and lemmas; none where there are no tags at all."""
    try:
        return tag_columns(sentences)
    except ValueError:  # nothing is tagged
        return []


def learn_tags(sentences: Sequence[Sentence], columns: Sequence[str]) -> Tags:
    """The heads for these columns."""
    tags = Tags()
    for column in columns:
        names, classes = number_tags(flatten(column_of(sentences, column)))
        if column == "feats":
            tags.parts[len(tags.answers)] = _parts(names)
        tags.answers.append(no_answers(column, [name.encode() for name in names]))
        tags.gold.append(np.array(classes, np.int32))
    return tags


def _parts(names: Sequence[str]) -> Numbers:
    """For each value of FEATS which Name=Value it is made of."""
    number = {part: i for i, part in enumerate(sorted({p for n in names for p in n.split("|")}))}
    found: Numbers = np.zeros((len(names), len(number)), np.float32)
    for i, name in enumerate(names):
        found[i, [number[part] for part in name.split("|")]] = 1
    return found
