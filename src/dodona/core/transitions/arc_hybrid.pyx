"""Arc-hybrid parsing (Kuhlmann et al. 2011) and its exact dynamic oracle (Goldberg & Nivre 2013).

LEFT-ARC is that of arc-eager, RIGHT-ARC that of arc-standard: a word is attached to the front of
the buffer or to the word below it on the stack, and is complete from then on. A gold arc is lost at
the moment when its dependent gets another head, its head is attached before the dependent, or a
word comes between the two; costs are counts of such arcs.

Notation: s0 and s1 the two topmost words, b front of the buffer, g(w) gold head of w.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC, dependents_at
from dodona.core.transitions.moves cimport LEFT_ARC, RIGHT_ARC, SHIFT
from dodona.core.transitions.state cimport (
    BUFFER, STACK, StateC, add_arc, front, next_word, pop, push, top)
from dodona.core.transitions.system cimport MoveCost, System


cdef class ArcHybrid(System):
    """The arc-hybrid system; the artificial root is first or last.

    `costs` is exact for every projective gold tree and every reachable state. For a non-projective
    one it never claims a false zero, but may overestimate, and a state may have no free action.
    """

    name = "arc-hybrid"
    order = 6
    paper = "Kuhlmann, Gómez-Rodríguez & Satta (2011); costs by Goldberg & Nivre (2013)"
    joins = "hybrid"
    does = {
        "SHIFT": "puts the front of the buffer on top of the stack",
        "LEFT-ARC": "makes the front of the buffer the head of the top of the stack, which is "
                    "popped",
        "RIGHT-ARC": "makes the second word of the stack the head of the top, which is popped",
    }
    roots = ("first", "last")
    default_templates = "rich-hybrid"

    def __init__(self, labels, root="first", loss="labelled", root_label="root"):
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, True, True)
        self.left_arc, self.right_arc = LEFT_ARC, RIGHT_ARC
        self.when = ("a word in the buffer (not the root)",
                     "a word on top of the stack (not the root), and something in the buffer",
                     "a word on the stack, above another or the root")
        # once all words are on the stack, RIGHT-ARC, or LEFT-ARC from a root behind it, empties it
        self.needed_arcs = ((RIGHT_ARC,), True), ((RIGHT_ARC,), False)
        if root == "last":
            self.needed_arcs = (((LEFT_ARC,), True),)
        super().__init__(labels, root, loss, root_label)

    cdef bint final(self, const StateC* state) except -1 nogil:
        """Whether only the root is left."""
        return state.n_buffer + state.n_stack == 1

    # SHIFT      when  b is a word
    # LEFT-ARC   when  s0 is a word, and there is a b
    # RIGHT-ARC  when  there is an s1
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int s0 = top(state, 0), b = front(state, 0), moves = 0
        if b != NONE and b != state.root:
            moves |= 1 << SHIFT
        if b != NONE and s0 != NONE and s0 != state.root:
            moves |= 1 << LEFT_ARC
        if state.n_stack > 1:
            moves |= 1 << RIGHT_ARC
        return moves

    # SHIFT      does  push b
    # LEFT-ARC   does  b → s0, pop s0
    # RIGHT-ARC  does  s1 → s0, pop s0
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        if move == SHIFT:
            push(state, next_word(state))
        else:
            add_arc(state, self.arc_head(state, move), label, top(state, 0))
            pop(state)

    # SHIFT      cost  g(b) on the stack below s0; gold dependents of b on the stack
    # LEFT-ARC   cost  g(s0) = s1 or behind b; gold dependents of s0 in the buffer; the label, if
    #                  b = g(s0)
    # RIGHT-ARC  cost  g(s0) in the buffer; gold dependents of s0 in the buffer; the label, if
    #                  s1 = g(s0)
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1), b = front(state, 0)
        cdef int head_of_s0 = gold.head[s0], head_of_b = gold.head[b], to_come = 0
        cdef bint in_buffer = state.place[head_of_s0] == BUFFER
        costs[SHIFT].arcs = head_of_b != s0 and state.place[head_of_b] == STACK
        if b != NONE:
            costs[SHIFT].arcs += dependents_at(state, gold, b, STACK)
        if s0 != NONE:
            to_come = dependents_at(state, gold, s0, BUFFER)
        costs[LEFT_ARC].arcs = to_come + (head_of_s0 != b and (
            in_buffer or head_of_s0 == s1 and s1 != NONE))
        costs[RIGHT_ARC].arcs = to_come + in_buffer
        costs[SHIFT].labels = costs[LEFT_ARC].labels = costs[RIGHT_ARC].labels = 0
        costs[SHIFT].label = NONE
        costs[LEFT_ARC].label = gold.label[s0] if head_of_s0 == b else NONE
        costs[RIGHT_ARC].label = gold.label[s0] if head_of_s0 == s1 else NONE

    # A gold arc as soon as its dependent is complete; an unreachable tree ends in other arcs.
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int s0 = top(state, 0), moves = self.valid_moves(state)
        if s0 != NONE and dependents_at(state, gold, s0, BUFFER) == 0:
            if moves >> LEFT_ARC & 1 and gold.head[s0] == front(state, 0):
                return LEFT_ARC
            if moves >> RIGHT_ARC & 1 and gold.head[s0] == top(state, 1):
                return RIGHT_ARC
        if moves >> SHIFT & 1:
            return SHIFT
        return RIGHT_ARC if moves >> RIGHT_ARC & 1 else LEFT_ARC
