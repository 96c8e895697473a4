"""Treebanks of the invented language, as experiments read them: <name>/{train,dev,test}.conllu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dodona.synthetic.generator import write_treebank


def write_split(folder: Path, names: Sequence[str], sizes: Mapping[str, int]) -> Path:
    """Write a folder of files for each name, with so many sentences by part; no two are alike."""
    for i, name in enumerate(names):
        (folder / name).mkdir()
        for j, (part, size) in enumerate(sizes.items()):
            write_treebank(folder / name / f"{part}.conllu", size, seed=10 * i + j)
    return folder
