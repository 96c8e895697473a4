"""Finding treebanks: DIR/<treebank>/{train,dev,test}.conllu."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dodona.treebank.conllu.errors import TreebankError

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class TreebankFolder:
    """A treebank split into train, dev and test."""

    name: str
    folder: Path

    def part(self, name: str) -> Path:
        """The file of one part."""
        return self.folder / f"{name}.conllu"

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return self.part(name).is_file()

    def checksum(self) -> str:
        """A digest of the files of all parts."""
        return _checksum(*(self.part(name) for name in PARTS if self.has(name)))


def find_treebanks(
    data: Path, names: Sequence[str] | None = None, needed: Sequence[str] = PARTS
) -> list[TreebankFolder]:
    """The treebanks of a folder in alphabetical order, or those asked for, in the order given.

    Each must have the parts that are `needed`.

    >>> find_treebanks(Path("nowhere"))
    Traceback (most recent call last):
    dodona.treebank.conllu.errors.TreebankError: nowhere: there is no such folder
    """
    if not data.is_dir():
        raise TreebankError(str(data), None, "there is no such folder")
    found = sorted(folder.name for folder in data.iterdir() if _parts(folder))
    if not found:
        raise TreebankError(str(data), None, _nothing_found(data))
    wanted = found if names is None else list(dict.fromkeys(names))
    for name in wanted:
        if name not in found:
            raise TreebankError(
                str(data), None, f"no treebank {name!r} in it; there are {', '.join(found)}"
            )
        _check_complete(data / name, needed)
    return [TreebankFolder(name, data / name) for name in wanted]


def language_code(treebank: str) -> str:
    """The language of a treebank, by which papers' languages are found.

    >>> language_code("eu_bdt")
    'eu'
    """
    return treebank.partition("_")[0]


def _parts(folder: Path) -> list[str]:
    return [part for part in PARTS if (folder / f"{part}.conllu").is_file()]


def _check_complete(folder: Path, needed: Sequence[str]) -> None:
    missing = [f"{part}.conllu" for part in needed if part not in _parts(folder)]
    if missing:
        *first, last = needed
        wanted = f"{', '.join(first)} and {last} are" if first else f"{last} is"
        raise TreebankError(str(folder), None, f"{' and '.join(missing)} missing; {wanted} needed")


def _nothing_found(data: Path) -> str:
    if _parts(data):
        return f"this is one treebank; give the folder above it and the treebank {data.name!r}"
    return "no treebank in it; expected folders with train.conllu, dev.conllu and test.conllu"


@cache
def _checksum(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
