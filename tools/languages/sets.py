"""The treebanks and texts of a data folder, one set for each model.

A data folder has `treebanks/CODE_NAME/{train,dev,test}.conllu.gz`, perhaps with further tests
(`test2.conllu.gz`), and `text/CODE.txt.gz`. Whatever treebank is found gets a model by the same
recipe; `languages.toml` lists only what cannot be found out: names, licences, which of two
treebanks of a language is packaged, and related languages. A treebank without a dev set gets one,
its last tenth (`prepared`).
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED
from tools.treebanks import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("languages.toml")
WORD, NEWLINE = ord("0"), 10
USUAL_LICENCE, NO_LICENCE = "CC BY-SA 4.0", "see the treebank"
LEAST_TEXT = 1_000  # bytes; less is no text
DEV_SHARE, LEAST_SENTENCES = 10, 20  # one sentence of so many is cut off, if there are enough


@dataclass(frozen=True)
class LanguageSet:
    """A treebank, and the raw text of its language."""

    folder: Path  # of the treebank
    text: Path | None
    about: dict[str, Any]  # of languages.toml
    own: Path = Path()  # folder of files that replace those of the treebank: see `prepared`
    is_cut: bool = False  # whether the dev set is cut off the train set

    @property
    def name(self) -> str:
        """The name of the set, such as `cy_ccg`."""
        return self.folder.name

    @property
    def code(self) -> str:
        """The code of the language, such as `cy`."""
        return self.name.partition("_")[0]

    @property
    def package(self) -> str:
        """The name of the model: that of the language, unless another set has it."""
        return self.code if self.is_packaged else self.name.replace("_", "-")

    @property
    def is_packaged(self) -> bool:
        """Whether this set makes the model of its language."""
        return bool(self.about.get("packaged", True))

    @property
    def language(self) -> str:
        """The name of the language."""
        return str(self.about.get("language", self.code))

    @property
    def treebank(self) -> str:
        """The treebanks to be credited."""
        return str(self.about.get("treebank", f"the treebank {self.name}"))

    @property
    def licence(self) -> str:
        """The licence of a model that learned from this set."""
        is_known = "treebank" in self.about  # to languages.toml
        return str(self.about.get("licence", USUAL_LICENCE if is_known else NO_LICENCE))

    @property
    def credit(self) -> str:
        """The line that credits the treebanks."""
        return f"  {self.treebank} ({self.licence})"

    def file(self, part: str) -> Path | None:
        """Return the file of a part, such as "dev"; None if there is none."""
        for folder in (self.own, self.folder) if self.own.name else (self.folder,):
            for ending in (".conllu.gz", ".conllu"):
                if (path := folder / f"{part}{ending}").is_file():
                    return path
        return None

    @property
    def train(self) -> Path:
        """The file to learn from."""
        path = self.file("train")
        assert path is not None  # find_sets has looked
        return path

    @property
    def segmented(self) -> Path:
        """The file to learn where sentences end from."""
        return self.file("segmented") or self.train

    @property
    def dev(self) -> Path:
        """The file that chooses the best epoch."""
        path = self.file("dev")
        assert path is not None  # `prepared` has made one
        return path

    @property
    def lends(self) -> bool:
        """Whether related languages may learn from this set: its licence has to allow it."""
        return bool(self.about.get("lends", True))

    @property
    def held_out(self) -> list[Path]:
        """The files whose sentences are never learned from."""
        return [path for part in ("dev", "test", "test2") if (path := self.file(part)) is not None]

    @cached_property
    def n_words(self) -> int:
        """The number of words to train on."""
        with _opened(self.train) as file:
            return sum(line[:1].isdigit() and line.split(b"\t", 1)[0].isdigit() for line in file)

    @cached_property
    def n_text_words(self) -> int:
        """The number of words in the raw text, estimated from bytes, as not all have spaces."""
        if self.text is None:
            return 0
        with _opened(self.train) as file:
            lines = [line[9:] for line in file if line.startswith(b"# text = ")]
        with _opened(self.text) as file:
            n_bytes = sum(map(len, file))
        return int(n_bytes * self.n_words / max(sum(map(len, lines)), 1))


def _opened(path: Path) -> Any:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def find_data() -> Path:
    """Return the data folder: DODONA_LANGUAGES, else `languages/`, else `../shared/languages`."""
    if named := os.environ.get("DODONA_LANGUAGES"):
        return Path(named)
    places = [ROOT / "languages", ROOT.parent / "shared" / "languages"]
    return next((place for place in places if place.is_dir()), places[0])


def find_sets(data: Path, chosen: Sequence[str] = ()) -> list[LanguageSet]:
    """Return the sets of a data folder, or those of some languages or treebanks."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    folders = sorted((data / "treebanks").glob("*_*"))
    known = [folder for folder in folders if any(folder.glob("train.conllu*"))]
    if not known:
        sys.exit(f"{data}: no treebanks/CODE_NAME/train.conllu there; see docs/how-to/languages.md")
    found = [_set(folder, data / "text", table) for folder in known]
    unknown = {*chosen} - {name for one in found for name in (one.name, one.code)}
    if unknown:
        names = ", ".join(one.name for one in found)
        sys.exit(f"{', '.join(sorted(unknown))}: no such set in {data}; there are {names}")
    return [
        one
        for one in found
        if not chosen or one.name in chosen or (one.code in chosen and one.is_packaged)
    ]


def named_sets(names: Sequence[str]) -> list[LanguageSet]:
    """Return sets by their names, wherever their files are."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [_set(Path(name), Path(), table) for name in names]


def _set(folder: Path, texts: Path, table: dict[str, Any]) -> LanguageSet:
    code = folder.name.partition("_")[0]
    about = {**table["languages"].get(code, {}), **table["sets"].get(folder.name, {})}
    paths = (texts / f"{code}.txt.gz", texts / f"{code}.txt")
    text = next((path for path in paths if path.is_file() and _has_text(path)), None)
    return LanguageSet(folder, text, about)


def _has_text(path: Path) -> bool:
    with _opened(path) as file:
        return len(file.read(LEAST_TEXT)) == LEAST_TEXT


def prepared(one: LanguageSet, folder: Path) -> LanguageSet:
    """Return a set to train on, with files of its own in a folder where those of the treebank do
    not do: a dev set that is the end of the train set, if it has none (`is_cut`), or a train set
    without the columns that languages.toml lists as `without`; and a train set of the segmenter
    without the sentences whose sent_id begins with one of `unsegmented`."""
    without, unsegmented = (one.about.get(key, []) for key in ("without", "unsegmented"))
    if one.file("dev") is not None and not without and not unsegmented:
        return one
    own = replace(one, own=folder / "own", is_cut=one.file("dev") is None)
    if not (own.own / "train.conllu.gz").is_file():
        if unsegmented:
            begins = tuple(f"# sent_id = {name}" for name in unsegmented)
            kept = [s for s in read(one.train) if not any(c.startswith(begins) for c in s.comments)]
            _write(own.own / "segmented.conllu.gz", kept)
        sentences = [_without(sentence, without) for sentence in read(one.train)]
        n_train = len(sentences)
        if own.is_cut:
            if n_train < LEAST_SENTENCES:
                n = f"{n_train} sentences"
                sys.exit(
                    f"{one.train}: {n} are too few to cut off a dev set; at least {LEAST_SENTENCES}"
                )
            n_train -= n_train // DEV_SHARE
            _write(own.own / "dev.conllu.gz", sentences[n_train:])
        _write(own.own / "train.conllu.gz", sentences[:n_train])
    return own


def find_relatives(one: LanguageSet) -> list[LanguageSet]:
    """Return the other sets of the language, then those of related ones, the nearest first."""
    data = one.folder.parent.parent
    codes = [one.code, *one.about.get("relatives", ())]
    others = [other for other in find_sets(data) if other.name != one.name and other.lends]
    return [other for code in codes for other in others if other.code == code]


def write_relatives(one: LanguageSet, folder: Path, n_words: int) -> Path | None:
    """Write sentences of relatives, up to so many words, into one file, if there are any.

    XPOS and lemmas differ from language to language, and are left out.
    """
    path = folder / "own" / "relatives.conllu.gz"
    if path.is_file():
        return path
    chosen: list[Sentence] = []
    for sentence in chain.from_iterable(read(other.train) for other in find_relatives(one)):
        if (n_words := n_words - len(sentence)) < 0:
            break
        chosen.append(_without(sentence, ("xpos", "lemmas")))
    if chosen:
        _write(path, chosen)
    return path if chosen else None


def _without(sentence: Sentence, columns: Sequence[str]) -> Sentence:
    """Return a sentence with some columns emptied."""
    return sentence.replace(**{column: [UNANNOTATED] * len(sentence) for column in columns})


def _write(path: Path, sentences: Sequence[Sentence]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with Writer(path) as writer:
        for sentence in sentences:
            writer.write(sentence)
