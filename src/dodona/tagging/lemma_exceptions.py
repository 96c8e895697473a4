"""Learning from a treebank how to lemmatise words that it does not contain.

A form is an exception if most others with the same tags and ending have another script: "built"
beside "tilted". An unknown word that consists of a prefix and an exception with the same tags gets
the exception's script: "rebuilt", "overthrew". Prefixes are those seen before several lemmas that
are also lemmas without them. All listed words are exceptions.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dodona.core.tagging.tag_task import ANY
from dodona.records import field, record
from dodona.tagging.lemma_correction import lemma_hash
from dodona.tagging.lemma_scripts import lemma_script

if TYPE_CHECKING:  # parsers start without reading a list
    from dodona.tagging.lemma_lexicon import ListedLemma

LETTERS = 3  # longest ending by which forms are compared
SHORTEST = 3  # characters of an exception
LONGEST_PREFIX = 8  # characters
PREFIXED = 3  # lemmas before which a prefix occurs
USUAL = 6  # most frequent scripts that are tried with the same tags
LEAST = 2  # forms that have such a script
SHARED = 0.1  # share of types with a lemma of another form, below which `usual` is not used
Numbers: TypeAlias = "array[int] | memoryview"
TaggedForm = tuple[str, int]  # a form in lower case, and the id of its tags (`join`)


@record(frozen=True)
class UnknownLemmas:
    """Data for lemmas of unknown words: exceptions, lemmas, prefixes, usual scripts."""

    endings: Numbers = field(default_factory=lambda: array("Q"))  # hashes of exceptions …
    tags: Numbers = field(default_factory=lambda: array("I"))  # … with these tags …
    scripts: Numbers = field(default_factory=lambda: array("I"))  # … have this script
    lemmas: Numbers = field(default_factory=lambda: array("Q"))
    prefixes: Numbers = field(default_factory=lambda: array("Q"))
    usual_tags: Numbers = field(default_factory=lambda: array("I"))  # tags …
    usual_scripts: Numbers = field(default_factory=lambda: array("I"))  # … and a script of theirs


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
    unknown = UnknownLemmas(
        array("Q", [lemma_hash(form) for form, _ in endings]),
        array("I", [given for _, given in endings]),
        array("I", endings.values()),
        array("Q", sorted(map(lemma_hash, known))),
        array("Q", sorted(map(lemma_hash, prefixes))),
        array("I", [given for given, _ in usual]),
        array("I", [script for _, script in usual]),
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
