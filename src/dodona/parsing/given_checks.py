"""Refusal of given heads, labels and spans that no tree can have together, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from dodona.parsing.given import Given, GivenError
from dodona.records import record, replace
from dodona.treebank.sentence import Sentence

Heads = Mapping[int, int]


@record(frozen=True)
class TreeKind:
    """The trees that a parser builds."""

    system: str
    is_projective: bool
    has_one_root: bool
    root_label: str
    most_words: int = 0  # of a sentence; 0: any number


def checked(given: Given, sentence: Sentence, kind: TreeKind) -> Given:
    """Return what is given, with the heads that labels of the root imply; refuse contradictions."""
    name = _Names(sentence)
    roots = {d: 0 for d, label in given.labels.items() if label == kind.root_label}
    given = replace(given, heads={**roots, **given.heads})
    problem = next(_problems(given, len(sentence), kind, name), None)
    if problem is not None:
        where = f"sentence {sentence.sent_id}: " if sentence.sent_id else ""
        raise GivenError(f"{where}{problem}")
    return given


class _Names:
    """Words as messages name them."""

    def __init__(self, sentence: Sentence) -> None:
        self.forms = sentence.forms

    def __call__(self, word: int) -> str:
        return f"{word} ({self.forms[word - 1]})" if word else "the root"

    def arc(self, word: int, heads: Heads) -> str:
        return f"{self(heads[word])} → {self(word)}"


def _problems(given: Given, n_words: int, kind: TreeKind, name: _Names) -> Iterator[str]:
    """Yield what makes it impossible to keep all that is given; earlier checks guard later ones."""
    heads = given.heads
    if heads and 0 < kind.most_words < n_words:
        yield (
            f"{kind.system} keeps heads in sentences of up to {kind.most_words:,} words, not "
            f"{n_words:,}, which would take too long; use another system, such as arc-hybrid"
        )
    for word in (
        *heads,
        *given.labels,
        *given.tags,
        *(end for span in given.spans for end in span),
    ):
        if not 1 <= word <= n_words:
            yield f"word {word} is given, but the sentence has {n_words} words"
    for word, head in heads.items():
        if not 0 <= head <= n_words:
            yield f"word {name(word)} is given head {head}, but the sentence has {n_words} words"
        if cycle := _cycle(word, heads):
            yield f"the given heads form a cycle: {' → '.join(map(name, cycle))}"
    roots = [word for word, head in heads.items() if head == 0]
    if kind.has_one_root and len(roots) > 1:
        yield (
            f"words {' and '.join(map(name, roots))} are both given under the root, which has one "
            'word only; roots="many" (--roots many) allows several'
        )
    yield from _span_problems(given, name)
    if kind.is_projective:
        advice = (
            f"which {kind.system} cannot build; a model that was trained with --system swap can"
        )
        for word, other in crossings(heads):
            if other in heads:
                arcs = f"{name.arc(other, heads)} and {name.arc(word, heads)}"
                yield f"the given arcs {arcs} cross, {advice}"
            arc = name.arc(word, heads)
            yield f"the given arc {arc} spans {name(other)}, on which it depends, {advice}"
    if not roots and not [*root_candidates(given, heads, n_words, kind)]:
        yield "no word is left that could be the root, according to the given heads and labels"


def _cycle(word: int, heads: Heads) -> list[int]:
    """Return a path of given heads from a word to itself, or []."""
    path = [word]
    while heads.get(path[-1], 0):
        path.append(heads[path[-1]])
        if path[-1] == word:
            return path
        if len(path) > len(heads) + 1:  # a cycle above the word
            break
    return []


def _span_problems(given: Given, name: _Names) -> Iterator[str]:
    for first, last in given.spans:
        if first > last:
            yield f"the span {first}-{last} ends before it begins"
        tops = tops_of(first, last, given.heads)
        if len(tops) > 1:
            arcs = " and ".join(name.arc(word, given.heads) for word in tops[:2])
            yield f"two words of the span {first}-{last} are given heads outside of it: {arcs}"
        for top in tops:
            if any(first <= word <= last for word in ancestors(top, given.heads)):
                yield (
                    f"word {name(top)} of the span {first}-{last} is given a head outside of it "
                    "that depends on another word of the span"
                )
    for one, other in combinations(sorted(given.spans), 2):
        if one[0] < other[0] <= one[1] < other[1]:
            yield f"the spans {one[0]}-{one[1]} and {other[0]}-{other[1]} cross"


def tops_of(first: int, last: int, heads: Heads) -> list[int]:
    """Return the words of a span whose heads are known to be outside of it.

    >>> tops_of(2, 4, {1: 2, 2: 3, 3: 1, 4: 0})
    [3, 4]
    """
    return [d for d in range(first, last + 1) if not first <= heads.get(d, d) <= last]


def ancestors(word: int, heads: Heads) -> list[int]:
    """Return the known ancestors of a word among words, the nearest first.

    >>> ancestors(1, {1: 2, 2: 3, 3: 0})
    [2, 3]
    """
    found: dict[int, None] = {}  # in order, and quick to search
    while (word := heads.get(word, 0)) and word not in found:
        found[word] = None
    return [*found]


def crossings(heads: Heads) -> Iterator[tuple[int, int]]:
    """Yield the words of crossing arcs, and words whose arcs span a topmost word above them.

    Without any, the heads are part of a projective tree.

    >>> [*crossings({1: 3, 4: 2})], [*crossings({1: 3, 3: 2})], [*crossings({1: 3, 3: 4})]
    ([(4, 1)], [(1, 2)], [])
    """
    arcs = sorted((min(word, head), -max(word, head), word) for word, head in heads.items())
    around: list[tuple[int, int]] = []  # ends of the arcs around a word, the innermost last
    for first, minus_last, word in arcs:
        while around and around[-1][0] <= first:
            around.pop()
        if around and around[-1][0] < -minus_last:
            yield word, around[-1][1]
        around.append((-minus_last, word))
    for word, head in heads.items():
        top = [word, *ancestors(word, heads)][-1]
        if min(word, head) < top < max(word, head) and top not in heads:
            yield word, top


def can_add(word: int, head: int, heads: Heads, kind: TreeKind) -> bool:
    """Return whether there is a tree with these heads and one more.

    >>> kind = TreeKind("arc-eager", True, True, "root")
    >>> can_add(4, 2, {1: 3}, kind), can_add(3, 1, {1: 3}, kind), can_add(4, 3, {1: 3}, kind)
    (False, False, True)
    """
    more = {**heads, word: head}
    return not _cycle(word, more) and not (kind.is_projective and any(crossings(more)))


def root_candidates(given: Given, heads: Heads, n_words: int, kind: TreeKind) -> Iterator[int]:
    """Yield the words that can still be under the root."""
    covered: set[int] = set()
    if kind.is_projective:
        for word, head in heads.items():
            covered.update(range(min(word, head) + 1, max(word, head)))
    for first, last in given.spans:
        if tops_of(first, last, heads):
            covered.update(range(first, last + 1))
    for word in range(1, n_words + 1):
        is_free = word not in heads and word not in covered
        if is_free and given.labels.get(word, kind.root_label) == kind.root_label:
            yield word
