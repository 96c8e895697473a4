"""Pretrained word vectors: text files of GloVe or word2vec, or NumPy arrays."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from dodona.training.neural.network import Numbers
from dodona.treebank.conllu.files import open_input

SPREAD = 0.5  # standard deviation after scaling: that of initial vectors
UNIT = 4  # widths are padded to a multiple of it


def read_vectors(path: str | Path) -> tuple[list[bytes], Numbers]:
    """Return the words of a file, and their vectors after one for unknown words.

    `NAME.npy` needs `NAME.words` beside it, with a word per line. In a text file a line is a word
    and its numbers, separated by spaces; a first line of two numbers is skipped; `.gz` files are
    decompressed.
    """
    words, rows = _read_npy(Path(path)) if str(path).endswith(".npy") else _read_text(Path(path))
    if rows.ndim != 2 or len(words) != len(rows) or not len(rows) or not np.isfinite(rows).all():
        raise ValueError(f"{path}: {len(words)} words, but vectors of the shape {rows.shape}")
    missing = -rows.shape[1] % UNIT
    rows = rows / max(float(rows.std()), 1e-9) * SPREAD
    return words, np.pad(rows, ((1, 0), (0, missing))).astype(np.float32)


def _read_npy(path: Path) -> tuple[list[bytes], Numbers]:
    words = path.with_suffix(".words")
    if not words.exists():
        raise ValueError(f"{path}: the file {words.name} with the words of the vectors is missing")
    rows = np.load(path, allow_pickle=False)
    return words.read_bytes().rstrip(b"\n").split(b"\n"), rows.astype(np.float32)


def _read_text(path: Path) -> tuple[list[bytes], Numbers]:
    words: list[bytes] = []
    rows: list[Numbers] = []
    with open_input(path)[0] as file:
        # an unbuffered file would be read byte by byte
        lines = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip(b"\n ").split(b" ")
            if number == 1 and len(values) == 1:
                continue
            try:
                row = np.array(values, np.float32)
            except ValueError:
                raise ValueError(f"{path}:{number}: expected a word and numbers") from None
            if rows and len(row) != len(rows[0]):
                raise ValueError(
                    f"{path}:{number}: {len(row)} numbers, but {len(rows[0])} in the lines before"
                )
            words.append(word)
            rows.append(row)
    return words, np.stack(rows) if rows else np.zeros((0, 0), np.float32)
