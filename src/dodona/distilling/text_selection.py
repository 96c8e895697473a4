"""Selection of sentences from raw text that are worth annotating.

Text is split by a segmenter; files of sentences are read as they are. A sentence is left out if it
is in a held-out set (dev and test sets), repeated, very long, or if most of it is not letters, or
letters of a script that the treebank does not use.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path

from dodona.segmentation.segmenter import Segmenter
from dodona.treebank.conllu.files import read_lines
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

LEAST_LETTERS = 0.5  # of all characters
RARE = 0.01  # share of letters below which a script does not belong to the treebank
SEEN, AGAIN, LONG, ODD, FOREIGN = "held out", "repeated", "too long", "few letters", "other script"


@dataclass
class SentenceFilter:
    """A filter of sentences; `left_out` counts the rejected ones by reason."""

    scripts: set[str]
    longest: int = 100
    left_out: Counter[str] = field(default_factory=Counter)
    _held_out: set[bytes] = field(default_factory=set)
    _seen: set[bytes] = field(default_factory=set)

    def hold_out(self, sentences: Iterable[Sentence]) -> None:
        """Reject sentences that are equal to one of these, up to `sentence_key`."""
        self._held_out.update(sentence_key(sentence.forms) for sentence in sentences)

    def select(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the accepted sentences, reduced to their forms."""
        for sentence in sentences:
            forms = sentence.forms
            key = sentence_key(forms)
            if why := self._objection(forms, key):
                self.left_out[why] += 1
            else:
                self._seen.add(key)
                yield Sentence.from_columns(forms)

    def _objection(self, forms: list[str], key: bytes) -> str:
        if key in self._held_out:
            return SEEN
        if key in self._seen:
            return AGAIN
        if not 0 < len(forms) <= self.longest:
            return LONG
        text = "".join(forms)
        letters = [character for character in text if character.isalpha()]
        if len(letters) < LEAST_LETTERS * len(text):
            return ODD
        if sum(script(letter) in self.scripts for letter in letters) < 0.5 * len(letters):
            return FOREIGN
        return ""


def sentence_key(forms: Iterable[str]) -> bytes:
    """Return a digest that ignores case, spaces and punctuation.

    >>> sentence_key(["An", "oak", "."]) == sentence_key(["AN", "oak!"])
    True
    """
    text = unicodedata.normalize("NFKC", "".join(forms)).casefold()
    plain = "".join(filter(str.isalnum, text)) or text
    return hashlib.blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=12).digest()


@lru_cache(maxsize=1 << 16)
def script(letter: str) -> str:
    """Return the script of a letter, by its Unicode name.

    >>> script("a"), script("δ"), script("中")
    ('LATIN', 'GREEK', 'CJK')
    """
    return unicodedata.name(letter, "UNKNOWN").replace("-", " ").split()[0]


def find_scripts(sentences: Sequence[Sentence]) -> set[str]:
    """Return the scripts of a treebank."""
    characters = chain.from_iterable(form for s in sentences for form in s.forms)
    counts = Counter(map(script, filter(str.isalpha, characters)))
    return {name for name, n in counts.items() if n >= RARE * counts.total()}


def find_texts(names: Iterable[str]) -> list[Path]:
    """Return the files; of a folder, its `.txt`, `.txt.gz`, `.conllu` and `.conllu.gz`."""
    found: list[Path] = []
    for path in map(Path, names):
        if not path.exists():
            raise ValueError(f"{path}: no such file or folder")
        if not (path.is_file() or path.is_dir()):
            raise ValueError(f"{path}: a pipe or a device, but texts are read more than once")
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        some = [p for p in inside if p.is_file() and p.name.endswith(ENDINGS)]
        some = some if path.is_dir() else [path]
        if not some:
            raise ValueError(f"{path}: no file in this folder ends in {', '.join(ENDINGS)}")
        found += some
    return list(dict.fromkeys(found))


def name_texts(paths: Sequence[Path]) -> dict[Path, str]:
    """Return the name of each file in records: its own, or its path where several share a name.

    >>> [*name_texts([Path("a/oak.txt"), Path("b/oak.txt"), Path("b/elm.txt")]).values()]
    ['a/oak.txt', 'b/oak.txt', 'elm.txt']
    """
    counts = Counter(path.name for path in paths)
    return {path: path.name if counts[path.name] == 1 else path.as_posix() for path in paths}


ENDINGS = (".txt", ".txt.gz", ".conllu", ".conllu.gz")


def read_sentences(path: Path, segmenter: Segmenter | None) -> Iterator[Sentence]:
    """Read sentences of CoNLL-U, of `NAME.tokens.txt` (one per line), or of plain text."""
    if ".conllu" in path.suffixes:
        yield from read(path, trees="ignored")
    elif ".tokens" in path.suffixes:
        forms = map(str.split, read_lines(path))
        yield from map(Sentence.from_columns, filter(None, forms))
    else:
        if segmenter is None:
            raise ValueError(f"{path}: plain text needs a segmenter: give a model with one")
        for found in segmenter.stream(read_lines(path)):
            yield from found
