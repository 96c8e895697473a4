"""The classes of a model: the actions seen in training, and which of them a state allows.

A label that hung under the artificial root in every training tree is offered only there, and the
others only elsewhere; so "root" never labels an arc between words, and a word under the root never
gets another label. What a state forbids is a row of numbers from which its scores start, one row
for each set of valid moves, so that choosing is a plain maximum.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.weights.outline cimport Outline
from dodona.core.weights.packed cimport BARRED

cdef enum:
    N_KINDS = 3               # of states: the root heads no arc, right arcs, left arcs


def missing_arcs(System system, pairs):
    """Those of the system's `needed_arcs` that none of these classes builds."""
    return [(moves, under_root) for moves, under_root in system.needed_arcs
            if not any(pair[0] in moves and pair[2 if under_root else 3] for pair in pairs)]


cdef class Actions:
    """Classes 0, 1, … of a model, each a move and a label of a transition system.

    `pairs` has (move, label, under_root, elsewhere) for each class: ids of move and label (NONE,
    -1, for a move without one), and whether its arcs may hang under the root, or elsewhere.
    """

    def __init__(self, System system, pairs):
        cdef int valid, kind
        self.system = system
        self.pairs = [tuple(pair) for pair in pairs]
        self.n_classes = len(self.pairs)
        self.n_padded = padded(self.n_classes)
        for move, label, _, _ in self.pairs:
            if (not 0 <= move < len(system.moves) or not NONE <= label < len(system.labels)
                    or system.labelled[move] != (label != NONE)):
                raise ValueError(f"move {move} with label {label} is not an action of {system!r}")
            self.move.push_back(move)
            self.label.push_back(label)
        self._check_complete()
        narrow, wide = Outline(self.n_classes), Outline(self.n_classes, is_wide=True)
        lanes = [narrow.classes(lane) if lane < narrow.n_bounds else wide.classes(lane)
                 for lane in range(wide.n_lanes)]
        self.n_barriers = self.n_padded + wide.n_lanes
        for valid in range(1 << len(system.moves)):
            for kind in range(N_KINDS):
                allowed = [c < self.n_classes and self._allows(valid, kind, c)
                           for c in range(self.n_padded)]
                allowed += [any(allowed[c] for c in classes) for classes in lanes]
                for is_allowed in allowed:
                    self.barrier.push_back(0 if is_allowed else BARRED)

    def _check_complete(self):
        """Refuse classes of which a state may allow none: a model may come from anywhere."""
        for move, name in enumerate(self.system.moves):
            if not self.system.labelled[move] and all(pair[0] != move for pair in self.pairs):
                raise ValueError(f"no class for {name}, a move of {self.system!r}")
        for moves, under_root in missing_arcs(self.system, self.pairs):
            names = " or ".join(self.system.moves[move] for move in moves)
            raise ValueError(
                f"no class for an arc {'under the root' if under_root else 'between words'} by "
                f"{names}, without which {self.system.name} may come to a state with no way on")

    def _allows(self, int valid, int kind, int c):
        move, label, under_root, elsewhere = self.pairs[c]
        if not valid >> move & 1:
            return False
        if label == NONE:
            return True
        root_is_head = (kind == 1 and move in self.system.right_moves
                        or kind == 2 and move in self.system.left_moves)
        return under_root if root_is_head else elsewhere

    cdef const int16_t* barriers(self, const StateC* state, int valid) noexcept nogil:
        """For each class 0, or BARRED where the state does not allow it; then the same for each
        lane of an outline."""
        cdef int kind = 0
        if state.root != NONE:
            if self.system.arc_head(state, self.system.right_arc) == state.root:
                kind = 1
            elif self.system.arc_head(state, self.system.left_arc) == state.root:
                kind = 2
        return &self.barrier[<size_t> (valid * N_KINDS + kind) * self.n_barriers]

    cdef Choices choices(self, const int16_t* scores, const float* raw_scores) noexcept nogil:
        """The classes with their scores, which are of packed weights or else of those learned."""
        return Choices(self.n_classes, self.move.data(), self.label.data(), scores, raw_scores)
