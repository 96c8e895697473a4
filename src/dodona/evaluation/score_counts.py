"""Counts of words and arcs, with their percentages."""

from __future__ import annotations

from dataclasses import dataclass


def percentage(part: int, whole: int) -> float:
    """Return 100 · (part / whole), or 0 of 0; divides first, as the official evaluation does."""
    return 100 * (part / whole) if whole else 0.0


@dataclass(frozen=True, slots=True)
class Arcs:
    """Counts of arcs of one kind.

    `n_recovered` gold arcs are in the system's tree, `n_correct` system arcs are in the gold tree.
    They differ only for non-projective arcs: an arc may be projective in one tree only.

    >>> arcs = Arcs(n_gold=4, n_system=2, n_recovered=1, n_correct=1)
    >>> arcs.precision, arcs.recall
    (50.0, 25.0)
    """

    n_gold: int
    n_system: int
    n_recovered: int
    n_correct: int

    @property
    def precision(self) -> float:
        """Percentage of the system's arcs that are right."""
        return percentage(self.n_correct, self.n_system)

    @property
    def recall(self) -> float:
        """Percentage of the gold arcs that the system found."""
        return percentage(self.n_recovered, self.n_gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        # in integers up to one division, so that the last digit is right
        both = self.n_correct * self.n_gold + self.n_recovered * self.n_system
        return percentage(2 * self.n_correct * self.n_recovered, both)

    def to_dict(self) -> dict[str, float]:
        """Return counts and percentages by name."""
        names = ("n_gold", "n_system", "n_recovered", "n_correct", "precision", "recall", "f1")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Metric:
    """Counts of units that two treebanks of one text share: tokens, words, labelled arcs, …

    >>> metric = Metric(n_gold=4, n_system=5, n_correct=2, n_aligned=3)
    >>> metric.precision, metric.recall, round(metric.aligned_accuracy, 2)
    (40.0, 50.0, 66.67)
    """

    n_gold: int
    n_system: int
    n_correct: int
    n_aligned: int | None = None  # words in both; None where the units are not words

    @property
    def precision(self) -> float:
        """Percentage of the system's units that are right."""
        return percentage(self.n_correct, self.n_system)

    @property
    def recall(self) -> float:
        """Percentage of the gold units that the system found."""
        return percentage(self.n_correct, self.n_gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return percentage(2 * self.n_correct, self.n_gold + self.n_system)

    @property
    def aligned_accuracy(self) -> float | None:
        """Percentage right of the words in both treebanks; None where the units are not words."""
        return None if self.n_aligned is None else percentage(self.n_correct, self.n_aligned)

    def to_dict(self) -> dict[str, float | None]:
        """Return counts and percentages by name."""
        counts = ("n_gold", "n_system", "n_correct", "n_aligned")
        percentages = ("precision", "recall", "f1", "aligned_accuracy")
        return {name: getattr(self, name) for name in (*counts, *percentages)}


@dataclass(frozen=True, slots=True)
class Attachment:
    """Counts of words with the right head, and with the right head and label."""

    n_words: int
    n_attached: int
    n_labelled: int

    @property
    def uas(self) -> float:
        """Percentage of words with the right head."""
        return percentage(self.n_attached, self.n_words)

    @property
    def las(self) -> float:
        """Percentage of words with the right head and label."""
        return percentage(self.n_labelled, self.n_words)

    def to_dict(self) -> dict[str, float]:
        """Return counts and percentages by name."""
        return {name: getattr(self, name) for name in ("n_words", "uas", "las")}
