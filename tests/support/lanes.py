"""Languages in miniature, whose networks are trained side by side."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path
from typing import Any

import dodona
from dodona.synthetic.generator import synthetic_treebank
from dodona.treebank.conllu.writer import Writer
from tools.languages.__main__ import main
from tools.languages.lanes.decks import Deck
from tools.languages.lanes.lane import Lane
from tools.languages.lanes.models import Language
from tools.languages.sets import find_sets, prepared

NAMES = "aa_one", "bb_two"


def write_treebank(folder: Path, seed: int, *, has_xpos: bool = True) -> None:
    """Write 40 sentences to learn from and 20 others."""
    folder.mkdir(parents=True)
    sentences = synthetic_treebank(60, seed=seed)
    for part, n in (("train", 40), ("dev", 20)):
        with Writer(folder / f"{part}.conllu.gz") as writer:
            for columns in islice(sentences, n):
                xpos = columns.upos if has_xpos else ["_"] * len(columns.forms)
                named = columns._asdict() | {"xpos": xpos}
                writer.write(dodona.Sentence.from_columns(**named))


def make_languages(data: Path) -> Path:
    """Write a data folder with two languages, the first of which has text, and their arrays."""
    write_treebank(data / "treebanks" / "aa_one", 1)
    write_treebank(data / "treebanks" / "bb_two", 2, has_xpos=False)
    text = "\n".join(" ".join(s.forms) for s in synthetic_treebank(300, seed=3))
    (data / "text").mkdir()
    (data / "text" / "aa.txt.gz").write_bytes(gzip.compress(text.encode()))
    words = ["--data", str(data), "--out", str(data / "out"), "--until", "arrays"]
    main([*words, "--languages", "aa,bb"])
    return data


def language(folder: Path, name: str) -> Language:
    """Return a language of a data folder."""
    (one,) = find_sets(folder, [name])
    return Language(prepared(one, folder / "out" / one.name), folder / "out")


def lane(folder: Path, name: str) -> Lane:
    """Return the arrays of a language."""
    return Lane.load(folder / "out" / name / f"{name}.npz")


def words_of(one: Lane, part: str, n: int) -> Any:
    """Return the words of the first sentences of a part, at most n."""
    return next(Deck(*one.sentences(part)).once(n))
