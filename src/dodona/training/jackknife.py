"""Jackknifing: each fold of the data is predicted by a model of the others.

A model that learns from these predictions sees them as good and as bad as in use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def jackknife(
    items: Sequence[T], n_folds: int, predict: Callable[[list[T], list[T]], Iterable[T]]
) -> list[T]:
    """Return the items as predicted by `predict`, which learns from one list and predicts another.

    A fold has every n-th item.

    >>> jackknife([1, 2, 3, 4], 2, lambda others, fold: [sum(others)] * len(fold))
    [6, 4, 6, 4]
    """
    if len(items) < n_folds:
        raise ValueError(f"{n_folds} folds of {len(items)} sentences: use fewer folds")
    predicted = list(items)
    for fold in range(n_folds):
        others = [item for i, item in enumerate(items) if i % n_folds != fold]
        predicted[fold::n_folds] = predict(others, list(items[fold::n_folds]))
    return predicted
