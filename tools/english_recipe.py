"""Run or print the command that makes the English models.

Treebanks are located as docs/how-to/treebanks.md describes; DODONA_EXTRA names files of further
treebanks, separated by commas, such as PUD. DODONA_TEXT names a folder of raw text, and
DODONA_VECTORS a file of word vectors (`NAME.npy` with `NAME.words`); DODONA_ENCODER is the folder
of a pretrained transformer under the teachers (for the models that ship: all-mpnet-base-v2). With
DODONA_SILVER, a folder of existing silver data, no GPU is needed: students can be trained on a CPU,
more slowly.

python -m tools.english_recipe --until sentences     the steps without a GPU; then, with a GPU:
python -m tools.english_recipe --until silver        teachers and silver data
python -m tools.english_recipe                       the student
python -m tools.english_recipe --name en-small       another student, without vectors
python -m tools.english_recipe --name en-large       another one, of twice the size
python -m tools.english_recipe --show                only print the command
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import dodona
from dodona.cli import main as run
from dodona.training.harmony_list import read_harmony
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.treebank.sentence import Sentence
from tools.treebanks import find_folder

TREEBANKS = ("en_ewt", "en_gumfree")  # the first defines labels and tags
TEACHERS = "--teachers 2 --teacher-epochs 22"  # on the encoder of DODONA_ENCODER
SIZES = {
    "en": "--width 256 --layers 3 --hidden 256 --epochs 20",
    "en-small": "--width 128 --layers 2 --hidden 128 --epochs 22",
    "en-large": "--width 384 --layers 4 --hidden 384 --epochs 16",
}
WITHOUT_VECTORS = ("en-small",)  # vectors would be larger than the rest of the model
WITH_GRAPHS = ("en", "en-large")
BEAMS = {"en-large": 4}  # of the finished model: +0.22 LAS on dev, as with 8
OF_ALL = (
    "--system arc-hybrid --batch-words 2500 --silver-per-gold 4 --variants 0.15 --constraints ud"
)
OWN = Path(__file__).parent / "treebank" / "en.conllu"  # sentences of kinds that treebanks lack
LISTS = ("abbreviations", "lexicon", "harmony")  # options, and folders of this one
LEXICON, HARMONY = (Path(__file__).parent / name / "en.txt" for name in LISTS[1:])


def main() -> None:
    """Locate the data, and make the model."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--data", type=Path, default=find_folder(), help="folder of treebanks")
    options.add_argument("--out", type=Path, default=Path("out"), help="output folder")
    options.add_argument("--name", choices=SIZES, default="en")
    options.add_argument("--show", action="store_true", help="only print the command")
    chosen, more = options.parse_known_args()
    make(chosen.data, chosen.out, chosen.name, *more, only_show=chosen.show)


def make(data: Path, out: Path, name: str, *more: str, only_show: bool = False) -> None:
    """Run the command with additional options, or only print it."""
    words = [*command(data, out, name), *more]
    print("dodona", shlex.join(words), file=sys.stderr)
    if not only_show:
        out.mkdir(parents=True, exist_ok=True)
        run(words)


def command(data: Path, out: Path, name: str) -> list[str]:
    """Return the arguments of `dodona`."""
    train, dev = ([data / treebank / f"{part}.conllu" for treebank in TREEBANKS] for part in PARTS)
    held_out = [*dev, *sorted(data.glob("en_*/test.conllu"))]
    words = ["distil", *map(str, train), *_extra(), str(OWN), "--dev", str(dev[0])]
    words += ["--held-out", ",".join(map(str, held_out))]
    words += ["--work", str(out / "work"), "-o", str(out / f"{name}.dodona")]
    for name_of_list in LISTS:
        words += [f"--{name_of_list}", str(Path(__file__).parent / name_of_list / "en.txt")]
    vectors = os.environ.get("DODONA_VECTORS")
    if vectors and name not in WITHOUT_VECTORS:
        words += ["--vectors", vectors]
    return [*words, *_taught_by(out, name), *OF_ALL.split(), *SIZES[name].split()]


def _taught_by(out: Path, name: str) -> list[str]:
    """Return the options for silver data; a student without vectors uses that of `en`."""
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
    encoder = os.environ.get("DODONA_ENCODER")
    if not encoder:
        sys.exit("DODONA_ENCODER is not set: the folder of a pretrained transformer, for teachers")
    return ["--text", text, "--encoder", encoder, *TEACHERS.split()]


def _extra() -> list[str]:
    return [path for path in os.environ.get("DODONA_EXTRA", "").split(",") if path]


def load_gold(data: Path) -> GoldTreebanks:
    """Return the treebanks that students learn from."""
    first, *more = (data / treebank / "train.conllu" for treebank in TREEBANKS)
    return GoldTreebanks.load(first, [*more, *_extra(), OWN], read_harmony(HARMONY))


def silver_sentences() -> Iterator[Sentence]:
    """Yield the sentences of DODONA_SILVER."""
    folder = Path(os.environ.get("DODONA_SILVER", ""))
    return chain.from_iterable(map(dodona.read, sorted(folder.glob("*.conllu.gz"))))


PARTS = ("train", "dev")

if __name__ == "__main__":
    main()
