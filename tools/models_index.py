"""Write the index of the packages in models/: `python -m tools.models_index [FOLDER]`.

The index is made from the wheels' own metadata; a test checks that it is up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dodona.models.index import INDEX, make_index
from dodona.storage.atomic import atomic_write

FOLDER = Path(__file__).parents[1] / "models"


def main(words: list[str] | None = None) -> None:
    """Write the index of a folder of wheels."""
    given = sys.argv[1:] if words is None else words
    folder = Path(given[0]) if given else FOLDER
    text = make_index(folder)
    with atomic_write(folder / INDEX) as file:
        file.write(text.encode())
    print(folder / INDEX)


if __name__ == "__main__":
    main()
