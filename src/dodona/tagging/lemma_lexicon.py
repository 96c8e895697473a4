"""A user's list of forms with their lemmas, for words that the treebank lacks.

A line has a lemma, then tags (UPOS or XPOS), each followed by the forms with that tag:

    sing VBD sang VBN sung
    learn VBD learned,learnt VBN learned,learnt   # a comment

The list overrides the treebank and corrects its errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dodona.settings import SettingsError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import read_lines

NO_LEMMAS = "a lexicon is for lemmas, and none are learned here: leave it out"


class LemmaEntry(NamedTuple):
    """A form, its tag, and its lemma with that tag."""

    form: str
    tag: str
    lemma: str


ListedLemma = tuple[str, str, int]  # a form, its lemma, and the id of all its tags (`join`)


def read_lexicon(path: str | Path) -> list[LemmaEntry]:
    """Read the entries of a file."""
    return list(parse_lexicon(read_lines(path), str(path)))


def parse_lexicon(lines: Iterable[str], name: str) -> Iterator[LemmaEntry]:
    """Parse the entries of lines.

    >>> [*parse_lexicon(["dream VBD dreamed,dreamt"], "list.txt")][1]
    LemmaEntry(form='dreamt', tag='VBD', lemma='dream')
    """
    known: dict[tuple[str, str], str] = {}
    for number, line in enumerate(lines, start=1):
        lemma, *fields = line.partition("#")[0].split() or [""]
        if not lemma:
            continue
        if not fields or len(fields) % 2:
            expected = "a lemma, then tags, each followed by forms"
            raise TreebankError(name, number, f"expected {expected}, not {line.strip()!r}")
        for tag, forms in zip(fields[::2], fields[1::2], strict=True):
            for form in filter(None, forms.split(",")):
                other = known.setdefault((form, tag), lemma)
                if other != lemma:
                    two = f"has two lemmas, {other!r} and {lemma!r}"
                    raise TreebankError(name, number, f"{form!r} with {tag} {two}")
                yield LemmaEntry(form, tag, lemma)


def list_words(
    entries: Iterable[LemmaEntry], numbers: Mapping[int, Sequence[str]]
) -> list[ListedLemma]:
    """Combine each entry with every id of tags that includes its tag (`numbers`: id to tags).

    Tags that the treebank lacks are ignored, unless none occurs in it.
    """
    by_tag: defaultdict[str, list[int]] = defaultdict(list)
    for number, tags in sorted(numbers.items()):
        for tag in dict.fromkeys(tags):
            by_tag[tag].append(number)
    found = [(entry.form, entry.lemma, number) for entry in entries for number in by_tag[entry.tag]]
    if not found:
        raise SettingsError("no tag of the lexicon is a UPOS or XPOS of the treebank")
    return found
