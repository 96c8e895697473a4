"""Where treebanks are: where DODONA_DATA says, else in `treebanks/`, else in `../shared/data`.

python -m tools.treebanks    prints the folder
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]


def find_folder() -> Path:
    """The folder of treebanks; without one, that which docs/how-to/treebanks.md tells to fill."""
    if named := os.environ.get("DODONA_DATA"):
        return Path(named)
    places = [ROOT / "treebanks", ROOT.parent / "shared" / "data"]
    return next((place for place in places if place.is_dir()), places[0])


if __name__ == "__main__":
    print(find_folder())
