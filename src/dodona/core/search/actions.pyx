"""The classes of a model: the actions seen in training, and which of them a state allows.

A label that hung under the artificial root in every training tree is offered only there, and all
other labels only elsewhere. So "root" never labels an arc between words, and a word under the root
never gets another label. The scores of a state start from a mask, one for each set of valid moves,
so that choosing the best class is a plain maximum.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.weights.packed cimport MASKED
from dodona.core.weights.sketch cimport Sketch

cdef enum:
    N_KINDS = 3               # of states: the root heads no arc, right arcs, left arcs


def missing_arcs(System system, pairs):
    """Return those of the system's `needed_arcs` that none of these classes builds."""
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
        narrow, wide = Sketch(self.n_classes), Sketch(self.n_classes, is_wide=True)
        lanes = [narrow.classes(lane) if lane < narrow.n_bounds else wide.classes(lane)
                 for lane in range(wide.n_lanes)]
        self.mask_size = self.n_padded + wide.n_lanes
        for valid in range(1 << len(system.moves)):
            for kind in range(N_KINDS):
                allowed = [c < self.n_classes and self._allows(valid, kind, c)
                           for c in range(self.n_padded)]
                allowed += [any(allowed[c] for c in classes) for classes in lanes]
                for is_allowed in allowed:
                    self.mask.push_back(0 if is_allowed else MASKED)

    def _check_complete(self):
        """Refuse classes of which a state may allow none: a model may come from anywhere."""
        for move, name in enumerate(self.system.moves):
            if not self.system.labelled[move] and all(pair[0] != move for pair in self.pairs):
                raise ValueError(f"no class for {name}, a move of {self.system!r}")
        for moves, under_root in missing_arcs(self.system, self.pairs):
            names = " or ".join(self.system.moves[move] for move in moves)
            raise ValueError(
                f"no class for an arc {'under the root' if under_root else 'between words'} by "
                f"{names}, without which {self.system.name} may reach a state with no valid class")

    def _allows(self, int valid, int kind, int c):
        move, label, under_root, elsewhere = self.pairs[c]
        if not valid >> move & 1:
            return False
        if label == NONE:
            return True
        root_is_head = (kind == 1 and move in self.system.right_moves
                        or kind == 2 and move in self.system.left_moves)
        return under_root if root_is_head else elsewhere

    cdef const int16_t* masks(self, const StateC* state, int valid) noexcept nogil:
        """Return 0 for each class that the state allows, else MASKED; then for each sketch lane."""
        cdef int kind = 0
        if state.root != NONE:
            if self.system.arc_head(state, self.system.right_arc) == state.root:
                kind = 1
            elif self.system.arc_head(state, self.system.left_arc) == state.root:
                kind = 2
        return &self.mask[<size_t> (valid * N_KINDS + kind) * self.mask_size]

    cdef Choices choices(self, const int16_t* scores, const float* raw_scores) noexcept nogil:
        """Return the classes with the scores of packed weights, or else of those in training."""
        return Choices(self.n_classes, self.move.data(), self.label.data(), scores, raw_scores)
