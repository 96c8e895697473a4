"""Agreement in tags between treebanks of one language that are learned from together.

Treebanks follow different guidelines: "United" in "United States" is ADJ in one treebank of English
and VERB in another, "your" has Number=Sing here and no number there. A model that learns both
predicts either. The first treebank decides, form by form, wherever the difference is one of
guidelines rather than of use:

  UPOS, XPOS  A form with nearly always one tag in the first treebank, and nearly always another one
              elsewhere, has the analysis of the first.
  FEATS       Likewise. Moreover, FEATS that the first treebank lacks, or gives to other words,
              become those FEATS of the form there that alone do not contradict them; else they are
              not learned.

A column that another treebank lacks is not learned from it. Where the first treebank contradicts
itself, or neither treebank is sure, a list decides (`harmony_list`). (Labels and lemmas:
`neural/gold_treebanks`.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

MANY, SOME = (
    20,
    3,
)  # occurrences from which on a form is judged, in the first and in another treebank
EMPTY = 0.99  # share of words without a value from which on a column is said to be empty
SURE = 0.95  # share of the most frequent value of a form that is said to have only this one
TRUSTED = 0.9  # share of words on which two treebanks agree about FEATS that are learned from both
SHARED = 5  # words from which on this share is judged
MOST_SOURCES = 9  # of a mixture; more names are those of documents
NOT_LEARNED = "?"  # instead of FEATS that the first treebank has, with another meaning
COLUMNS = ("lemma", "upos", "xpos", "feats")
Key = tuple[str, ...]


class Analysis(NamedTuple):
    """A word without its context."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str


def analyses(sentence: Sentence) -> Iterator[Analysis]:
    """Yield the analysis of every word."""
    columns = sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats
    return map(Analysis._make, zip(*columns, strict=True))


class Clash(NamedTuple):
    """A form that two treebanks treat differently."""

    column: str
    key: Key  # the form, and the tags that it has in both
    ours: str
    n_ours: int
    theirs: str
    n_theirs: int


class Conventions:
    """The tags of every form in one treebank, counted."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.words = Counter(word for sentence in sentences for word in analyses(sentence))

    def _counted(self, column: str, *by: str) -> dict[Key, Counter[str]]:
        found: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        for word, n in self.words.items():
            found[tuple(getattr(word, name) for name in by)][getattr(word, column)] += n
        return dict(found)

    @cached_property
    def upos(self) -> dict[Key, Counter[str]]:
        """The UPOS of each form."""
        return self._counted("upos", "form")

    @cached_property
    def xpos(self) -> dict[Key, Counter[str]]:
        """The XPOS of each form with its UPOS."""
        return self._counted("xpos", "form", "upos")

    @cached_property
    def feats(self) -> dict[Key, Counter[str]]:
        """The FEATS of each form in lower case with its UPOS and XPOS, and with UPOS alone."""
        found: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        for word, n in self.words.items():
            for xpos in {word.xpos, UNANNOTATED}:
                found[word.form.lower(), word.upos, xpos][word.feats] += n
        return dict(found)

    @cached_property
    def lacking(self) -> set[str]:
        """The columns that are empty, except perhaps for words that a list has decided about."""
        empty: Counter[str] = Counter()
        for word, n in self.words.items():
            empty.update({name: n for name in COLUMNS if getattr(word, name) == UNANNOTATED})
        return {name for name in COLUMNS if empty[name] >= EMPTY * self.words.total()}

    @cached_property
    def typical(self) -> dict[str, Analysis]:
        """The most frequent analysis of each form."""
        best: dict[str, tuple[int, Analysis]] = {}
        for word, n in self.words.items():
            best[word.form] = max(best.get(word.form, (0, word)), (n, word))
        return {form: word for form, (_, word) in best.items()}

    @cached_property
    def known_feats(self) -> set[str]:
        """All FEATS."""
        return {word.feats for word in self.words}


def sure_value(counts: Counter[str] | None, least: int) -> str | None:
    """Return the value that nearly all of at least so many occurrences have, or None.

    >>> sure_value(Counter(ADJ=81), 20), sure_value(Counter(NOUN=18, VERB=2), 20)
    ('ADJ', None)
    """
    if not counts or counts.total() < least:
        return None
    ((value, n),) = counts.most_common(1)
    return value if n >= SURE * counts.total() else None


def find_clashes(
    first: Conventions, other: Conventions, many: int = MANY, some: int = SOME
) -> Iterator[Clash]:
    """Yield the forms with one sure value in the first treebank and another in the other."""
    for column in ("upos", "xpos", "feats"):
        if column in other.lacking:
            continue
        of_first: Mapping[Key, Counter[str]] = getattr(first, column)
        of_other: Mapping[Key, Counter[str]] = getattr(other, column)
        for key, counts in of_other.items():
            if column == "feats" and key[-1] == UNANNOTATED and "xpos" not in other.lacking:
                continue  # compared with XPOS instead
            theirs, seen = sure_value(counts, some), of_first.get(key)
            ours = sure_value(seen, many)
            if seen and theirs is not None and ours is not None and theirs != ours:
                yield Clash(column, key, ours, seen.total(), theirs, counts.total())


class Harmony:
    """What changes in a treebank that is learned from together with a first one."""

    def __init__(self, first: Conventions, other: Conventions) -> None:
        self.first, self.other = first, other
        self._clashes: defaultdict[str, dict[Key, str]] = defaultdict(dict)
        for clash in find_clashes(first, other):
            self._clashes[clash.column][clash.key] = clash.ours
        self._settled: dict[Analysis, Analysis] = {}

    def settle(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the tags and lemmas of the first treebank."""
        words = [*analyses(sentence)]
        found = [self._settled.get(word) or self._settle(word) for word in words]
        if found == words:
            return sentence
        _, lemmas, upos, xpos, feats = zip(*found, strict=True)
        return sentence.replace(lemmas=lemmas, upos=upos, xpos=xpos, feats=feats)

    def _settle(self, word: Analysis) -> Analysis:
        """Return the analysis of a word that the first treebank would give it, and keep it."""
        found = word
        if (word.form,) in self._clashes["upos"]:
            typical = self.first.typical[word.form]
            found = typical._replace(**{name: getattr(word, name) for name in self.other.lacking})
        xpos = self._clashes["xpos"].get((word.form, found.upos), found.xpos)
        found = found._replace(xpos=xpos)
        self._settled[word] = found = found._replace(feats=self._feats(found))
        return found

    def _feats(self, word: Analysis) -> str:
        if "feats" in self.other.lacking and word.feats == UNANNOTATED:
            return word.feats if "feats" in self.first.lacking else NOT_LEARNED
        key = word.form.lower(), word.upos, word.xpos
        if key in self._clashes["feats"]:
            return self._clashes["feats"][key]
        seen = self.first.feats.get(key, Counter())
        if word.feats in seen or self._is_trusted(word.upos, word.xpos, word.feats):
            return word.feats
        compatible = [value for value in seen if are_compatible(value, word.feats)]
        if len(compatible) == 1:
            # features that the other treebank lacks are added only to a form that never varies
            is_part = {*compatible[0].split("|")} - {UNANNOTATED} <= {*word.feats.split("|")}
            if is_part or sure_value(seen, MANY):
                return compatible[0]
        # what the first treebank lacks is not learned, anyway
        return NOT_LEARNED if word.feats in self.first.known_feats else word.feats

    def _is_trusted(self, *tags: str) -> bool:
        """Return whether the first treebank uses FEATS, with the same tags, on the same words."""
        n_agreed, n_shared = self._agreement.get(tags, (0, 0))
        if n_shared < SHARED:
            return tags[-1] in self.first.known_feats
        return n_agreed >= TRUSTED * n_shared

    @cached_property
    def _agreement(self) -> dict[Key, tuple[int, int]]:
        """For UPOS, XPOS and FEATS of the other treebank: words where the first agrees, and all.

        Only words are counted that the first treebank has with the same UPOS and XPOS.
        """
        found: dict[Key, tuple[int, int]] = {}
        for word, n in self.other.words.items():
            seen = self.first.feats.get((word.form.lower(), word.upos, word.xpos))
            if seen and seen.total() >= SOME:
                tags = word.upos, word.xpos, word.feats
                n_agreed, n_shared = found.get(tags, (0, 0))
                found[tags] = n_agreed + n * (word.feats in seen), n_shared + n
        return found


def are_compatible(one: str, other: str) -> bool:
    """Return whether no feature has different values in the two.

    >>> are_compatible("Case=Nom|Person=2", "Case=Nom|Number=Sing"), are_compatible("A=1", "A=2")
    (True, False)
    """
    values = dict(feature.partition("=")[::2] for feature in one.split("|"))
    pairs = (feature.partition("=")[::2] for feature in other.split("|"))
    return all(values.get(name, value) == value for name, value in pairs)


def source_of(sentence: Sentence) -> str:
    """Return the name that begins the sentence's id, up to a hyphen: of a treebank in a mixture."""
    name, hyphen, _ = (sentence.sent_id or "").partition("-")
    return name if hyphen else ""


def by_source(sentences: Sequence[Sentence]) -> list[str]:
    """Return the source of every sentence; all the same if ids do not name treebanks."""
    names = [source_of(sentence) for sentence in sentences]
    return names if len({*names}) <= MOST_SOURCES else [""] * len(names)


def harmonise(first: Conventions, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return another treebank with the tags of the first; its sources are compared one by one."""
    names = by_source(sentences)
    parts: defaultdict[str, list[Sentence]] = defaultdict(list)
    for name, sentence in zip(names, sentences, strict=True):
        parts[name].append(sentence)
    harmonies = {name: Harmony(first, Conventions(some)) for name, some in parts.items()}
    return [harmonies[name].settle(s) for name, s in zip(names, sentences, strict=True)]
