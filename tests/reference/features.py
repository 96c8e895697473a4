"""Reference implementation of the feature extractor.

A feature is a template and the values of its parts, as strings. A template with an empty slot has
no feature.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reference.search import Arc

Feature = tuple[str, ...]  # the template, then a value for each part


class View(NamedTuple):
    """A state, the columns of its sentence, and the position of the artificial root 0."""

    stack: Sequence[int]
    buffer: Sequence[int]
    arcs: Iterable[Arc]
    columns: Mapping[str, Sequence[str]]
    root: str

    def position(self, node: int) -> int:
        """Return the position of a node; the root is before or after all words."""
        n_words = len(self.columns["form"])
        return n_words + 1 if node == 0 and self.root == "last" else node

    def children(self, node: int, *, left: bool) -> list[int]:
        """Return the dependents on one side, outermost first."""
        dependents = [dependent for head, _, dependent in self.arcs if head == node]
        here = self.position(node)
        side = [word for word in dependents if (word < here) == left]
        return sorted(side, reverse=not left)

    def start(self, name: str) -> int | None:
        """Return the node of s0 … or b0 …; an absent root counts as below the stack."""
        depth = int(name[1:])
        if name[0] == "s" and depth == len(self.stack) and self.root == "none":
            return 0
        row = list(reversed(self.stack)) if name[0] == "s" else list(self.buffer)
        return row[depth] if depth < len(row) else None

    def follow(self, node: int, relation: str) -> int | None:
        """Return the head or a child of a node."""
        if relation == "head":
            return next((head for head, _, dependent in self.arcs if dependent == node), None)
        row = self.children(node, left=relation.startswith("left"))
        nth = 1 if relation.endswith("2") else 0
        return row[nth] if nth < len(row) else None

    def node(self, slot: Sequence[str]) -> int | None:
        """Return the node of a slot such as s0.head.left."""
        node = self.start(slot[0])
        for relation in slot[1:]:
            if node is not None:
                node = self.follow(node, relation)
        return node

    def word_value(self, node: int, attribute: str) -> str:
        if node == 0:
            return "the root"
        if attribute == "tag":
            return f"{self.columns['upos'][node - 1]} {self.columns['xpos'][node - 1]}"
        if attribute.startswith("feats:"):
            pairs = [pair.split("=", 1) for pair in self.columns["feats"][node - 1].split("|")]
            return dict(pair for pair in pairs if len(pair) == 2).get(attribute[6:], "")
        return self.columns[attribute][node - 1]

    def value(self, node: int, attribute: str) -> str:
        label_of = {dependent: label for _, label, dependent in self.arcs}
        if attribute == "label":
            return label_of.get(node, "no label")
        if attribute in ("n_left", "n_right"):
            return str(len(self.children(node, left=attribute == "n_left")))
        if attribute in ("left_labels", "right_labels"):
            children = self.children(node, left=attribute == "left_labels")
            return " ".join(sorted({label_of[child] for child in children}))
        return self.word_value(node, attribute)

    def distance(self, left: str, right: str) -> str | None:
        """Return the distance of two slots: 0 if swapped, exact up to 5, then 6-10, then more."""
        s, b = self.start(left), self.start(right)
        if s is None or b is None:
            return None
        distance = max(0, self.position(b) - self.position(s))
        return str(distance) if distance <= 5 else "6-10" if distance <= 10 else "more"

    def part(self, text: str) -> str | None:
        """Return the value of a part such as s0.head.tag; None if the slot is empty."""
        if text == "distance":
            return self.distance("s0", "b0")
        if text == "stack_distance":
            return self.distance("s1", "s0")
        if text == "buffer_distance":
            return self.distance("b0", "b1")
        *slot, attribute = text.split(".")
        node = self.node(slot)
        return None if node is None else self.value(node, attribute)

    def feature(self, template: str) -> Feature | None:
        """Return the feature of a template; None if one of its slots is empty."""
        values = [self.part(part.strip()) for part in template.split("+")]
        filled = [value for value in values if value is not None]
        return (template, *filled) if len(filled) == len(values) else None


def template_lines(text: str) -> list[str]:
    """Return the templates of a file, without comments and blank lines."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]
