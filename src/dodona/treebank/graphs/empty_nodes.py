"""Empty nodes of enhanced dependencies (`8.1`), made again from arcs that lead through them.

A parser knows words only, so a path through an empty node is one arc to it, whose label tells the
way: conj>nsubj. Arcs from the same head that begin the same way lead through the same node, which
gets its place behind the first of their dependents. Reading the graph again gives the same arcs.
"""

from __future__ import annotations

import io
import re

from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

THROUGH = ">"
EMPTY_NODE = re.compile(rb"^[0-9]+\.[0-9]+\t.*\n?", re.MULTILINE)
WORD = re.compile(rb"^(?:\xef\xbb\xbf)?([0-9]+)\t")  # a file may begin with its byte order mark

Key = tuple[str, str]  # head, and label of the arc from there to a node


def with_empty_nodes(sentence: Sentence) -> Sentence:
    """The sentence with empty nodes where its DEPS column names a way through them, and no others.

    >>> s = Sentence.from_columns(["Oaks", "and", "doves"], deps=["0:root", "_", "1:conj>nsubj"])
    >>> node = str(with_empty_nodes(s)).splitlines()[-2].split()
    >>> node[0], node[8]
    ('3.1', '1:conj')
    """
    nodes = _Nodes()
    deps = [nodes.through(word, column) for word, column in enumerate(sentence.deps, 1)]
    text = EMPTY_NODE.sub(b"", bytes(sentence.replace(deps=deps)))
    lines = []
    for line in text.split(b"\n"):  # not splitlines: a word may hold another kind of end
        lines.append(line)
        if word := WORD.match(line):
            end = b"\r" if line.endswith(b"\r") else b""
            lines += [row.encode() + end for row in nodes.rows(int(word[1]))]
    file = io.BytesIO(b"\n".join(lines))
    [made] = read(file, trees="ignored", format=sentence.format, name=sentence.source)
    return made


class _Nodes:
    """The nodes that were asked for, each known by how it is reached."""

    def __init__(self) -> None:
        self.ids: dict[Key, str] = {}
        self.behind: dict[int, list[tuple[str, str]]] = {}  # word → id and DEPS of nodes behind it

    def through(self, word: int, deps: str) -> str:
        """The DEPS of a word with heads that are nodes instead of ways through them."""
        if THROUGH not in deps:
            return deps
        return "|".join(self._dep(word, *dep.partition(":")[::2]) for dep in deps.split("|"))

    def _dep(self, word: int, head: str, label: str) -> str:
        *way, last = label.split(THROUGH)
        for step in way:
            head = self._node(word, head, step)
        return f"{head}:{last}"

    def _node(self, word: int, head: str, label: str) -> str:
        if (head, label) not in self.ids:
            found = self.behind.setdefault(word, [])
            self.ids[head, label] = f"{word}.{len(found) + 1}"
            found.append((self.ids[head, label], f"{head}:{label}"))
        return self.ids[head, label]

    def rows(self, word: int) -> list[str]:
        """The lines of the nodes behind a word."""
        blank = "\t".join("_" * 7)
        return [f"{node}\t{blank}\t{deps}\t_" for node, deps in self.behind.get(word, [])]
