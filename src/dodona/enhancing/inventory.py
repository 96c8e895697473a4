"""Patterns of paths and classes of arcs, learned from a treebank whose graphs accompany trees.

An arc of a graph is described by the path in the tree from its dependent to its head, and by a
class: how its label is made. "↑nsubj ↓xcomp" with the class (0, "@:xsubj") means that the subject
of a verb is also a subject of the verb's open complement, labelled as the arc of step 0 with :xsubj
appended. The parts of a class's label:

  @         the label of the step, as in the tree
  ~         its universal part: nsubj of nsubj:pass
  {case} …  a word or case of the sentence (`treebank.graphs.lexical_labels`)
  |         between two labels of arcs between the same words

Nothing else is known about a language. What its treebank does in the same way each time becomes a
rule, a pattern with a single class; the rest is left to the weights of an `Enhancer`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from dodona.enhancing.path_table import PathTable
from dodona.records import record
from dodona.storage.json_fields import check_column_values, read_field
from dodona.treebank.graphs.empty_nodes import THROUGH
from dodona.treebank.graphs.enhanced import GraphArc
from dodona.treebank.graphs.graphs import AND
from dodona.treebank.universal import universal_part

UP, DOWN = "↑", "↓"
LABEL, RELATION = "@", "~"
ROOT = "root"
MOST_STEPS = 4  # of a path: 99.99% of the arcs of en_ewt have at most three
LEAST_ARCS = 3  # of a pattern, unless it is an arc of the tree
LEAST_OF_CLASS = 2  # candidates of a pattern that have the class
NO_STEP = -1

# Bounds on the tables of an inventory, which would take gigabytes otherwise: en_ewt has 126
# patterns of 36 relations and 104 classes.
MOST_PATTERNS, MOST_RELATIONS, MOST_CLASSES = 5_000, 500, 1_000

# dependent and head → pattern and class of their arc
KnownArcs: TypeAlias = dict[tuple[int, int], tuple[str, "ArcClass"]]
Tree: TypeAlias = tuple[Sequence[int], Sequence[str]]  # heads and labels by node; of 0: nothing


class ArcClass(NamedTuple):
    """How the label of an arc is made: from the label of a step, or NO_STEP."""

    step: int
    label: str


NO_ARC = ArcClass(NO_STEP, "")


class Path(NamedTuple):
    """A path in a tree: its pattern, and the words whose arcs it follows."""

    pattern: str
    words: tuple[int, ...]


def path_between(tree: Tree, word: int, head: int) -> Path | None:
    """Return the path from a word to another node; None if it is too long or there is none.

    >>> path_between(([0, 2, 0, 2], ["", "nsubj", "root", "xcomp"]), 1, 3)
    Path(pattern='↑nsubj ↓xcomp', words=(1, 3))
    """
    heads, labels = tree
    above = [word]  # the word and the nodes above it
    while above[-1] and len(above) <= MOST_STEPS:
        above.append(heads[above[-1]])
    below = []
    while head not in above:
        below.append(head)
        if not head or len(below) > MOST_STEPS:
            return None
        head = heads[head]
    upwards = above[: above.index(head)]
    below.reverse()
    steps = [UP + universal_part(labels[w]) for w in upwards]
    steps += [DOWN + universal_part(labels[w]) for w in below]
    words = (*upwards, *below)
    return Path(" ".join(steps), words) if 0 < len(words) <= MOST_STEPS else None


def class_of(tree: Tree, path: Path, labels: Iterable[str]) -> ArcClass:
    """Return the class of the arcs with these labels between the ends of a path.

    >>> tree = [0, 2, 0, 2], ["", "nsubj", "root", "xcomp"]
    >>> class_of(tree, path_between(tree, 1, 3), ["nsubj:xsubj"])
    ArcClass(step=0, label='@:xsubj')
    """
    steps = [tree[1][word] for word in path.words]
    first, *rest = sorted(labels)
    step, text = _template(first, steps)
    others = [_template(label, steps[step : step + 1])[1] if step >= 0 else label for label in rest]
    return ArcClass(step, AND.join([text, *others]))


def _template(label: str, steps: Sequence[str]) -> ArcClass:
    """Return a label as made from the label of the first step that it fits."""
    if THROUGH not in label:
        for step, whole in enumerate(steps):
            if label == whole or label.startswith(f"{whole}:"):
                return ArcClass(step, LABEL + label.removeprefix(whole))
        for step, whole in enumerate(steps):
            if universal_part(label) == universal_part(whole):
                return ArcClass(step, RELATION + label.removeprefix(universal_part(label)))
    return ArcClass(NO_STEP, label)


@record(frozen=True)
class Inventory:
    """The patterns of a treebank, and the classes of the arcs along each.

    Class 0 is NO_ARC; `choices` lists the classes of each pattern, the most frequent first.
    """

    patterns: list[str]
    classes: list[ArcClass]
    choices: list[list[int]]

    def check_size(self) -> None:
        """Raise ValueError if the tables would be too large."""
        relations = {relation for pattern in self.patterns for _, relation in _steps(pattern)}
        sizes = {"patterns": len(self.patterns), "relations": len(relations)}
        sizes["classes"] = len(self.classes)
        mosts = MOST_PATTERNS, MOST_RELATIONS, MOST_CLASSES
        for (name, size), most in zip(sizes.items(), mosts, strict=True):
            if size > most:
                raise ValueError(
                    f"{size:,} {name} of paths, more than {most:,}: these graphs cannot be made "
                    "from trees; use a transition system for graphs (--graph)"
                )

    @property
    def n_rules(self) -> int:
        """The number of patterns with a single class."""
        return sum(len(classes) == 1 for classes in self.choices)

    def rules_only(self) -> Inventory:
        """Return the inventory with the most frequent class of every pattern alone."""
        return Inventory(self.patterns, self.classes, [classes[:1] for classes in self.choices])

    def table(self, labels: Sequence[str]) -> tuple[PathTable, list[str]]:
        """Compile the inventory for trees with these labels; return it with its output labels."""
        by_relation: dict[str, list[int]] = defaultdict(list)
        for number, label in enumerate(labels):
            by_relation[universal_part(label)].append(number)
        numbers = {label: number for number, label in enumerate(labels)}  # of output labels
        outputs: dict[tuple[int, int], int] = {}
        patterns = [_steps(pattern) for pattern in self.patterns]
        for pattern, classes in zip(patterns, self.choices, strict=True):
            for number in classes:
                step, text = self.classes[number]
                for tree_label in [0] if step == NO_STEP else by_relation[pattern[step][1]]:
                    made = _make_label(text, labels[tree_label])
                    outputs[number, tree_label] = numbers.setdefault(made, len(numbers))
        is_root = [universal_part(label) == ROOT for label in numbers]
        steps = [step for step, _ in self.classes]
        return PathTable(labels, patterns, self.choices, steps, outputs, is_root), [*numbers]

    def to_data(self) -> dict[str, Any]:
        """Return the inventory as JSON data."""
        classes = [list(each) for each in self.classes]
        return {"patterns": self.patterns, "classes": classes, "choices": self.choices}

    @classmethod
    def from_data(cls, about: Any) -> Inventory:
        """Return an inventory from its JSON data, checked."""
        patterns = read_field(about, "patterns", list[str])
        classes = [_read_class(each) for each in read_field(about, "classes", list[list[Any]])]
        choices = read_field(about, "choices", list[list[int]])
        if len({*patterns}) != len(patterns) or len(patterns) != len(choices):
            raise ValueError("a pattern is repeated, or its classes are missing")
        if classes[:1] != [NO_ARC]:
            raise ValueError("the first class does not stand for candidates without an arc")
        if labels := [label for _, label in classes[1:]]:
            check_column_values("deprels", labels)
        for pattern, chosen in zip(patterns, choices, strict=True):
            steps = _steps(pattern)
            if not 0 < len(steps) <= MOST_STEPS or not all(relation for _, relation in steps):
                raise ValueError(f"{pattern!r} is not a pattern of at most {MOST_STEPS} steps")
            if not chosen or not all(0 <= number < len(classes) for number in chosen):
                raise ValueError(f"the pattern {pattern!r} has an unknown class, or none")
            if any(classes[number].step >= len(steps) for number in chosen):
                raise ValueError(f"a class refers to a step that {pattern!r} does not have")
        made = cls(patterns, classes, choices)
        made.check_size()
        return made


def _steps(pattern: str) -> list[tuple[int, str]]:
    """Return the directions, 0 for up and 1 for down, and relations of a pattern.

    >>> _steps("↑nsubj ↓xcomp")
    [(0, 'nsubj'), (1, 'xcomp')]
    """
    return [((UP, DOWN).index(step[:1]), step[1:]) for step in pattern.split(" ")]


def _make_label(text: str, label: str) -> str:
    return text.replace(LABEL, label).replace(RELATION, universal_part(label))


def _read_class(data: list[Any]) -> ArcClass:
    if [*map(type, data)] != [int, str] or not NO_STEP <= data[0] < MOST_STEPS:
        raise ValueError(f"{data!r} is not a class: a step and a label")
    return ArcClass(*data)


def gold_arcs(tree: Tree, graph: Iterable[GraphArc]) -> KnownArcs:
    """Return the pattern and class of a graph's arcs, by dependent and head.

    Arcs between words that are too far apart in the tree are left out, and so are those that are
    labelled root but do not come from it, or the reverse.
    """
    labels: dict[tuple[int, int], list[str]] = defaultdict(list)
    for head, label, word in graph:
        if (universal_part(label) == ROOT) == (head == 0):
            labels[word, head].append(label)
    found = {}
    for (word, head), names in labels.items():
        if (path := path_between(tree, word, head)) is not None:
            found[word, head] = path.pattern, class_of(tree, path, names)
    return found


def frequent_patterns(arcs: Iterable[KnownArcs], labels: Iterable[str]) -> list[str]:
    """Return the patterns to look for: frequent ones, and arcs of trees with these labels."""
    counts = Counter(pattern for found in arcs for pattern, _ in found.values())
    frequent = {pattern for pattern, n in counts.items() if n >= LEAST_ARCS}
    return sorted(frequent | {UP + universal_part(label) for label in labels})


def frequent_classes(counts: Counter[ArcClass]) -> list[ArcClass]:
    """Return the classes that candidates of one pattern choose among, the most frequent first."""
    first, *rest = sorted(counts, key=lambda each: (-counts[each], each))
    return [first, *(each for each in rest if counts[each] >= LEAST_OF_CLASS)]
