"""Several treebanks of one language: the first says which labels there are.

What others call differently would teach two names for one thing. A label that the first has not
becomes its universal part, if the first has that; else it is not learned, and the arc alone is.
(Tags that the first has not are not learned, either: `knowledge.learn_tags`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dodona.learning.treebanks import Treebank
from dodona.parsing.preparation import load_trees
from dodona.treebank.columns import UNANNOTATED
from dodona.treebank.sentence import Sentence


def labels_of(sentences: Iterable[Sentence]) -> set[str]:
    """Every label that arcs have."""
    return {label for sentence in sentences for label in sentence.deprels} - {UNANNOTATED}


def known_label(label: str, known: set[str]) -> str:
    """The label, or what stands for it.

    >>> known_label("nsubj:outer", {"nsubj"}), known_label("flat:name", {"nsubj"})
    ('nsubj', '_')
    """
    universal = label.partition(":")[0]
    return label if label in known else universal if universal in known else UNANNOTATED


def with_known_labels(sentences: Sequence[Sentence], known: set[str]) -> list[Sentence]:
    """The sentences with labels of the first treebank only."""
    found = []
    for sentence in sentences:
        labels = [known_label(label, known) for label in sentence.deprels]
        found.append(sentence if labels == sentence.deprels else sentence.replace(deprels=labels))
    return found


@dataclass(frozen=True)
class Gold:
    """The first treebank, and others, with the labels of the first."""

    first: list[Sentence]
    others: list[list[Sentence]]

    @classmethod
    def load(cls, train: Treebank, more: Iterable[Treebank] = ()) -> Gold:
        """Read them."""
        first = load_trees(train)
        known = labels_of(first)
        return cls(first, [with_known_labels(load_trees(treebank), known) for treebank in more])

    @property
    def sentences(self) -> list[Sentence]:
        """Those of all treebanks, the first before others."""
        return [*self.first, *(sentence for some in self.others for sentence in some)]

    @property
    def with_lemmas(self) -> list[Sentence]:
        """Those of the first, and of others that have lemmas at all."""
        others = [some for some in self.others if any(map(_has_lemmas, some))]
        return [*self.first, *(sentence for some in others for sentence in some)]


def _has_lemmas(sentence: Sentence) -> bool:
    return any(lemma != UNANNOTATED for lemma in sentence.lemmas)
