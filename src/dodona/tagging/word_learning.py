"""Learning of tag inventories: the tags of a treebank, and the words whose tags are certain."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

from dodona.core.tagging.tag_templates import LEMMA
from dodona.settings import TaggerSettings
from dodona.tagging.linear_tags import TagInventory
from dodona.tagging.tag_classes import TagClasses
from dodona.tagging.word_encoder import FIRST_AMBIGUITY, NO_AMBIGUITY
from dodona.training.treebanks import nothing_to_learn
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

SMALL_TAGSET = 100  # classes; XPOS is the first task if it has no more, else the last


def tag_columns(
    sentences: Sequence[Sentence], others: Sequence[Sentence] = (), *, lemmas: bool = True
) -> list[str]:
    """Return the columns that hold tags, in the order in which to predict them; lemmas come last.

    Sentences of `others` may have lemmas if the first treebank has none.
    A small tagset like that of the Penn Treebank determines most of the other tags; one that
    encodes all of morphology is easier to predict once they are known (dev sets of en, ta, tr, ko).
    """
    values = {
        name: {value for column in column_of(sentences, name) for value in column}
        for name in ("upos", "feats", "xpos")
    }
    names = [name for name, found in values.items() if found != {UNANNOTATED}]
    if not names:
        raise nothing_to_learn(sentences, "no UPOS, XPOS or FEATS in it")
    if "xpos" in names and len(values["xpos"]) <= SMALL_TAGSET:
        names.insert(0, names.pop())
    has_lemmas = any({*s.lemmas} - {UNANNOTATED} for s in chain(sentences, others))
    return [*names, LEMMA] if lemmas and has_lemmas else names


def find_tags(sentences: Sequence[Sentence], others: Sequence[Sentence] = ()) -> list[str]:
    """Return the columns that hold tags, and lemmas of any; none if there are no tags at all."""
    try:
        return tag_columns(sentences, others)
    except ValueError:  # nothing is tagged
        return []


def learn_words(
    forms: list[list[str]],
    tags: dict[str, list[list[str]]],
    settings: TaggerSettings,
    n_first: int | None = None,
) -> tuple[TagInventory, list[array[int]]]:
    """Return the inventory of a treebank's words and tags, and the class of every word by task.

    Tags of the first `n_first` sentences have the first numbers.
    """
    words = flatten(forms)
    counts = Counter(words)
    entry = {form: i for i, form in enumerate(sorted(counts))}
    entries = [entry[form] for form in words]
    tag_classes, gold = [], []
    before = array("I", bytes(4 * len(words)))
    for column, values in tags.items():
        of_first = None if n_first is None else sum(map(len, values[:n_first]))
        names, classes = number_tags(flatten(values), of_first)
        certain = _certain(entries, before, classes, settings.certain)
        tag_classes.append(TagClasses(column, [name.encode() for name in names], *certain))
        gold.append(classes)
        before = classes
    ambiguity = _ambiguity(entries, gold[0], [counts[form] for form in entry], settings.rare)
    return TagInventory(Vocabulary(map(str.encode, entry)), ambiguity, tag_classes), gold


def number_tags(values: Sequence[str], n_first: int | None = None) -> tuple[list[str], array[int]]:
    """Return the classes, the most frequent first, and the class of every word.

    Classes of the first `n_first` values are numbered as if there were no others.

    >>> number_tags(["VERB", "NOUN", "NOUN"])
    (['NOUN', 'VERB'], array('I', [1, 0, 0]))
    >>> number_tags(["VERB", "NOUN", "NOUN"], 1)
    (['VERB', 'NOUN'], array('I', [0, 1, 1]))
    """
    names: list[str] = []
    for some in (values[:n_first], values[len(values) if n_first is None else n_first :]):
        frequency = Counter(some)
        new = frequency.keys() - {*names}
        names += sorted(new, key=lambda name: (-frequency[name], name))
    number = {name: i for i, name in enumerate(names)}
    return names, array("I", [number[value] for value in values])


def _certain(
    entries: list[int], before: array[int], classes: array[int], least: int
) -> tuple[array[int], array[int], array[int]]:
    """Return words that had a single class, often enough, after a class of the preceding task."""
    seen: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for word, given, klass in zip(entries, before, classes, strict=True):
        seen[word, given][klass] += 1
    sure = sorted(
        (word, given, klass)
        for (word, given), found in seen.items()
        for klass, count in found.items()
        if len(found) == 1 and 0 < least <= count
    )
    rows = list(zip(*sure, strict=True)) or [(), (), ()]
    return array("I", rows[0]), array("I", rows[1]), array("I", rows[2])


def _ambiguity(
    entries: list[int], classes: array[int], counts: list[int], least: int
) -> array[int]:
    """Return the ambiguity class of each word: a number for its set of tags, if not rare.

    A word seen once would always have the right set in training, and the tagger would rely on it.
    """
    seen: list[set[int]] = [set() for _ in counts]
    for word, klass in zip(entries, classes, strict=True):
        seen[word].add(klass)
    numbers: dict[frozenset[int], int] = {}
    return array(
        "I",
        [
            numbers.setdefault(frozenset(found), len(numbers) + FIRST_AMBIGUITY)
            if count >= least
            else NO_AMBIGUITY
            for found, count in zip(seen, counts, strict=True)
        ],
    )


def column_of(sentences: Sequence[Sentence], name: str) -> list[list[str]]:
    """Return the values of the column that a task predicts, by sentence."""
    attribute = "lemmas" if name == LEMMA else name
    return [getattr(sentence, attribute) for sentence in sentences]


def flatten(column: list[list[str]]) -> list[str]:
    """Return the values of all sentences in one list."""
    return [value for sentence in column for value in sentence]
