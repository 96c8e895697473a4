"""Paths from words up through empty nodes to other words, each with the labels along it.

No path passes a node twice. Paths share their upper ends, so that a chain of nodes costs no more
than its length, and paths with the same labels count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from dodona.errors import DodonaError
from dodona.treebank.graphs.components import components

Heads: TypeAlias = dict[str, list[tuple[str, str]]]  # id of a node → (id of a head, label)
Path: TypeAlias = int  # number of a path; ~7 is the empty path that starts at word 7

# Steps along paths per word and node of a sentence: at most 0.3 in 10,000 sentences of UD. Sixteen
# pairs of nodes above each other have 65,536 paths.
MOST_STEPS = 100


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
