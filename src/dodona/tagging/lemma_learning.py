"""What a tagger is to know of lemmas: the scripts of a treebank, and the words that have one.

A word that was seen takes the lemma it had, given its tags; one that was seen with other tags takes
its lemma if it had only one. A list of words may say otherwise. For all others the perceptron
chooses among the scripts that more than one word needs. It learns from rare words as if they were
not known: a dictionary would hide them.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dodona.core.tagging.tag_task import ANY, join
from dodona.core.tagging.tag_templates import LEMMA
from dodona.tagging.lemma_exceptions import learn_unknown
from dodona.tagging.lemma_lexicon import Listed
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.tag_classes import TagClasses

DOMINANT = 0.9  # share of a word's lemma, given its tags, from which on all others are noise
Triple = tuple[int, int, int]  # a known word, classes of the tasks before, its class
Seen: TypeAlias = "defaultdict[int, defaultdict[int, Counter[int]]]"  # the same, and how often


@dataclass(frozen=True)
class Lemmas:
    """The task of lemmas: as it is to be used, as it is in training, and the treebank's classes."""

    answers: TagClasses
    in_training: TagClasses
    gold: array[int]


def learn_lemmas(
    forms: Sequence[str],
    lemmas: Sequence[str],
    tags: Sequence[Sequence[int]],
    least: int,
    listed: Sequence[Listed] = (),
) -> Lemmas:
    """The task of the words of a treebank; `tags` has their classes, for each task before.

    In training only words seen `least` times are certain (0: none is), and none that is `listed`.
    """
    scripts = list(_scripts(forms, lemmas))
    names, n_learned = _order_forms(forms, scripts)
    names += sorted({lemma_script(form, lemma) for form, lemma, _ in listed} - {*names})
    number = {name: i for i, name in enumerate(names)}
    gold = array("I", [number[script] for script in scripts])
    entry = {form: i for i, form in enumerate(sorted(set(forms)))}
    seen: Seen = defaultdict(lambda: defaultdict(Counter))
    given = [join(classes) for classes in zip(*tags, strict=True)]
    for form, before, klass in zip(forms, given, gold, strict=True):
        seen[entry[form]][before][klass] += 1
    unknown, more = learn_unknown(forms, lemmas, given, number, listed)
    classes = [name.encode() for name in (*names, *more)]
    sure = list(_dictionary(seen, least)) if least else []
    _add_listed(seen, entry, listed, number)
    answers, in_training = (
        TagClasses(LEMMA, classes, *_columns(found), n_learned, unknown)
        for found in (_dictionary(seen, 1), sure)
    )
    return Lemmas(answers, in_training, gold)


def _add_listed(
    seen: Seen, entry: Mapping[str, int], listed: Iterable[Listed], number: Mapping[str, int]
) -> None:
    """What a list says of words of the treebank, instead of what the treebank does."""
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
    """The scripts, and how many of them are to be learned: those of several words, which are first.

    Where there are none, all are.
    """
    counts = Counter(scripts)
    n_forms = Counter(script for _, script in set(zip(forms, scripts, strict=True)))
    names = sorted(counts, key=lambda name: (n_forms[name] == 1, -counts[name], name))
    return names, sum(n > 1 for n in n_forms.values()) or len(names)


def _dictionary(seen: Mapping[int, Mapping[int, Counter[int]]], least: int) -> Iterator[Triple]:
    """The words that are certain, having been seen that often."""
    for word, found in sorted(seen.items()):
        total = sum(found.values(), Counter[int]())
        if len(total) == 1:
            found = {ANY: total}
        for given, counts in sorted(found.items()):
            ((klass, n),) = counts.most_common(1)
            if n >= max(least, DOMINANT * counts.total()):
                yield word, given, klass


def _columns(triples: Iterable[Triple]) -> tuple[array[int], array[int], array[int]]:
    rows = list(zip(*triples, strict=True)) or [(), (), ()]
    return array("I", rows[0]), array("I", rows[1]), array("I", rows[2])
