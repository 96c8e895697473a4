"""Train the language identifier: `python -m tools.identifier --languages DIR --english DIR…`.

DIR of --languages holds text/LANG.txt.gz and treebanks/LANG_NAME/{train,dev}.conllu.gz; --english
are folders of English texts; --treebanks are folders of further treebanks of known languages, and
--unknown of treebanks in languages that are to be rejected. Only train sets and text are learned
from. The report is on dev sets, and on paragraphs of raw text that were held out. --test only
reports on the identifier that is there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from dodona.languages.identifier import KIND, VERSION
from dodona.storage import container
from dodona.storage.container import Array
from tools.identifier.close import GROUPS, train_close
from tools.identifier.report import print_report
from tools.identifier.samples import CYRILLIC, make_samples, read_texts, read_treebanks
from tools.identifier.training import train

FILE = Path(__file__).parents[2] / "src" / "dodona" / "languages" / "identifier.dodona"
MOST = 23_000  # n-grams with a weight for every language: a megabyte


def main(words: list[str] | None = None) -> None:
    """Train, save and test the identifier."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--languages", type=Path, required=True)
    options.add_argument("--english", type=Path, nargs="*", default=[])
    options.add_argument("--treebanks", type=Path, nargs="*", default=[])
    options.add_argument("--unknown", type=Path, nargs="*", default=[])
    options.add_argument("--out", type=Path, default=FILE)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--test", action="store_true", help="do not train")
    chosen = options.parse_args(words)
    folders = [*(chosen.languages / "treebanks").iterdir(), *chosen.treebanks]
    texts = read_texts(chosen.languages / "text", chosen.english)
    if not chosen.test:
        trees = read_treebanks(folders, "train")
        samples = make_samples(texts, trees, chosen.seed)
        base = train(samples, MOST, chosen.seed)
        languages = [name.removesuffix(CYRILLIC) for name in base[0][:-1]]
        arrays = to_arrays("", *base[1:])
        for number, group in enumerate(GROUPS):
            arrays |= to_arrays(f"{number}.", *train_close(group, texts, trees, base))
        about = {
            "languages": languages,
            "close": [group.languages for group in GROUPS],
            "by_words": [group.by_words for group in GROUPS],
        }
        container.write(chosen.out, KIND, VERSION, about, arrays)
        print(f"{chosen.out}: {chosen.out.stat().st_size:,} bytes")
    print_report(chosen.out, texts, folders, chosen.unknown)


def to_arrays(prefix: str, keys: np.ndarray, weights: np.ndarray) -> dict[str, Array]:
    """Return a table of n-grams as arrays of the file."""
    return {
        f"{prefix}keys": Array("U32", keys.astype(np.uint32).tobytes()),
        f"{prefix}weights": Array("I8", weights.tobytes()),
    }


if __name__ == "__main__":
    main()
