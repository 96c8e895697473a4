"""The command that makes the English model, shown or run.

Treebanks are looked for as docs/how-to/treebanks.md says; DODONA_TEXT names a folder of raw text, and
DODONA_VECTORS a file of word vectors (`NAME.npy` beside `NAME.words`). With DODONA_SILVER, a folder
of silver that was made before, no GPU is needed: students learn on a CPU, too, though slower.

python -m tools.english_recipe --until sentences     what needs no GPU; then, on a machine with one:
python -m tools.english_recipe --until silver        teachers, and what they annotate
python -m tools.english_recipe                       the student
python -m tools.english_recipe --name en-small       another, of the same silver, without vectors
python -m tools.english_recipe --show                only print the command
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from dodona.cli import main as run
from tools.treebanks import find_folder

TREEBANKS = ("en_ewt", "en_gumfree")  # the first says which labels and tags there are
TEACHERS = "--teachers 2 --teacher-epochs 28"
SIZES = {
    "en": "--width 256 --layers 3 --hidden 256 --epochs 20",
    "en-small": "--width 128 --layers 2 --hidden 128 --epochs 20",
}
WITHOUT_VECTORS = ("en-small",)  # which would be larger than all the rest of it
OF_ALL = "--system arc-hybrid --batch-words 2500 --silver-per-gold 2"
ABBREVIATIONS = Path(__file__).parent / "abbreviations" / "en.txt"
LEXICON = Path(__file__).parent / "lexicon" / "en.txt"


def main() -> None:
    """Find the data, and make the model."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--data", type=Path, default=find_folder(), help="folder of treebanks")
    options.add_argument("--out", type=Path, default=Path("out"), help="where the model goes")
    options.add_argument("--name", choices=SIZES, default="en")
    options.add_argument("--show", action="store_true", help="only print the command")
    chosen, more = options.parse_known_args()
    make(chosen.data, chosen.out, chosen.name, *more, only_show=chosen.show)


def make(data: Path, out: Path, name: str, *more: str, only_show: bool = False) -> None:
    """Run the command with more options behind it, or only print it."""
    words = [*command(data, out, name), *more]
    print("dodona", shlex.join(words), file=sys.stderr)
    if not only_show:
        out.mkdir(parents=True, exist_ok=True)
        run(words)


def command(data: Path, out: Path, name: str) -> list[str]:
    """The words behind `dodona`."""
    train, dev = ([data / treebank / f"{part}.conllu" for treebank in TREEBANKS] for part in PARTS)
    held_out = [*dev, *sorted(data.glob("en_*/test.conllu"))]
    words = ["distil", *map(str, train), "--dev", str(dev[0])]
    words += ["--held-out", ",".join(map(str, held_out))]
    words += ["--work", str(out / "work"), "-o", str(out / f"{name}.dodona")]
    words += ["--abbreviations", str(ABBREVIATIONS), "--lexicon", str(LEXICON)]
    vectors = os.environ.get("DODONA_VECTORS")
    if vectors and name not in WITHOUT_VECTORS:
        words += ["--vectors", vectors]
    return [*words, *_taught_by(out, name), *OF_ALL.split(), *SIZES[name].split()]


def _taught_by(out: Path, name: str) -> list[str]:
    """Where silver comes from: teachers have vectors, so that a student without takes theirs."""
    silver = out / "work" / "silver" if name in WITHOUT_VECTORS else None
    made = os.environ.get("DODONA_SILVER") or silver
    if made:
        paths = sorted(Path(made).glob("*.conllu.gz"))
        if not paths:
            sys.exit(f"{made}: no silver there; make it first: --name en --until silver")
        return ["--silver", ",".join(map(str, paths))]
    text = os.environ.get("DODONA_TEXT")
    if not text:
        sys.exit("DODONA_TEXT is not set: a folder of text, or DODONA_SILVER, one of silver")
    return ["--text", text, *TEACHERS.split()]


PARTS = ("train", "dev")

if __name__ == "__main__":
    main()
