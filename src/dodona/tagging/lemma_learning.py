"""Learning the lemma task: the scripts of a treebank, and the words with a fixed script.

A known word gets the lemma that it had with the same tags, or its only lemma; a list overrides the
treebank. For all other words the perceptron chooses among the scripts of more than one word. In
training it treats rare words as unknown, because the dictionary would hide them.

A form is an exception if most others with the same tags and ending have another script: "built"
beside "tilted". An unknown word that consists of a prefix and an exception with the same tags gets
the exception's script: "rebuilt", "overthrew". Prefixes are those seen before several lemmas that
are also lemmas without them. All listed words are exceptions.

Tags are those of names if lemmas with them begin with a capital wherever forms do.

A word whose lemma is not annotated ("_", as in all of some treebanks) teaches nothing: its class is
one that no word gets.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import TypeAlias

from dodona.core.tagging.tag_task import ANY, join
from dodona.core.tagging.tag_templates import LEMMA
from dodona.tagging.lemma_correction import lemma_hash
from dodona.tagging.lemma_lexicon import ListedLemma
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.tag_classes import TagClasses, UnknownLemmas
from dodona.treebank.universal import UNANNOTATED

DOMINANT = 0.9  # share of a word's lemma, given its tags, above which others are noise
LETTERS = 3  # longest ending by which forms are compared
SHORTEST = 3  # characters of an exception
LONGEST_PREFIX = 8  # characters
PREFIXED = 3  # lemmas before which a prefix occurs
USUAL = 6  # most frequent scripts that are tried with the same tags
AFTER = 4  # characters after which a script has cut off an ending that it may cut off after any
LEAST = 2  # forms that have such a script
NAMES = 0.9  # share of capitalised forms whose lemmas are, too, from which on tags are of names …
LEAST_NAMES = 3  # … and the least number of such forms
SHARED = 0.1  # share of types with a lemma of another form, below which `usual` is not used
NO_SCRIPT = f"whole\t{UNANNOTATED}"  # of a word without a lemma
FixedLemma = tuple[int, int, int]  # a known word, id of its tags (`join`), its script
TaggedForm = tuple[str, int]  # a form in lower case, and the id of its tags (`join`)
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
    entry = {form: i for i, form in enumerate(sorted(set(forms)))}
    given: Sequence[int] = [join(classes) for classes in zip(*tags, strict=True)]
    words = list(zip(forms, lemmas, given, strict=True))
    is_annotated = [lemma != UNANNOTATED or form == lemma for form, lemma, _ in words]
    forms, lemmas, given = zip(*compress(words, is_annotated), strict=True)
    scripts = [*map(cache(lemma_script), forms, lemmas)]
    names, n_learned = _order_forms(forms, scripts)
    names += sorted({lemma_script(form, lemma) for form, lemma, _ in listed} - {*names})
    if not all(is_annotated):
        names.append(NO_SCRIPT)
    number = {name: i for i, name in enumerate(names)}
    classes_of = iter(scripts)
    gold = array("I", [number[next(classes_of) if one else NO_SCRIPT] for one in is_annotated])
    seen: LemmaCounts = defaultdict(lambda: defaultdict(Counter))
    for form, before, script in zip(forms, given, scripts, strict=True):
        seen[entry[form]][before][number[script]] += 1
    unknown, more = learn_unknown_lemmas(forms, lemmas, given, number, listed)
    classes = [name.encode() for name in (*names, *more)]
    sure = list(_dictionary(seen, least)) if least else []
    for form, lemma, id_ in listed:  # the list overrides the treebank's counts
        if form in entry:
            seen[entry[form]][id_] = Counter({number[lemma_script(form, lemma)]: 1})
    answers, in_training = (
        TagClasses(LEMMA, classes, *_columns(found), n_learned, unknown)
        for found in (_dictionary(seen, 1), sure)
    )
    return LemmaTask(answers, in_training, gold)


def _order_forms(forms: Sequence[str], scripts: Sequence[str]) -> tuple[list[str], int]:
    """Return the scripts, and how many the perceptron learns: those of several words come first.

    If no script has several words, all are learned.
    """
    counts = Counter(scripts)
    n_forms = Counter(script for _, script in set(zip(forms, scripts, strict=True)))
    names = sorted(counts, key=lambda name: (n_forms[name] == 1, -counts[name], name))
    return names, sum(n > 1 for n in n_forms.values()) or len(names)


def _names(forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[int]) -> set[int]:
    """Return the ids of tags with which capitalised forms have capitalised lemmas.

    >>> _names(["Ann", "Eve", "Rio", "Ox"], ["Ann", "Eve", "Rio", "ox"], [1, 1, 1, 2])
    {1}
    """
    counts: defaultdict[int, Counter[bool]] = defaultdict(Counter)
    for form, lemma, given in {*zip(forms, lemmas, tags, strict=True)}:
        if form.istitle():
            counts[given][lemma[:1].isupper()] += 1
    return {
        given
        for given, seen in counts.items()
        if seen[True] >= LEAST_NAMES and seen[True] >= NAMES * seen.total()
    }


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


def learn_unknown_lemmas(
    forms: Sequence[str],
    lemmas: Sequence[str],
    tags: Sequence[int],
    number: Mapping[str, int],
    listed: Sequence[ListedLemma] = (),
) -> tuple[UnknownLemmas, list[str]]:
    """Learn from the words of a treebank and of a list; also return scripts of exceptions alone.

    `number` has the ids of all other scripts.
    """
    found = _types(forms, lemmas, tags)
    known = {*lemmas, *(lemma for _, lemma, _ in listed)}
    prefixes = _prefixes(known)
    exceptions = _exceptions(found) if prefixes else {}
    exceptions |= _listed(found, listed)
    numbers = dict(number)
    endings = {
        key: numbers.setdefault(_ending_script(key[0], lemma), len(numbers))
        for key, lemma in sorted(exceptions.items())
    }
    usual = [(given, number[script]) for given, script in _usual(found) if script in number]
    if not _are_shared(found):
        usual = []
    cuts = sorted(_cuts(found, {script for _, script in usual}, number))
    unknown = UnknownLemmas(
        array("Q", [lemma_hash(form) for form, _ in endings]),
        array("I", [given for _, given in endings]),
        array("I", endings.values()),
        array("Q", sorted(map(lemma_hash, known))),
        array("Q", sorted(map(lemma_hash, prefixes))),
        array("I", [given for given, _ in usual]),
        array("I", [script for _, script in usual]),
        array("Q", [lemma_hash(ending) for ending, _ in cuts]),
        array("I", [script for _, script in cuts]),
        array("I", sorted(_names(forms, lemmas, tags))),
    )
    return unknown, list(numbers)[len(number) :]


def _prefixes(lemmas: set[str]) -> list[str]:
    """Return the prefixes of several lemmas.

    >>> _prefixes({"build", "turn", "open", "rebuild", "return", "reopen"})
    ['re']
    """
    counts = Counter(
        lemma[:n]
        for lemma in lemmas
        for n in range(2, min(LONGEST_PREFIX, len(lemma) - SHORTEST) + 1)
        if lemma[n:] in lemmas
    )
    return sorted(prefix for prefix, n in counts.items() if n >= PREFIXED)


def _types(
    forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[int]
) -> dict[TaggedForm, str]:
    """Return the most frequent lemma of each tagged form of letters only."""
    seen: defaultdict[TaggedForm, Counter[str]] = defaultdict(Counter)
    for form, lemma, given in zip(forms, lemmas, tags, strict=True):
        if form.isalpha() and len(form.lower()) == len(form):
            seen[form.lower(), given][lemma] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in seen.items()}


def _exceptions(found: Mapping[TaggedForm, str]) -> dict[TaggedForm, str]:
    """Return the tagged forms whose script differs from most others with the same ending."""
    scripts = {key: lemma_script(key[0], lemma) for key, lemma in found.items()}
    alike: defaultdict[TaggedForm, Counter[str]] = defaultdict(Counter)
    # scripts of the form itself and of forms that end in it
    made_of: defaultdict[TaggedForm, Counter[str]] = defaultdict(Counter)
    for (form, given), script in scripts.items():
        for n in range(1, LETTERS + 1):
            alike[form[-n:], given][script] += 1
        for i in range(len(form) - SHORTEST + 1):
            if (form[i:], given) in found:
                made_of[form[i:], given][script] += 1
    return {
        key: lemma
        for key, lemma in found.items()
        if len(key[0]) >= SHORTEST and _is_exception(key, scripts[key], alike, made_of[key])
    }


def _listed(
    found: Mapping[TaggedForm, str], listed: Iterable[ListedLemma]
) -> dict[TaggedForm, str]:
    """Return the listed forms; with ANY tags if a form has one lemma only."""
    types = {(form.lower(), given): lemma for form, lemma, given in listed}
    lemmas: defaultdict[str, set[str]] = defaultdict(set)
    for (form, _), lemma in ({**found} | types).items():
        lemmas[form].add(lemma)
    return {
        (form, given if len(lemmas[form]) > 1 else ANY): lemma
        for (form, given), lemma in types.items()
    }


def _is_exception(
    key: TaggedForm, script: str, alike: Mapping[TaggedForm, Counter[str]], made_of: Counter[str]
) -> bool:
    form, given = key
    for n in range(LETTERS, 0, -1):
        others = alike[form[-n:], given] - made_of
        if others.total():
            return 2 * others[script] < others.total()
    return True


def _ending_script(form: str, lemma: str) -> str:
    """Return a script for all words that end in this form, which keeps their beginnings.

    >>> [_ending_script(*pair).split() for pair in (("built", "build"), ("went", "go"))]
    [['lower', '0', '1', 'd'], ['lower', '0', '4', 'go']]
    """
    script = lemma_script(form, lemma)
    fields = script.split("\t")
    if fields[:3] == ["lower", "0", ""]:
        return script
    return "\t".join(("lower", "0", "", str(len(form)), lemma))


def _are_shared(found: Mapping[TaggedForm, str]) -> bool:
    """Whether forms share lemmas, so that an unknown form is likely to have a known lemma.

    In Korean, lemmas spell out the parts of the form, and few are shared (without this test ko
    drops from 87.3 to 85.0; in other languages 30% or more are shared).

    >>> _are_shared({("oaks", 1): "oak", ("oak", 2): "oak"}), _are_shared({("oaks", 1): "oak+s"})
    (True, False)
    """
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for (form, _), lemma in found.items():
        forms[lemma].add(form)
    return sum(len(forms[lemma]) > 1 for lemma in found.values()) >= SHARED * len(found)


def _cuts(
    found: Mapping[TaggedForm, str], usual: set[int], number: Mapping[str, int]
) -> set[tuple[str, int]]:
    """Return what usual scripts cut off at the end of forms.

    An ending includes the character before it ("rring" of "stirring", not of "wavering"), unless it
    was cut off after many different ones ("ed").
    """
    before: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for (form, _), lemma in found.items():
        script = lemma_script(form, lemma)
        n_cut = 0 if script.startswith("whole") else int(script.split("\t")[3])
        if n_cut and number.get(script) in usual:
            before[form[-n_cut:], number[script]].add(form[-n_cut - 1 : -n_cut])
    return {
        (character + ending, script)
        for (ending, script), characters in before.items()
        for character in (characters if len(characters) < AFTER else [""])
    }


def _usual(found: Mapping[TaggedForm, str]) -> list[tuple[int, str]]:
    """Return the most frequent scripts for each id of tags."""
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for (form, given), lemma in found.items():
        script = lemma_script(form, lemma)
        counts[given][script] += script.startswith("lower")
    return [
        (given, script)
        for given, seen in sorted(counts.items())
        for script, n in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:USUAL]
        if n >= LEAST
    ]
