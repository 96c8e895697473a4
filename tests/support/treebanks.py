"""Treebanks, for tests that need real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.treebanks import find_folder

DATA = find_folder()


def treebank_file(treebank: str, part: str) -> Path:
    """A file of a treebank; skips the test where it is not at hand."""
    path = DATA / treebank / f"{part}.conllu"
    if not path.exists():
        pytest.skip(f"no {path}; set DODONA_DATA (docs/how-to/treebanks.md)")
    return path
