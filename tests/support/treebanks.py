"""Where tests find treebanks: in DODONA_DATA, else `treebanks/`, else `../shared/data`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def find_treebanks() -> Path:
    """The folder of treebanks; where there is none, the one that README.md tells to fill."""
    if named := os.environ.get("DODONA_DATA"):
        return Path(named)
    places = [ROOT / "treebanks", ROOT.parent / "shared" / "data"]
    return next((place for place in places if place.is_dir()), places[0])


DATA = find_treebanks()


def treebank_file(treebank: str, part: str) -> Path:
    """A file of a treebank; skips the test where it is not at hand."""
    path = DATA / treebank / f"{part}.conllu"
    if not path.exists():
        pytest.skip(f"no {path}; set DODONA_DATA to a folder of treebanks (README.md says how)")
    return path
