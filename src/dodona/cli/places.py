"""The files that people name: themselves, or all that are in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.treebank.conllu.errors import TreebankError

STDIN = "-"
TREEBANK = (".conllu", ".conllx", ".conll")
PLAIN = (".txt",)


def find_files(names: Iterable[str], suffixes: tuple[str, ...] = TREEBANK) -> Iterator[str]:
    """Every file named, and of a folder those with such a suffix (or .gz behind it), in order.

    >>> list(find_files(["-", "dev.conllu"]))
    ['-', 'dev.conllu']
    """
    for name in names:
        if name == STDIN or not Path(name).is_dir():
            yield name
            continue
        found = sorted(_walk(name, suffixes))
        if not found:
            known = ", ".join(suffixes)
            raise TreebankError(name, None, f"there is no file in this folder that ends in {known}")
        yield from found


def _walk(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Files below the folder; what is hidden stays hidden."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in files:
            if file.removesuffix(".gz").endswith(suffixes) and not file.startswith("."):
                yield str(Path(place, file))
