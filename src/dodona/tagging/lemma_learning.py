"""Learning the lemma task: the scripts of a treebank, and the words with a fixed script.

A known word gets the lemma that it had with the same tags, or its only lemma; a list overrides the
treebank. For all other words the perceptron chooses among the scripts of more than one word. In
training it treats rare words as unknown, because the dictionary would hide them.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dodona.core.tagging.tag_task import ANY, join
from dodona.core.tagging.tag_templates import LEMMA
from dodona.tagging.lemma_exceptions import learn_unknown_lemmas
from dodona.tagging.lemma_lexicon import ListedLemma
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.tag_classes import TagClasses

DOMINANT = 0.9  # share of a word's lemma, given its tags, above which others are noise
FixedLemma = tuple[int, int, int]  # a known word, id of its tags (`join`), its script
LemmaCounts: TypeAlias = "defaultdict[int, defaultdict[int, Counter[int]]]"  # word, tags, script


@dataclass(frozen=True)
class LemmaTask:
    """The lemma task of a tagger, its variant for training, and the gold scripts."""

    answers: TagClasses
    in_training: TagClasses
    gold: array[int]


def learn_lemmas(
    forms: Sequence[str],
    lemmas: Sequence[str],
    tags: Sequence[Sequence[int]],
    least: int,
    listed: Sequence[ListedLemma] = (),
) -> LemmaTask:
    """Learn the lemma task from a treebank; `tags` has the classes of each earlier task.

    In training only words seen `least` times (0: none), and no listed ones, have a fixed script.
    """
    scripts = list(_scripts(forms, lemmas))
    names, n_learned = _order_forms(forms, scripts)
    names += sorted({lemma_script(form, lemma) for form, lemma, _ in listed} - {*names})
    number = {name: i for i, name in enumerate(names)}
    gold = array("I", [number[script] for script in scripts])
    entry = {form: i for i, form in enumerate(sorted(set(forms)))}
    seen: LemmaCounts = defaultdict(lambda: defaultdict(Counter))
    given = [join(classes) for classes in zip(*tags, strict=True)]
    for form, before, klass in zip(forms, given, gold, strict=True):
        seen[entry[form]][before][klass] += 1
    unknown, more = learn_unknown_lemmas(forms, lemmas, given, number, listed)
    classes = [name.encode() for name in (*names, *more)]
    sure = list(_dictionary(seen, least)) if least else []
    _add_listed(seen, entry, listed, number)
    answers, in_training = (
        TagClasses(LEMMA, classes, *_columns(found), n_learned, unknown)
        for found in (_dictionary(seen, 1), sure)
    )
    return LemmaTask(answers, in_training, gold)


def _add_listed(
    seen: LemmaCounts,
    entry: Mapping[str, int],
    listed: Iterable[ListedLemma],
    number: Mapping[str, int],
) -> None:
    """Override the treebank's counts of listed words."""
    for form, lemma, given in listed:
        if form in entry:
            seen[entry[form]][given] = Counter({number[lemma_script(form, lemma)]: 1})


def _scripts(forms: Sequence[str], lemmas: Sequence[str]) -> Iterator[str]:
    known: dict[tuple[str, str], str] = {}
    for pair in zip(forms, lemmas, strict=True):
        if pair not in known:
            known[pair] = lemma_script(*pair)
        yield known[pair]


def _order_forms(forms: Sequence[str], scripts: Sequence[str]) -> tuple[list[str], int]:
    """Return the scripts, and how many the perceptron learns: those of several words come first.

    If no script has several words, all are learned.
    """
    counts = Counter(scripts)
    n_forms = Counter(script for _, script in set(zip(forms, scripts, strict=True)))
    names = sorted(counts, key=lambda name: (n_forms[name] == 1, -counts[name], name))
    return names, sum(n > 1 for n in n_forms.values()) or len(names)


def _dictionary(seen: Mapping[int, Mapping[int, Counter[int]]], least: int) -> Iterator[FixedLemma]:
    """Yield the words with a fixed script, which were seen at least that often."""
    for word, found in sorted(seen.items()):
        total = sum(found.values(), Counter[int]())
        if len(total) == 1:
            found = {ANY: total}
        for given, counts in sorted(found.items()):
            ((klass, n),) = counts.most_common(1)
            if n >= max(least, DOMINANT * counts.total()):
                yield word, given, klass


def _columns(triples: Iterable[FixedLemma]) -> tuple[array[int], array[int], array[int]]:
    rows = list(zip(*triples, strict=True)) or [(), (), ()]
    return array("I", rows[0]), array("I", rows[1]), array("I", rows[2])
