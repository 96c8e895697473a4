"""The language of slot files, which define the input of a neural scorer from a state.

A line is a slot or an atom. ``s0``, ``b0.left`` and so on are slots: nodes of the state, named as
in feature templates (`core/features/templates.py`); the network sums the vectors of their words.
``s0.label``, ``b0.n_left`` and ``distance`` are atoms: small numbers, with a vector for each value.
Blank lines and comments after ``#`` are ignored.
"""

from pathlib import Path
from typing import NamedTuple

from dodona.core.features.templates import (
    ACTIONS,
    DISTANCES,
    GRAPH_ONLY,
    LINKS,
    RELATIONS,
    STARTS,
    TREE_HEAD,
    TemplateError,
    read_shipped,
)

SLOT_RELATIONS = tuple(name for name in RELATIONS if name != TREE_HEAD)
NUMBERS = ("label", "n_left", "n_right", "n_heads")  # of the node in a slot
ALONE = (*DISTANCES, *LINKS, *ACTIONS)
MAX_COUNT = 3  # of children or heads; larger counts are clipped
_FOLDER = Path(__file__).parent / "slots"


class SlotSet(NamedTuple):
    """Slots, and atoms: pairs of a slot (empty if an atom has none) and the name of a number."""

    slots: tuple[tuple[str, ...], ...]
    atoms: tuple[tuple[tuple[str, ...], str], ...]

    @property
    def for_graphs(self) -> bool:
        """Return whether a slot or an atom exists in graph states only."""
        paths = [*self.slots, *(slot for slot, _ in self.atoms)]
        names = {name for path in paths for name in path} | {name for _, name in self.atoms}
        return not names.isdisjoint(GRAPH_ONLY)


def parse_slots(text: str, source: str = "<slots>") -> SlotSet:
    """Parse the slots and atoms of a text.

    >>> parse_slots("s0\\nb0.left  # a child\\ns0.label\\ndistance")
    SlotSet(slots=(('s0',), ('b0', 'left')), atoms=((('s0',), 'label'), ((), 'distance')))
    """
    slots: list[tuple[str, ...]] = []
    atoms: list[tuple[tuple[str, ...], str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        content = line.split("#", 1)[0].strip()
        if content in ALONE:
            atoms.append(((), content))
        elif content:
            *path, last = content.split(".")
            if last in NUMBERS and path:
                atoms.append((_path(path, f"{source}:{number}: "), last))
            else:
                slots.append(_path([*path, last], f"{source}:{number}: "))
    for found in (slots, atoms):
        if len({*found}) < len(found):
            raise TemplateError(f"{source}: a slot or an atom is listed twice")
    if not slots:
        raise TemplateError(f"{source}: lists no slot")
    return SlotSet(tuple(slots), tuple(atoms))


def load_slots(name: str | Path) -> str:
    """Return the text of a built-in slot set, or of a file.

    >>> load_slots("stack-buffer").splitlines()[-1]
    'distance'
    """
    return read_shipped(name, _FOLDER, slot_names(), "slots")


def slot_names() -> list[str]:
    """Return the names of the built-in slot sets."""
    return sorted(file.stem for file in _FOLDER.glob("*.txt"))


def _path(names: list[str], where: str) -> tuple[str, ...]:
    start, *relations = names
    if start not in STARTS:
        raise TemplateError(f"{where}no slot {start!r}; slots start with {', '.join(STARTS)}")
    for relation in relations:
        if relation not in SLOT_RELATIONS:
            known = ", ".join((*SLOT_RELATIONS, *NUMBERS))
            raise TemplateError(f"{where}no relation {relation!r}; there are: {known}")
    return tuple(names)
