"""Reconstruction of the empty nodes (`8.1`) of enhanced dependencies from contracted paths.

To a parser, a path through an empty node is one arc, whose label lists the labels along the path:
conj>nsubj. Arcs from the same head with the same first label pass through the same node, which is
placed after the first of their dependents. Reading the graph again gives the same arcs.
"""

from __future__ import annotations

import io
import re

from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

THROUGH = ">"
BLANK = "\t_" * 7 + "\t"  # the columns between ID and DEPS
EMPTY_NODE = re.compile(rb"^[0-9]+\.[0-9]+\t.*\n?", re.MULTILINE)
WORD = re.compile(rb"^(?:\xef\xbb\xbf)?([0-9]+)\t")  # after an optional byte order mark

NodeKey = tuple[str, str]  # head of a node, and label of the arc to it


def with_empty_nodes(sentence: Sentence) -> Sentence:
    """Return the sentence with exactly the empty nodes that the labels in DEPS pass through.

    >>> s = Sentence.from_columns(["Oaks", "and", "doves"], deps=["0:root", "_", "1:conj>nsubj"])
    >>> node = with_empty_nodes(s).to_conllu().splitlines()[-2].split()
    >>> node[0], node[8]
    ('3.1', '1:conj')
    """
    nodes = _Nodes()
    deps = [nodes.through(word, column) for word, column in enumerate(sentence.deps, 1)]
    text = EMPTY_NODE.sub(b"", bytes(sentence.replace(deps=deps)))
    lines = []
    for line in text.split(b"\n"):  # not splitlines: a word may contain other line ends
        lines.append(line)
        if word := WORD.match(line):
            end = b"\r" if line.endswith(b"\r") else b""
            rows = (f"{node}{BLANK}{deps}\t_" for node, deps in nodes.after.get(int(word[1]), ()))
            lines += [row.encode() + end for row in rows]
    file = io.BytesIO(b"\n".join(lines))
    [made] = read(file, trees="ignored", format=sentence.format, name=sentence.source)
    return made


class _Nodes:
    """The empty nodes of a sentence, identified by head and label."""

    def __init__(self) -> None:
        self.ids: dict[NodeKey, str] = {}
        self.after: dict[int, list[tuple[str, str]]] = {}  # word → id and DEPS of nodes after it

    def through(self, word: int, deps: str) -> str:
        """Return the DEPS of a word with empty nodes as heads in place of contracted paths."""
        if THROUGH not in deps:
            return deps
        arcs = []
        for dep in deps.split("|"):
            head, _, labels = dep.partition(":")
            *path, last = labels.split(THROUGH)
            for label in path:
                if (head, label) not in self.ids:
                    found = self.after.setdefault(word, [])
                    self.ids[head, label] = f"{word}.{len(found) + 1}"
                    found.append((self.ids[head, label], f"{head}:{label}"))
                head = self.ids[head, label]
            whole, _, part = head.partition(".")
            arcs.append((int(whole), int(part or 0), f"{head}:{last}"))
        return "|".join(text for _, _, text in sorted(arcs))
