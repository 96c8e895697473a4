"""Treebanks as training data, and checksums of data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

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
