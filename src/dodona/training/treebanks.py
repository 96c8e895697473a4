"""Treebanks as training data, checksums of data, and jackknifing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from dodona.settings import SettingsError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

T = TypeVar("T")
Treebank = str | Path | Iterable[Sentence]


def load(
    treebank: Treebank, *, trees: Literal["optional", "ignored"] = "ignored"
) -> list[Sentence]:
    """Return the sentences of a treebank, at least one; `trees` is as in `dodona.read`."""
    if isinstance(treebank, str | Path):
        sentences = list(read(treebank, trees=trees))
    else:
        sentences = list(treebank)
    if not sentences:
        raise nothing_to_learn(treebank, "no sentence in it")
    return sentences


def nothing_to_learn(treebank: Treebank, why: str) -> TreebankError:
    """Return the error about a treebank that nothing can be learned from."""
    source = str(treebank) if isinstance(treebank, str | Path) else "the given sentences"
    return TreebankError(source, None, f"{why}: there is nothing to learn from")


def checksum(parts: Iterable[bytes]) -> str:
    """Return the SHA-256 digest of concatenated bytes.

    >>> checksum([b"oak", b"s"]) == checksum([b"oaks"])
    True
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def jackknife(
    items: Sequence[T], n_folds: int, predict: Callable[[list[T], list[T]], Iterable[T]]
) -> list[T]:
    """Return the items as predicted by `predict`, which learns from one list and predicts another.

    A fold has every n-th item. A model that learns from these predictions sees them as good and as
    bad as in use.

    >>> jackknife([1, 2, 3, 4], 2, lambda others, fold: [sum(others)] * len(fold))
    [6, 4, 6, 4]
    """
    if len(items) < n_folds:
        raise SettingsError(f"{n_folds} folds of {len(items)} sentences: use fewer folds")
    predicted = list(items)
    for fold in range(n_folds):
        others = [item for i, item in enumerate(items) if i % n_folds != fold]
        predicted[fold::n_folds] = predict(others, list(items[fold::n_folds]))
    return predicted
