"""The treebank's own inventory of labels, tags and lemmas, for completion."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from dodona.annotate.marks import has_own_label, own_tags
from dodona.annotate.rows import BLANK, DEPREL, FORM, TAGS, UPOS, Row, Rows
from dodona.treebank.universal import RELATIONS
from dodona.treebank.universal import UPOS as UNIVERSAL_TAGS

MOST = 50  # suggestions
FIELDS = ("deprel", "upos", "xpos", "lemma", "feats", "head")
_USUAL: dict[str, Iterable[str]] = {"deprel": sorted(RELATIONS), "upos": sorted(UNIVERSAL_TAGS)}


class Inventory:
    """Counts of the values that people, or the file, decided on, by what they depend on.

    Labels are counted by the tags of dependent and head and by the tag of the dependent, XPOS and
    FEATS by the tag, tags and lemmas by the form; all of them also alone.
    """

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)

    def add(self, data: bytes, times: int = 1) -> None:
        """Count the values of a sentence, or remove them (-1)."""
        words = Rows.of(data).words
        for row in words:
            for name, value in _values(row):
                for context in _contexts(words, row, name):
                    self._counts[context][value] += times

    def suggest(
        self, rows: Rows, word: int, field: str, prefix: str, known: Iterable[str] = ()
    ) -> list[str]:
        """Return values that begin with a prefix, the most likely first; `known` come last."""
        row = rows.word(word)
        if field == "head":
            found = _heads(rows, word)
        else:
            found = [
                value
                for context in _contexts(rows.words, row, field)
                for value, count in self._counts[context].most_common()
                if count > 0
            ]
            found += [*_own(row, field), *known, *_USUAL.get(field, ())]
        matching = (each for each in dict.fromkeys(found) if each.startswith(prefix))
        return [each for each, _ in zip(matching, range(MOST), strict=False)]


def _values(row: Row) -> Iterator[tuple[str, str]]:
    if has_own_label(row):
        yield "deprel", row.fields[DEPREL]
    for name in own_tags(row):
        if row.fields[TAGS[name]] != BLANK:
            yield name, row.fields[TAGS[name]]


def _contexts(words: list[Row], row: Row, name: str) -> Iterator[tuple[str, ...]]:
    """Yield what a value may depend on, the most specific first."""
    fields = row.fields
    if name == "deprel":
        head = row.head or 0
        above = words[head - 1].fields[UPOS] if 0 < head <= len(words) else str(row.head)
        yield name, fields[UPOS], above
        yield name, fields[UPOS]
    elif name in ("xpos", "feats"):
        yield name, fields[FORM], fields[UPOS]
        yield name, "", fields[UPOS]
    else:
        yield name, fields[FORM]
    if name != "lemma":  # that of another word is no suggestion
        yield (name,)


def _own(row: Row, field: str) -> list[str]:
    if field == "lemma":
        form = row.fields[FORM]
        return [row.fields[TAGS[field]], form.lower(), form]
    return [BLANK] if field == "feats" else []


def _heads(rows: Rows, word: int) -> list[str]:
    """Return the heads that a word could have: the one it has, then the nearest, then the root."""
    near = sorted(range(1, len(rows.words) + 1), key=lambda other: abs(other - word))
    now = rows.word(word).head
    return [*([] if now is None else [str(now)]), *(str(i) for i in near if i != word), "0"]
