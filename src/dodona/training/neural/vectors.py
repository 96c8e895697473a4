"""Word vectors from elsewhere: a text file as of GloVe or word2vec, or NumPy's beside words."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, cast

import numpy as np

from dodona.treebank.conllu.files import open_input

SPREAD = 0.5  # standard deviation that they get: that of learned vectors at the start
UNIT = 4  # their width must be a multiple of it

Numbers = Any  # an array of NumPy


def read_vectors(path: str | Path) -> tuple[list[bytes], Numbers]:
    """The words of a file, and a row for each of them after one for all others.

    `NAME.npy` needs `NAME.words` beside it, a word a line. In a text file a line is a word and its
    numbers, set apart by spaces; a first line of two numbers is passed over; `.gz` is read by name.
    """
    words, rows = _read_npy(Path(path)) if str(path).endswith(".npy") else _read_text(Path(path))
    if rows.ndim != 2 or len(words) != len(rows) or not len(rows) or not np.isfinite(rows).all():
        raise ValueError(f"{path}: {len(words)} words do not fit vectors of the shape {rows.shape}")
    missing = -rows.shape[1] % UNIT
    rows = rows / max(float(rows.std()), 1e-9) * SPREAD
    return words, np.pad(rows, ((1, 0), (0, missing))).astype(np.float32)


def _read_npy(path: Path) -> tuple[list[bytes], Numbers]:
    words = path.with_suffix(".words")
    if not words.exists():
        raise ValueError(f"{path}: no file {words.name} beside it, with the words of the vectors")
    rows = np.load(path, allow_pickle=False)
    return words.read_bytes().rstrip(b"\n").split(b"\n"), rows.astype(np.float32)


def _read_text(path: Path) -> tuple[list[bytes], Numbers]:
    words: list[bytes] = []
    rows: list[Numbers] = []
    file, _, _ = open_input(path)
    with io.BufferedReader(cast(io.RawIOBase, file)) as lines:
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip(b"\n ").split(b" ")
            if number == 1 and len(values) == 1:
                continue
            try:
                row = np.array(values, np.float32)
            except ValueError:
                raise ValueError(f"{path}:{number}: not a word and numbers") from None
            if rows and len(row) != len(rows[0]):
                raise ValueError(
                    f"{path}:{number}: {len(row)} numbers, but {len(rows[0])} in the lines before"
                )
            words.append(word)
            rows.append(row)
    return words, np.stack(rows) if rows else np.zeros((0, 0), np.float32)
