"""Spans, and labels without heads: kept by giving more heads, wherever a tree does not keep them.

A search keeps given arcs exactly. A span or a label without a head can be kept by many sets of
arcs, and most trees keep it unasked. Where one does not, the fewest arcs that would mend it are
given as well, and the sentence is parsed again: at most once for each of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dodona.parsing.given import Given, GivenError
from dodona.parsing.given_checks import TreeKind, ancestors, can_add, root_candidates, tops_of
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.pseudoprojective import plain


def tightened(given: Given, tree: Sequence[int], kind: TreeKind) -> dict[int, int]:
    """Return heads to give beside those that are; {} if the tree keeps every span and label.

    >>> kind = TreeKind("arc-eager", True, True, "root")
    >>> tightened(Given(spans=[(1, 2)]), [3, 3, 0], kind)
    {2: 1}
    """
    now, heads = dict(enumerate(tree, 1)), dict(given.heads)
    for first, last in sorted(given.spans, key=lambda span: span[1] - span[0]):
        if len(tops_of(first, last, now)) > 1:
            _join(first, last, heads, now, kind)
    for word, label in given.labels.items():
        if now[word] == 0 and label != kind.root_label and word not in heads:
            _move_from_root(word, given, heads, now, kind)
    return {word: head for word, head in heads.items() if word not in given.heads}


def _join(
    first: int, last: int, heads: dict[int, int], now: dict[int, int], kind: TreeKind
) -> None:
    """Attach all but one of the words whose heads are outside of a span to others inside.

    The new head is the nearest ancestor in the span or, for words without one, the word that stays;
    if that is impossible, the nearest word that is not.
    """
    span, tops = range(first, last + 1), tops_of(first, last, now)
    above = {word: next((one for one in ancestors(word, now) if one in span), 0) for word in tops}
    stays = _choose_top(span, sorted(tops, key=lambda word: above[word] > 0), heads, now, kind)
    for word in tops:
        if word != stays:
            likely = [one for one in (above[word], stays) if one]
            near = sorted(span, key=lambda one: abs(one - word))
            found = (one for one in likely + near if can_add(word, one, heads, kind))
            now[word] = heads[word] = _first(found, word, span)


def _choose_top(
    span: range, tops: list[int], heads: dict[int, int], now: dict[int, int], kind: TreeKind
) -> int:
    """Return the word of a span whose head is to be outside: one of these, if possible."""
    given = [word for word in span if heads.get(word, word) not in span]
    if given:
        return given[0]
    free = [*tops, *(word for word in span if word not in tops and word not in heads)]
    outside = [0, *(word for word in now if word not in span)]
    found = (
        word
        for word in free
        if any(
            can_add(word, head, heads, kind) for head in (now[word], *outside) if head not in span
        )
    )
    return _first(found, free[0], span)


def _first(found: Iterator[int], word: int, span: range) -> int:
    """Return the first of the words found; refuse a span without any."""
    for one in found:
        return one
    raise GivenError(
        f"word {word} cannot be part of the span {span[0]}-{span[-1]}, because of other given heads"
    )


def _move_from_root(
    word: int, given: Given, heads: dict[int, int], now: dict[int, int], kind: TreeKind
) -> None:
    """Put another word under the root, the topmost that can be, or use one that is there."""
    free = [*root_candidates(given, heads, len(now), kind)]
    others = [one for one in now if now[one] == 0 and (one in free or one in heads)]
    if others:
        heads[word] = now[word] = others[0]
    elif free:
        heads[min(free, key=lambda one: len(ancestors(one, now)))] = 0
    else:
        raise GivenError(f"word {word} can only be under the root, but its label is given")


def with_labels(sentence: Sentence, given: Given) -> Sentence:
    """Return a parsed sentence with the given labels; given arcs are not lifted ones."""
    labels = [
        given.labels.get(word, plain(label) if word in given.heads else label)
        for word, label in enumerate(sentence.deprels, 1)
    ]
    return sentence if labels == sentence.deprels else sentence.replace(deprels=labels)


def first_lost(given: Given, sentence: Sentence) -> int:
    """Return the first word whose given head or label a tree does not have; 0 if it has all.

    >>> tree = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> first_lost(Given({2: 0}, {1: "nsubj"}), tree), first_lost(Given({2: 0}, {1: "obj"}), tree)
    (0, 1)
    """
    rows = enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1)
    lost = (
        i for i, row in rows if row != (given.heads.get(i, row[0]), given.labels.get(i, row[1]))
    )
    return next(lost, 0)
