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
from tools.identifier.report import print_report
from tools.identifier.samples import CYRILLIC, make_samples, read_texts, read_treebanks
from tools.identifier.training import train

FILE = Path(__file__).parents[2] / "src" / "dodona" / "languages" / "identifier.dodona"
MOST = 22_000  # n-grams with weights of their own: below a megabyte


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
        samples = make_samples(texts, read_treebanks(folders, "train"), chosen.seed)
        classes, keys, weights = train(samples, MOST, chosen.seed)
        languages = [name.removesuffix(CYRILLIC) for name in classes[:-1]]
        arrays = {
            "keys": Array("U32", keys.astype(np.uint32).tobytes()),
            "weights": Array("I8", weights.tobytes()),
        }
        container.write(chosen.out, KIND, VERSION, {"languages": languages}, arrays)
        print(f"{chosen.out}: {chosen.out.stat().st_size:,} bytes")
    print_report(chosen.out, texts, folders, chosen.unknown)


if __name__ == "__main__":
    main()
