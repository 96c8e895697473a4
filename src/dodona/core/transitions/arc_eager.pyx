"""Arc-eager parsing (Nivre 2003) and its exact dynamic oracle (Goldberg & Nivre 2012, corrected).

A word is pushed by SHIFT, or by RIGHT-ARC when the top of the stack is its head; it leaves the
stack by LEFT-ARC when the front of the buffer is its head, or by REDUCE when it has one already.
Two words meet once as top and front, so a gold arc is lost at the moment when one of its ends is
pushed or popped without it, and costs are counts of such arcs.

The costs printed in Figure 4 of the paper are wrong in three of four rows: LEFT-ARC forgets the
arc from s to b, RIGHT-ARC the one from b to s, both the label of the arc they build, and RIGHT-ARC
and SHIFT count dependents that already have another head. Those below equal exhaustive search.

Notation: s top of the stack, b front of the buffer, g(w) gold head of w.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC, label_is_wrong
from dodona.core.transitions.moves cimport LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT
from dodona.core.transitions.state cimport (
    BUFFER, STACK, StateC, add_arc, front, next_word, pop, push, top)
from dodona.core.transitions.system cimport ROOT_NONE, MoveCost, System


cdef int dependents_in_buffer(const StateC* state, const GoldC* gold, int node) noexcept nogil:
    """Count the gold dependents of a stack word in the buffer."""
    cdef int i = gold.first[node + 1], count = 0
    while i > gold.first[node] and state.place[gold.child[i - 1]] == BUFFER:
        i -= 1
        count += 1
    return count


cdef int headless_dependents_on_stack(const StateC* state, const GoldC* gold,
                                      int node) noexcept nogil:
    """Count the gold dependents of the front word on the stack that have no head yet."""
    cdef int i = gold.first[node], count = 0
    while i < gold.first[node + 1] and gold.child[i] < node:
        count += state.place[gold.child[i]] == STACK and state.head[gold.child[i]] == NONE
        i += 1
    return count


cdef class ArcEager(System):
    """The arc-eager system; the artificial root is first, last, or absent.

    `costs` is exact for every projective gold tree and every reachable state. For a non-projective
    one it never claims a false zero, but may overestimate, and a state may have no free action.
    """

    name = "arc-eager"
    order = 1
    paper = "Nivre (2003); costs by Goldberg & Nivre (2012)"
    does = {
        "SHIFT": "puts the front of the buffer on top of the stack",
        "LEFT-ARC": "makes the front of the buffer the head of the top of the stack, which is "
                    "popped",
        "RIGHT-ARC": "makes the top of the stack the head of the front of the buffer, which is "
                     "pushed",
        "REDUCE": "pops the top of the stack",
    }
    roots = ("first", "last", "none")

    def __init__(self, labels, root="first", loss="labelled", root_label="root"):
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE")
        self.labelled = (False, True, True, False)
        self.left_arc, self.right_arc = LEFT_ARC, RIGHT_ARC
        self.when = ("a word in the buffer",
                     "a word without a head on top of the stack (not the root), "
                     "and one in the buffer",
                     "a word on the stack, and one in the buffer that is not the root",
                     "a word with a head on top of the stack, and one in the buffer")
        self.needed_arcs = ()            # SHIFT is valid wherever anything is
        super().__init__(labels, root, loss, root_label)

    cdef bint final(self, const StateC* state) except -1 nogil:
        return state.n_buffer == 0

    # SHIFT      when  the buffer is not empty
    # LEFT-ARC   when  s is a word without a head
    # RIGHT-ARC  when  there is an s, and b is a word
    # REDUCE     when  s has a head
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0)
        cdef int moves = 1 << SHIFT
        if b == NONE:
            return 0
        if s != NONE:
            if b != state.root:
                moves |= 1 << RIGHT_ARC
            if state.head[s] != NONE:
                moves |= 1 << REDUCE
            elif s != state.root:
                moves |= 1 << LEFT_ARC
        return moves

    # SHIFT      does  push b
    # LEFT-ARC   does  b → s, pop s
    # RIGHT-ARC  does  s → b, push b
    # REDUCE     does  pop s
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        if move == SHIFT:
            push(state, next_word(state))
        elif move == LEFT_ARC:
            add_arc(state, front(state, 0), label, top(state, 0))
            pop(state)
        elif move == RIGHT_ARC:
            add_arc(state, top(state, 0), label, front(state, 0))
            push(state, next_word(state))
        else:
            pop(state)

    # SHIFT      cost  g(b) on the stack; headless gold dependents of b on the stack
    # LEFT-ARC   cost  g(s) behind b, or s is to be left over as the root; gold dependents of s in
    #                  the buffer; the label, if b = g(s)
    # RIGHT-ARC  cost  g(b) on the stack below s, or in the buffer, or b is to be left over as the
    #                  root; headless gold dependents of b on the stack; the label, if s = g(b)
    # REDUCE     cost  gold dependents of s in the buffer
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0)
        cdef int head_of_s = gold.head[s], head_of_b = gold.head[b]
        cdef int waiting = 0, to_come = 0
        cdef bint s_left_over, b_left_over
        if b == NONE:
            return 0
        s_left_over = self.root_place == ROOT_NONE and head_of_s == 0
        b_left_over = self.root_place == ROOT_NONE and head_of_b == 0
        waiting = headless_dependents_on_stack(state, gold, b)
        if s != NONE:
            to_come = dependents_in_buffer(state, gold, s)
        costs[SHIFT].arcs = waiting + (state.place[head_of_b] == STACK)
        costs[REDUCE].arcs = to_come
        costs[LEFT_ARC].arcs = to_come + s_left_over + (head_of_s != b and
                                                        state.place[head_of_s] == BUFFER)
        costs[RIGHT_ARC].arcs = waiting + b_left_over + (
            head_of_b != s and state.place[head_of_b] in (STACK, BUFFER))
        # a word left over gets `root_label`; another gold label is lost anyway
        costs[SHIFT].labels = costs[REDUCE].labels = 0
        costs[LEFT_ARC].labels = -(s_left_over and label_is_wrong(gold, s, self.root_label_id))
        costs[RIGHT_ARC].labels = -(b_left_over and label_is_wrong(gold, b, self.root_label_id))
        costs[SHIFT].label = costs[REDUCE].label = NONE
        costs[LEFT_ARC].label = gold.label[s] if head_of_s == b else NONE
        costs[RIGHT_ARC].label = gold.label[b] if head_of_b == s and s != NONE else NONE

    # Algorithm 1 of the paper; REDUCE must also require that s has a head, or its example fails.
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0)
        cdef int head_of_b = gold.head[b]
        if s == NONE:
            return SHIFT
        if state.head[s] == NONE and s != state.root and gold.head[s] == b:
            return LEFT_ARC
        if head_of_b == s:
            return RIGHT_ARC
        if state.head[s] != NONE and (state.place[head_of_b] == STACK
                                      or (gold.first[b] < gold.first[b + 1]
                                          and gold.child[gold.first[b]] < s)):
            return REDUCE
        return SHIFT
