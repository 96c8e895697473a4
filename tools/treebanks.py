"""Locate the treebanks: the folder DODONA_DATA, else `treebanks/`, else `../shared/data`.

python -m tools.treebanks    prints the folder
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]


def find_folder() -> Path:
    """Return the folder of treebanks, or the default of docs/how-to/treebanks.md if none exists."""
    if named := os.environ.get("DODONA_DATA"):
        return Path(named)
    places = [ROOT / "treebanks", ROOT.parent / "shared" / "data"]
    return next((place for place in places if place.is_dir()), places[0])


if __name__ == "__main__":
    print(find_folder())
