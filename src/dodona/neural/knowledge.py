"""What a network is to know of a treebank's words and tags, beside its numbers."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.weights.packed import PackedWeights
from dodona.settings import TaggerSettings
from dodona.tagging.lemma_training import LemmaTask, train_lemmas
from dodona.tagging.neural_tagger import Words, no_answers
from dodona.tagging.tagger import Answers
from dodona.tagging.word_learning import column_of, flatten, tag_columns
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
    """The tag heads of a network and what they learn from; lemmas come after them."""

    answers: list[Answers] = field(default_factory=list)
    gold: list[Numbers] = field(default_factory=list)  # per word: its class, or NO_CLASS
    parts: dict[int, Numbers] = field(default_factory=dict)  # head → per class: which parts it has
    lemmas: LemmaTask | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many classes each head has."""
        return tuple(answers.n_classes for answers in self.answers)

    @property
    def all_answers(self) -> list[Answers]:
        """Those of the heads, and those of lemmas."""
        return self.answers if self.lemmas is None else [*self.answers, self.lemmas.answers]

    @property
    def lemma_weights(self) -> PackedWeights | None:
        """What chooses among the scripts."""
        return None if self.lemmas is None else self.lemmas.weights

    @property
    def columns(self) -> list[str]:
        """What is found of words."""
        return [answers.column for answers in self.all_answers]

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


def learn_tags(sentences: Sequence[Sentence], seed: int) -> Tags:
    """The heads for the columns that hold tags; none where there are no tags at all."""
    tags = Tags()
    try:
        columns = tag_columns(sentences)
    except ValueError:  # nothing is tagged
        return tags
    classes: list[array[int]] = []
    for column in columns:
        if column == LEMMA:
            settings = TaggerSettings(seed=seed)
            tags.lemmas = train_lemmas(sentences, tags.answers, classes, settings)
            continue
        values = flatten(column_of(sentences, column))
        names = [name for name, _ in sorted(Counter(values).items(), key=lambda x: (-x[1], x[0]))]
        number = {name: i for i, name in enumerate(names)}
        classes.append(array("I", [number[value] for value in values]))
        if column == "feats":
            tags.parts[len(tags.answers)] = _parts(names)
        tags.answers.append(no_answers(column, [name.encode() for name in names]))
        tags.gold.append(np.array(classes[-1], np.int32))
    return tags


def _parts(names: Sequence[str]) -> Numbers:
    """For each value of FEATS which Name=Value it is made of."""
    number = {part: i for i, part in enumerate(sorted({p for n in names for p in n.split("|")}))}
    found: Numbers = np.zeros((len(names), len(number)), np.float32)
    for i, name in enumerate(names):
        found[i, [number[part] for part in name.split("|")]] = 1
    return found
