"""Repair of trees that break the rules of Universal Dependencies (`ud_rules`).

Searches obey the rules; what is left are dead ends, arcs that move after the tree is built, and
rules about complete trees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.trees.ud_rules import (
    ANY,
    MODIFIER,
    N_TAGS,
    PUNCTUATION,
    SPLIT,
    errors,
    is_crossed,
    late_errors,
)
from dodona.treebank.trees.word_kinds import TAGS
from dodona.treebank.universal import universal_part


def repair_tree(
    heads: Sequence[int],
    labels: Sequence[str],
    kinds: Sequence[int],
    known: Collection[str] = (),
) -> tuple[list[int], list[str]]:
    """Return the tree without errors; `known` are labels that it may get beside universal ones.

    Dependents of leaves move up, other arcs get the label dep, and adjuncts of nouns nmod;
    punctuation moves to where its arc crosses no other.

    >>> from dodona.treebank.trees.word_kinds import kind_of
    >>> kinds = [kind_of(tag, "_") for tag in ("PRON", "VERB", "PUNCT", "NOUN")]
    >>> repair_tree([2, 0, 2, 3], ["nsubj", "root", "punct", "nsubj"], kinds)
    ([2, 0, 2, 2], ['nsubj', 'root', 'punct', 'dep'])
    """
    heads, labels = list(heads), list(labels)
    # the loop ends because words only move up and a label changes once
    while found := next(errors(heads, labels, kinds), None):
        i = found.word - 1
        if found.rule == "head":
            heads[i] = heads[heads[i] - 1]
        else:
            labels[i] = PUNCTUATION if TAGS[kinds[i] % N_TAGS] == "PUNCT" else ANY
    for word, rule in [*late_errors(heads, labels, kinds)]:
        if rule == "nominal":
            label = MODIFIER + labels[word - 1].removeprefix(universal_part(labels[word - 1]))
            labels[word - 1] = label if label in known else MODIFIER
        else:
            heads[word - 1] = next(_places(word, heads, labels), heads[word - 1])
    return heads, labels


def _places(word: int, heads: Sequence[int], labels: Sequence[str]) -> Iterator[int]:
    """Yield the words that a punctuation mark can depend on, the most suitable first.

    These are ancestors of its head, then the highest ones of its neighbours.
    """
    paths = [_path_up(heads[word - 1], heads)]
    paths += [_path_up(near, heads)[::-1] for near in (word - 1, word + 1) if near <= len(heads)]
    for head in (head for path in paths for head in path):
        if universal_part(labels[head - 1]) != SPLIT and word not in _path_up(head, heads):
            moved = [*heads[: word - 1], head, *heads[word:]]
            if not is_crossed(word, moved, nonprojective_arcs(moved)):
                yield head


def _path_up(word: int, heads: Sequence[int]) -> list[int]:
    """Return the word and its ancestors; nothing for the root."""
    path = []
    while word:
        path.append(word)
        word = heads[word - 1]
    return path
