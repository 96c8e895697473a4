"""Jackknifing: each part of the data is answered by a model of the others.

What learns from the answers then sees them as good and as bad as those that it will get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def jackknife(
    items: Sequence[T], n_folds: int, answer: Callable[[list[T], list[T]], Iterable[T]]
) -> list[T]:
    """The items as `answer` makes them: it learns from a list of them, and answers another.

    Every n-th item is in a fold.

    >>> jackknife([1, 2, 3, 4], 2, lambda others, fold: [sum(others)] * len(fold))
    [6, 4, 6, 4]
    """
    if len(items) < n_folds:
        raise ValueError(f"{n_folds} folds of {len(items)} sentences: use fewer")
    answered = list(items)
    for fold in range(n_folds):
        others = [item for i, item in enumerate(items) if i % n_folds != fold]
        answered[fold::n_folds] = answer(others, list(items[fold::n_folds]))
    return answered
