"""A tiny network for tests of training, sentences for it, and states that a walk may have met."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dodona
from dodona.core.learning.rollouts import ALLOWED, BANNED, N_SPECIAL_ROWS, OPTIMAL
from dodona.tagging.word_types import FIELDS, HASHED, WordTypes
from dodona.training.neural.batching import Batch, BatchCapacity, WordTable, make_batch
from dodona.training.neural.network import Parameters, Shape, new_parameters
from dodona.treebank.encoding.vocabulary import Vocabulary

BAG = FIELDS.index("grams")
FORMS = (
    ["the", "dog", "barks"],
    ["Dogs", "bark"],
    ["a"],
    ["the", "dogs", "that", "bark", "do", "not", "bite", ",", "says", "the", "unseen", "cat"],
)
N_SLOTS, N_ATOMS, N_CLASSES = 3, 2, 5


def sentences() -> list[dodona.Sentence]:
    """A few, of different lengths."""
    return [dodona.Sentence.from_columns(forms) for forms in FORMS]


def word_types(vectors: bool = False) -> WordTypes:
    """Types that know some of the forms, and some that have vectors from elsewhere."""
    forms, given = (
        Vocabulary([form.encode() for form in known])
        for known in (["the", "dog", "dogs", "bark", "a", "not"], ["dog", "cat", "bark"])
    )
    sizes = [7 + i for i in range(len(HASHED))]
    return WordTypes(forms, [*sizes, 31], given if vectors else None)


def words(vectors: bool = False) -> WordTable:
    return WordTable.of(sentences(), word_types(vectors), BAG)


def batch(
    which: list[int] | None = None, capacity: BatchCapacity | None = None, vectors: bool = False
) -> Batch:
    """Some of the sentences, or all."""
    chosen = list(range(len(FORMS))) if which is None else which
    return make_batch(words(vectors), chosen, capacity or BatchCapacity(1))


def shape(**changes: Any) -> Shape:
    """Sizes of a network of everything."""
    types = word_types()
    sizes: dict[str, Any] = {
        "width": 8,
        "layers": 2,
        "hidden": 6,
        "table_sizes": types.table_sizes,
        "field_widths": tuple(5 if i == BAG else 4 if i % 2 else 3 for i in range(len(FIELDS))),
        "bag": BAG,
        "tag_sizes": (3, 4),
        "n_slots": N_SLOTS,
        "n_atom_rows": 7,
        "n_classes": N_CLASSES,
        "fed_back": (0,),
        "arcs": 4,
        "parts": ((1, 2),),
    }
    return Shape(**(sizes | changes))


def parameters(shape: Shape, seed: int = 1) -> Parameters:
    """Its parameters; biases and gains are not what they start with, either."""
    random = np.random.default_rng(seed)
    return {
        name: value + 0.2 * random.standard_normal(value.shape).astype(np.float32)
        for name, value in new_parameters(shape, seed).items()
    }


PARTS = {1: np.array([[1, 0], [0, 1], [1, 1], [0, 0]], np.float32)}


@dataclass
class Lesson:
    """What a step needs beside a batch: states, tags, heads."""

    batch: Batch
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))
    n_states: int = 20

    def __post_init__(self) -> None:
        self.room, self.n_words = len(self.batch.arrays["type"]), len(self.batch.words)

    def walk(self, n_empty: int = 3) -> dict[str, Any]:
        """States that look anywhere, with verdicts of every kind; the last ones are none."""
        n = self.n_states + n_empty
        verdicts = self.random.choice([BANNED, ALLOWED, OPTIMAL], (n, N_CLASSES)).astype(np.uint8)
        verdicts[np.arange(n), self.random.integers(N_CLASSES, size=n)] = OPTIMAL
        rows = self.random.integers(self.n_words + N_SPECIAL_ROWS, size=(n, N_SLOTS))
        return {
            "rows": rows.astype(np.int32),
            "atom_rows": self.random.integers(7, size=(n, N_ATOMS)).astype(np.int32),
            "verdicts": verdicts,
            "state_share": (np.arange(n) < self.n_states).astype(np.float32),
        }

    def tags(self) -> Any:
        """Some of them not known."""
        found = np.full((2, self.room), -1, np.int32)
        for i, n in enumerate((3, 4)):
            found[i, : self.n_words] = self.random.integers(-1, n, size=self.n_words)
        return found

    def arrays(self) -> dict[str, Any]:
        """The batch with heads: anywhere in the sentence, the root, or not known."""
        heads = np.full(self.room, -1, np.int32)
        starts = self.batch.first_rows - N_SPECIAL_ROWS
        for start, end in zip(starts, [*starts[1:], self.n_words], strict=True):
            for word in range(start, end):
                places = [-1, self.room, *range(start, end)]
                heads[word] = places[self.random.integers(len(places))]
        return {**self.batch.arrays, "heads": heads}
