"""Compiled slots and atoms of `slot_language`."""
from dodona.core.base.nodes cimport NONE
from dodona.core.features.slots cimport MAX_SLOTS, distance_class, find_nodes
from dodona.core.features.templates import ACTIONS, DISTANCES, LINKS, RELATIONS
from dodona.core.network import slot_language
from dodona.core.transitions.graph_state cimport link_class
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.system cimport System

cdef enum:                    # kinds of atoms: first those of NUMBERS
    LABEL_OF, LEFT_CHILDREN, RIGHT_CHILDREN, HEADS_OF, DISTANCE_OF, LINK_OF, ACTION_AT

cdef int MAX_COUNT = slot_language.MAX_COUNT

if slot_language.NUMBERS != ("label", "n_left", "n_right", "n_heads"):
    raise ImportError("NUMBERS of slot_language.py does not match the enum of slots.pyx")


cdef class Slots:
    """The input of a network from a state: words in slots, and atoms.

    >>> slots = Slots("s0\\ns0.left\\ns0.left.label")
    >>> slots.n_slots, slots.n_atoms
    (2, 1)
    """

    def __init__(self, str text, str source="<slots>"):
        found = slot_language.parse_slots(text, source)
        paths = {}
        self.text, self.for_graphs = text, found.for_graphs
        self.n_slots, self.n_atoms = len(found.slots), len(found.atoms)
        for path in found.slots:
            self.path_of.push_back(self._add(paths, path))
        for path, name in found.atoms:
            self.atoms.push_back(self._atom(paths, path, name))
        if self.paths.size() > MAX_SLOTS or self.n_atoms > MAX_SLOTS:
            raise slot_language.TemplateError(f"{source}: more than {MAX_SLOTS} slots or atoms")

    def _add(self, dict paths, tuple path):
        """Return the index of a slot; add it and those on the path to it if they are new."""
        if path not in paths:
            if len(path) == 1:
                slot = Slot(NONE, int(path[0][1:]), path[0][0] == "b")
            else:
                slot = Slot(self._add(paths, path[:-1]), RELATIONS.index(path[-1]), False)
            paths[path] = self.paths.size()
            self.paths.push_back(slot)
        return paths[path]

    def _atom(self, dict paths, tuple path, str name):
        if path:
            slot = self._add(paths, path)
            return AtomC(slot_language.NUMBERS.index(name), slot, slot)
        if name in ACTIONS:
            return AtomC(ACTION_AT, ACTIONS.index(name), 0)
        ends = DISTANCES[name] if name in DISTANCES else LINKS[name]
        left, right = (self._add(paths, (end,)) for end in ends)
        return AtomC(DISTANCE_OF if name in DISTANCES else LINK_OF, left, right)

    def sizes(self, System system not None):
        """Return the number of values of each atom in this system."""
        n_labels = len(system.labels)
        counts = dict.fromkeys((LEFT_CHILDREN, RIGHT_CHILDREN, HEADS_OF), MAX_COUNT + 1)
        sizes = {**counts, LABEL_OF: n_labels + 1, DISTANCE_OF: 8, LINK_OF: 2 * n_labels + 1,
                 ACTION_AT: MAX_MOVES * (n_labels + 1) + 1}
        return [sizes[atom.what] for atom in self.atoms]

    def check(self, System system not None):
        """Raise ValueError if the states of a system lack features that the slots use."""
        if self.for_graphs and not system.builds_graphs:
            raise slot_language.TemplateError(
                f"these slots are for graph systems, but {system.name} builds trees")

    cdef void read_state(self, const StateC* state, int32_t* nodes, int32_t* values) noexcept nogil:
        """Write the node in each slot and the value of each atom."""
        cdef int32_t node[MAX_SLOTS]
        cdef const AtomC* atom
        cdef int i
        find_nodes(self.paths, state, NULL, node)
        for i in range(self.n_slots):
            nodes[i] = node[self.path_of[i]]
        for i in range(self.n_atoms):
            atom = &self.atoms[i]
            if atom.what == LABEL_OF:
                values[i] = state.label[node[atom.left]] + 1
            elif atom.what == LEFT_CHILDREN:
                values[i] = min(state.n_left[node[atom.left]], MAX_COUNT)
            elif atom.what == RIGHT_CHILDREN:
                values[i] = min(state.n_right[node[atom.left]], MAX_COUNT)
            elif atom.what == HEADS_OF:
                values[i] = min(state.n_heads[node[atom.left]], MAX_COUNT)
            elif atom.what == DISTANCE_OF:
                values[i] = 0
                if node[atom.left] != NONE and node[atom.right] != NONE:
                    values[i] = distance_class(node[atom.left], node[atom.right])
            elif atom.what == LINK_OF:
                values[i] = link_class(state, node[atom.left], node[atom.right])
            else:
                values[i] = state.history[atom.left]
