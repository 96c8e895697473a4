"""Enhanced dependencies (the DEPS column of CoNLL-U) as graphs over the words of a sentence.

A graph is a set of arcs (head, label, dependent). Empty nodes (`8.1`) are not words, so a path
through them is contracted to one arc: `27:conj` into 33.1 and `33.1:nsubj` into 33 give (27,
"conj>nsubj", 33), as in the evaluation of the IWPT shared tasks (Bouma, Seddah & Zeman 2020, 2021).
Such arcs are also written this way. Two arcs with different labels between the same words are kept
apart.

No path passes a node twice. Paths share their upper ends, so that a chain of nodes costs no more
than its length, and paths with the same labels count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from dodona.errors import DodonaError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.sentence import Sentence

T = TypeVar("T", bound=Hashable)
Heads: TypeAlias = dict[str, list[tuple[str, str]]]  # id of a node → (id of a head, label)
Path: TypeAlias = int  # number of a path; ~7 is the empty path that starts at word 7
# Steps along paths per word and node of a sentence: at most 0.3 in 10,000 sentences of UD. Sixteen
# pairs of nodes above each other have 65,536 paths.
MOST_STEPS = 100
GraphArc: TypeAlias = tuple[int, str, int]  # head, label, dependent


def components(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> Iterator[list[T]]:
    """Yield the strongly connected components (Tarjan 1972) that can be reached from the starts.

    A component comes after every other one that it leads to. There is no recursion: chains may have
    any length.

    >>> list(components("a", {"a": "b", "b": "c", "c": "bd", "d": ""}.__getitem__))
    [['d'], ['c', 'b'], ['a']]
    """
    lowest: dict[T, int] = {}  # the smallest number known to be reached
    path: list[tuple[T, int, Iterator[T]]] = []  # node, its number, its remaining successors
    waiting: list[T] = []  # visited, and not in a component yet
    done: set[T] = set()

    def visit(node: T) -> None:
        path.append((node, len(lowest), iter(following(node))))
        lowest[node] = len(lowest)
        waiting.append(node)

    for start in starts:
        if start not in lowest:
            visit(start)
        while path:
            node, number, rest = path[-1]
            for other in rest:
                if other not in lowest:
                    visit(other)
                    break
                if other not in done:
                    lowest[node] = min(lowest[node], lowest[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number:
                    found = [waiting.pop()]
                    while found[-1] != node:
                        found.append(waiting.pop())
                    done.update(found)
                    yield found


class TooManyPathsError(DodonaError, ValueError):
    """The heads of empty nodes form more paths than any annotation means."""

    def __init__(self, node: str, most_steps: int) -> None:
        super().__init__(
            "has too many or too long paths up through empty nodes: in this sentence they take "
            f"more than {most_steps:,} steps, {MOST_STEPS} for each word and node; give its empty "
            "nodes fewer heads"
        )
        self.node = node


def paths_up(heads: Heads, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (word, head, label) for each path from a word up to another, or to the root.

    >>> heads = {"1": [("0", "root")], "2": [("2.1", "nsubj")], "2.1": [("1", "conj")]}
    >>> list(paths_up(heads, ["1", "2"]))
    [(1, 0, 'root'), (2, 1, 'conj>nsubj')]
    """
    paths = _Paths(heads, words)
    for word in words:
        for head, label in heads[word]:
            if not _is_empty(head):
                yield int(word), int(head), label
            else:
                for top, above in paths.labels_down_to(head, word):
                    yield int(word), top, f"{above}>{label}"


def _is_empty(node: str) -> bool:
    return "." in node


class _Paths:
    """The paths down to every empty node above the words."""

    def __init__(self, heads: Heads, words: Iterable[str]) -> None:
        self.heads = heads
        self.most_steps = MOST_STEPS * len(heads)
        self.n_steps = 0
        self.steps: list[tuple[Path, str]] = []  # of each path: the path it extends, its last label
        self.numbers: dict[tuple[Path, str], Path] = {}  # the inverse of `steps`
        self.down_to: dict[str, set[Path]] = {}
        starts = (node for word in words for node in self._nodes_above(word))
        for component in components(starts, self._nodes_above):
            for node in component:
                self.down_to[node] = self._find(node, set(component))

    def labels_down_to(self, node: str, word: str) -> Iterator[tuple[int, str]]:
        """Yield (word at the top, labels) of each path down to an empty node, a head of `word`."""
        for path in self.down_to[node]:
            labels = []
            while path >= 0:
                path, label = self.steps[path]
                labels.append(label)
            self._count(len(labels), word)
            yield ~path, ">".join(reversed(labels))

    def _nodes_above(self, node: str) -> Iterator[str]:
        return (head for head, _ in self.heads[node] if _is_empty(head))

    def _find(self, node: str, component: set[str]) -> set[Path]:
        """Search a component depth first for the paths down to a node.

        The paths to nodes above the component are known.
        """
        found: set[Path] = set()
        passed, labels = {node: iter(self.heads[node])}, [""]
        while passed:
            for head, label in passed[next(reversed(passed))]:
                if head not in component:
                    below = [label, *reversed(labels[1:])]
                    paths = self.down_to[head] if _is_empty(head) else {~int(head)}
                    found.update(self._extend(path, below) for path in paths)
                    self._count(len(paths) * len(below), node)
                elif head not in passed:
                    passed[head] = iter(self.heads[head])
                    labels.append(label)
                    self._count(1, node)
                    break
            else:
                passed.popitem()
                labels.pop()
        return found

    def _extend(self, path: Path, labels: Iterable[str]) -> Path:
        for label in labels:
            if (path, label) not in self.numbers:
                self.numbers[path, label] = len(self.steps)
                self.steps.append((path, label))
            path = self.numbers[path, label]
        return path

    def _count(self, n_steps: int, node: str) -> None:
        self.n_steps += n_steps
        if self.n_steps > self.most_steps:
            raise TooManyPathsError(node, self.most_steps)


def enhanced_graph(sentence: Sentence) -> frozenset[GraphArc]:
    """Return the arcs in the DEPS column, with paths through empty nodes contracted.

    An arc from a word to itself, which only a path through empty nodes can produce, is kept here;
    no transition system can build it. A few empty nodes can form a million paths, so the length of
    all paths in a sentence is limited (`MOST_STEPS`).

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
    n = len(sentence)
    by_word: list[list[tuple[int, str]]] = [[] for _ in range(n)]
    for head, label, word in arcs:
        if not (0 <= head <= n and 1 <= word <= n):
            raise ValueError(f"arc from {head} to {word}, but the sentence has {n} words")
        by_word[word - 1].append((head, label))
    texts = ["|".join(f"{head}:{label}" for head, label in sorted(found)) for found in by_word]
    return sentence.replace(deps=[text or "_" for text in texts])


def _heads_by_node(sentence: Sentence) -> Heads:
    """Return the heads of every word and, where DEPS refers to any, of every empty node."""
    has_nodes = any("." in deps for deps in sentence.deps)
    words = ((str(word), deps) for word, deps in enumerate(sentence.deps, 1))
    columns = _columns(sentence) if has_nodes else words
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
    return bytes(sentence).decode().removeprefix("\ufeff").split("\n")


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
