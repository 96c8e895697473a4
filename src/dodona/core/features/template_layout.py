"""Numbers for the slots and atoms that templates name, and the index of each atom's value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dodona.core.features.templates import (
    ACTIONS,
    ALONE,
    DISTANCES,
    LINKS,
    OF_GRAPHS,
    RELATIONS,
    STATE_INTS,
    STATE_SETS,
    TREE_HEAD,
    Template,
    TemplatePart,
)

NO_PARENT = -1

# Sections of templates, so that the scores of a section that recurs can be cached: the words in
# front, which half of all transitions do not change; the top of the stack, which recurs when what
# was pushed onto it is gone; the tags of both, of which there are few pairs; words whatever their
# arcs, which hypotheses of a beam share and arcs of a graph do not change; the rest.
FRONT, TOP, PAIR, WORDS, REST = SECTIONS = range(5)
# attributes of a word on the stack that change while it is there
CHANGING = {"right", "right2", "n_right", "right_labels", "head2", "n_heads", "head_labels"}
OPEN = re.compile(r"form|lemma|cluster.*")  # attributes with too many values

Path = tuple[str, ...]


def section_of(template: Template) -> int:
    """Return which of SECTIONS a template belongs to.

    >>> from dodona.core.features.templates import parse_templates
    >>> text = "b0.form\\ns0.left.label\\ns0.tag + b0.feats\\ns0.form + b0.form\\nb0.left.tag"
    >>> [section_of(template) for template in parse_templates(text)] == [*SECTIONS]
    True
    """
    ends = {end for part in template for end in part.slot[:1] or ALONE[part.attribute]}
    attributes = {part.attribute for part in template}
    steps = {step for part in template for step in part.slot[1:]}
    if not attributes.isdisjoint({*LINKS, *ACTIONS}):
        return REST
    has_arcs = steps - {TREE_HEAD} or not attributes.isdisjoint({*STATE_INTS, *STATE_SETS})
    if not has_arcs and all(end.startswith("b") for end in ends):
        return FRONT
    if not has_arcs and ends == {"s0", "b0"} and not any(map(OPEN.fullmatch, attributes)):
        return PAIR
    if ends == {"s0"} and CHANGING.isdisjoint({*steps, *attributes}):
        return TOP
    return REST if has_arcs else WORDS


class TemplateLayout:
    """The slots and atoms of a template set, each once.

    The order of values: the distances, then `ints` (attributes of the state and columns of the
    words), then `sets` of labels, then, if any is used, those `OF_GRAPHS`. A slot is (parent slot,
    relation) or (NO_PARENT, depth), and whether it starts in the buffer; parents come before their
    children.
    """

    def __init__(self, templates: Sequence[Template], columns: Sequence[str]) -> None:
        self.columns = (*STATE_INTS, *columns)
        self.slots: dict[Path, tuple[int, int, bool]] = {}
        self._numbers: dict[Path, int] = {}  # of the slots
        self.ints: list[tuple[int, int]] = []
        self.sets: list[tuple[int, int]] = []
        for ends in ALONE.values():  # their slots exist even if no template names them
            for start in ends:
                self._slot((start,))
        parts = [part for template in templates for part in template]
        for part in parts:
            if part.attribute not in ALONE:
                atoms, atom = self._atom(part)
                if atom not in atoms:
                    atoms.append(atom)
        self.has_links = any(part.attribute in OF_GRAPHS for part in parts)

    @property
    def n_atoms(self) -> int:
        """The number of values, including the distances."""
        n_of_graphs = len(OF_GRAPHS) if self.has_links else 0
        return len(DISTANCES) + len(self.ints) + len(self.sets) + n_of_graphs

    def ends_of(self, names: Iterable[str]) -> list[tuple[int, ...]]:
        """Return the slots of parts that name none."""
        return [tuple(self._slot((end,)) for end in ALONE[name]) for name in names]

    def slots_of(self, template: Template) -> int:
        """Return the set of slots that must be filled for a template to apply, one bit each."""
        bits = 0
        for part in template:
            ends = ALONE.get(part.attribute)
            for path in [part.slot] if ends is None else [(end,) for end in ends]:
                bits |= 1 << self._slot(path)
        return bits

    def atoms_of(self, template: Template) -> list[int]:
        """Return the indices of the values of a template's parts."""
        return [self._index(part) for part in template]

    def _slot(self, path: Path) -> int:
        if path not in self._numbers:
            if len(path) == 1:
                self.slots[path] = (NO_PARENT, int(path[0][1:]), path[0][0] == "b")
            else:
                self.slots[path] = (self._slot(path[:-1]), RELATIONS.index(path[-1]), False)
            self._numbers[path] = len(self._numbers)
        return self._numbers[path]

    def _atom(self, part: TemplatePart) -> tuple[list[tuple[int, int]], tuple[int, int]]:
        slot = self._slot(part.slot)
        if part.attribute in STATE_SETS:
            return self.sets, (slot, STATE_SETS.index(part.attribute))
        return self.ints, (slot, self.columns.index(part.attribute))

    def _index(self, part: TemplatePart) -> int:
        if part.attribute in DISTANCES:
            return list(DISTANCES).index(part.attribute)
        if part.attribute in OF_GRAPHS:
            before = len(DISTANCES) + len(self.ints) + len(self.sets)
            return before + list(OF_GRAPHS).index(part.attribute)
        atoms, atom = self._atom(part)
        return len(DISTANCES) + atoms.index(atom) + (len(self.ints) if atoms is self.sets else 0)
