"""Pieces of text in known languages, and in none.

A piece is the beginning, the middle or the end of a paragraph, of random length, so that the
identifier learns to read short texts as well. Text of no known language is made, since no list
of other languages is complete: known text with its letters exchanged (another vowel for each vowel,
another consonant for each consonant, at random for every piece), with the letters of its words in
another order, drawn from the pairs of letters of a language, random letters, and letters of scripts
that no known language uses.
"""

from __future__ import annotations

import gzip
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from zlib import crc32

ENGLISH = "en"
HELD_OUT = 33  # one paragraph of so many is not learned from
SHORTEST, LONGEST = 15, 260  # characters of a piece
MOST_OF_TEXT, MOST_OF_TREEBANK = 6_000, 6_000  # pieces of a language; more text outweighs the rest
MOST_OF_CLOSE = 16_000  # pieces of one of the close languages, which also have a table of their own
CLOSE = (("nb", "nn"), ("nb", "da"), ("nn", "da"), ("nn", "sv"), ("hr", "sr"), ("cs", "sk"))
CYRILLIC = "@cyrillic"  # of a class: a language in its other script
BY_SCRIPT = ("el", "grc", "he", "hy", "ja", "ko", "zh")  # the script alone gives the language
VOWELS = {"A", "E", "I", "O", "U", "Y", "IE", "YA", "YE", "YI", "YO", "YU", "YERU"}  # in names
OTHER_SCRIPTS = (  # first and last letter of scripts that no known language uses
    *((0x10D0, 0x10F0), (0x0985, 0x09B9), (0x0A05, 0x0A39), (0x0A85, 0x0AB9), (0x0B05, 0x0B39)),
    *((0x0B85, 0x0BB9), (0x0C05, 0x0C39), (0x0C85, 0x0CB9), (0x0D05, 0x0D39), (0x0E01, 0x0E2E)),
    *((0x0E81, 0x0EAE), (0x1000, 0x1020), (0x1200, 0x1240), (0x1780, 0x17A2), (0x1820, 0x1842)),
    *((0x10330, 0x10349), (0x0710, 0x072F), (0x0F40, 0x0F69), (0x13A0, 0x13F4), (0x2C80, 0x2CB0)),
)
_LATIN = ("lj", "nj", "dž", *"abvgdđežzijklmnoprstćufhcčš")
_CYRILLIC = bytes.fromhex(  # the last byte of each letter
    "595a5f 303132333452353637385 83a3b3c3d3e3f404142 5b4344454647 48".replace(" ", "")
)
_SERBIAN = {latin: chr(0x400 + last) for latin, last in zip(_LATIN, _CYRILLIC, strict=True)}


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text, compressed or not, that are not empty."""
    open_text = gzip.open if path.suffix == ".gz" else open
    with open_text(path, "rt", encoding="utf-8") as file:
        yield from filter(None, map(str.strip, file))


def read_sentences(path: Path) -> Iterator[str]:
    """Yield the texts of the sentences of a treebank."""
    mark = "# text = "
    return (line.removeprefix(mark) for line in read_lines(path) if line.startswith(mark))


def is_held_out(line: str) -> bool:
    """Whether a paragraph is kept for testing, wherever it occurs."""
    return crc32(line.encode()) % HELD_OUT == 0


def read_texts(texts: Path, english: Iterable[Path]) -> dict[str, list[str]]:
    """Return the paragraphs of raw text of each language, in random order."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(texts.glob("*.txt.gz")):
        found[path.name.removesuffix(".txt.gz")] += read_lines(path)
    for folder in english:
        for path in sorted(folder.glob("*.txt.gz")):
            lines = list(read_lines(path))
            found[ENGLISH] += random.Random(path.name).sample(lines, min(len(lines), 1_500))
    for language, lines in found.items():
        random.Random(language).shuffle(lines)
    return found


def read_treebanks(folders: Iterable[Path], part: str) -> dict[str, list[str]]:
    """Return the sentences of a part ("train", "dev") of treebanks, by language."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in sorted(folders):
        for path in folder.glob(f"{part}.conllu*"):
            found[folder.name.partition("_")[0]] += read_sentences(path)
    return found


def cut(lines: Iterable[str], most: int, chance: random.Random) -> list[str]:
    """Return up to `most` pieces of random length."""
    pieces: list[str] = []
    for line in lines:
        if len(pieces) >= most:
            break
        start = 0
        while len(line) - start >= SHORTEST and len(pieces) < most:
            end = start + chance.randint(SHORTEST, LONGEST)
            space = line.rfind(" ", start + SHORTEST, end)
            end = space if end < len(line) and space > 0 else end
            pieces.append(line[start:end])
            start = end + chance.randint(0, 4 * LONGEST)
    return pieces


def to_cyrillic(text: str) -> str:
    """Return Serbian in its other script, in lower case.

    >>> [hex(ord(letter)) for letter in to_cyrillic("Lje")]
    ['0x459', '0x435']
    """
    return re.sub("|".join(_SERBIAN), lambda found: _SERBIAN[found[0]], text.lower())


def make_samples(
    texts: Mapping[str, list[str]], trees: Mapping[str, list[str]], seed: int
) -> dict[str, list[str]]:
    """Return the pieces to learn from, by class; those of no language under an empty name."""
    chance = random.Random(seed)
    found: dict[str, list[str]] = {}
    for language in sorted(texts.keys() | trees.keys()):
        known = (line for line in texts.get(language, ()) if not is_held_out(line))
        pieces = cut(known, MOST_OF_TEXT, chance)
        sentences = [*trees.get(language, [])]
        chance.shuffle(sentences)
        pieces += cut(sentences, MOST_OF_TREEBANK, chance)
        found[language] = pieces
        if language == "sr":
            found[language + CYRILLIC] = [to_cyrillic(piece) for piece in pieces[::4]]
    found[""] = list(make_foreign(found, chance))
    return found


def make_foreign(known: dict[str, list[str]], chance: random.Random) -> Iterator[str]:
    """Yield pieces of no language."""
    for language, pieces in known.items():
        if language in BY_SCRIPT:
            continue
        pairs = _count_pairs(pieces)
        for number, piece in enumerate(chance.sample(pieces, min(len(pieces), 1_200))):
            how = number % 6
            if how < 3:
                yield exchange_letters(piece, chance)
            elif how == 3:
                yield " ".join("".join(chance.sample(word, len(word))) for word in piece.split())
            elif how == 4:
                yield _draw(pairs, len(piece), chance)
            else:
                yield _random_letters(len(piece), chance)


def exchange_letters(text: str, chance: random.Random) -> str:
    """Return a text with every letter replaced by another of its script, vowels by vowels."""
    letters = sorted({c for c in unicodedata.normalize("NFC", text.lower()) if c.isalpha()})
    table: dict[str, str] = {}
    for is_vowel in (False, True):
        own = [c for c in letters if _is_vowel(c) == is_vowel]
        others = own[:]
        chance.shuffle(others)
        table |= dict(zip(own, others, strict=True))
    return "".join(table.get(c, c) for c in text.lower())


def _is_vowel(letter: str) -> bool:
    base = unicodedata.normalize("NFD", letter)[0]
    return unicodedata.name(base, " ").rpartition(" ")[2] in VOWELS


def _count_pairs(pieces: list[str]) -> dict[str, list[str]]:
    """Return, for each letter, the letters that follow it, as often as they do."""
    found: dict[str, list[str]] = defaultdict(list)
    for piece in pieces[:300]:
        for one, follower in pairwise(piece):
            found[one].append(follower)
    return found


def _draw(pairs: dict[str, list[str]], n: int, chance: random.Random) -> str:
    letters = [" "]
    while len(letters) < n:
        letters.append(chance.choice(pairs.get(letters[-1]) or [" "]))
    return "".join(letters)


def _random_letters(n: int, chance: random.Random) -> str:
    """Return words of random letters: Latin ones, or those of another script."""
    first, last = chance.choice([*OTHER_SCRIPTS, *[(ord("a"), ord("z"))] * 8])
    letters = [chr(chance.randint(first, last)) for _ in range(n)]
    return "".join(" " if chance.random() < 0.15 else letter for letter in letters)
