"""Enhanced dependencies (the DEPS column of CoNLL-U) as graphs over the words of a sentence.

A graph is a set of arcs (head, label, dependent). Empty nodes (`8.1`) are not words, so a path
through them is contracted to one arc: `27:conj` into 33.1 and `33.1:nsubj` into 33 give (27,
"conj>nsubj", 33), as in the evaluation of the IWPT shared tasks (Bouma, Seddah & Zeman 2020, 2021).
Such arcs are also written this way. Two arcs with different labels between the same words are kept
apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.graphs.node_paths import Heads, TooManyPathsError, paths_up
from dodona.treebank.sentence import Sentence

GraphArc: TypeAlias = tuple[int, str, int]  # head, label, dependent


def enhanced_graph(sentence: Sentence) -> frozenset[GraphArc]:
    """Return the arcs in the DEPS column, with paths through empty nodes contracted.

    An arc from a word to itself, which only a path through empty nodes can produce, is kept here;
    no transition system can build it. A few empty nodes can form a million paths, so the length of
    all paths in a sentence is limited (`node_paths.MOST_STEPS`).

    >>> s = Sentence.from_columns(["Oaks", "speak"], deps=["2:nsubj", "0:root"])
    >>> sorted(enhanced_graph(s))
    [(0, 'root', 2), (2, 'nsubj', 1)]
    """
    heads = _heads_by_node(sentence)
    words = [str(word) for word in range(1, len(sentence) + 1)]
    try:
        return frozenset((head, label, word) for word, head, label in paths_up(heads, words))
    except TooManyPathsError as error:
        raise _error(sentence, error.node, str(error)) from None


def with_graph(sentence: Sentence, arcs: Iterable[GraphArc]) -> Sentence:
    """Return the sentence with these arcs as its DEPS column, "_" for words without any.

    Empty nodes of the sentence stay as they are, but no word refers to them any more.

    >>> s = Sentence.from_columns(["Oaks", "speak"])
    >>> with_graph(s, [(0, "root", 2), (2, "nsubj", 1), (0, "dep", 1)]).deps
    ['0:dep|2:nsubj', '0:root']
    """
    by_word: list[list[tuple[int, str]]] = [[] for _ in range(len(sentence))]
    for head, label, word in arcs:
        if not (0 <= head <= len(sentence) and 1 <= word <= len(sentence)):
            raise ValueError(
                f"arc from {head} to {word}, but the sentence has {len(sentence)} words"
            )
        by_word[word - 1].append((head, label))
    texts = ["|".join(f"{head}:{label}" for head, label in sorted(found)) for found in by_word]
    return sentence.replace(deps=[text or "_" for text in texts])


def _heads_by_node(sentence: Sentence) -> Heads:
    """Return the heads of every word and, where DEPS refers to any, of every empty node."""
    columns: Iterable[tuple[str, str]]
    columns = ((str(word), deps) for word, deps in enumerate(sentence.deps, 1))
    if any("." in deps for deps in sentence.deps):
        columns = _columns(sentence)
    heads = {node: list(_parse(sentence, node, deps)) for node, deps in columns}
    for node, found in heads.items():
        for head, _ in found:
            if head != "0" and head not in heads:
                raise _error(sentence, node, f"has enhanced head {head}, which does not exist")
    return heads


def _columns(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield the id and DEPS of words and empty nodes."""
    for line in _lines(sentence):
        fields = line.split("\t")
        if len(fields) == 10 and "-" not in fields[0] and not line.startswith("#"):
            yield fields[0], fields[8]


def _lines(sentence: Sentence) -> list[str]:
    # not `splitlines`, which also splits at characters that may be part of words
    return str(sentence).removeprefix("\ufeff").split("\n")


def _parse(sentence: Sentence, node: str, deps: str) -> Iterator[tuple[str, str]]:
    for dep in [] if deps == "_" else deps.split("|"):
        head, _, label = dep.partition(":")
        whole, point, part = head.partition(".")
        if not (label and whole.isdecimal() and (part.isdecimal() or not point)):
            raise _error(sentence, node, f"has DEPS {deps!r}; expected head:label|head:label …")
        yield head, label


def _error(sentence: Sentence, node: str, message: str) -> TreebankError:
    ids = [line.partition("\t")[0] for line in _lines(sentence)]
    return TreebankError(sentence.source, sentence.line + ids.index(node), f"word {node} {message}")
