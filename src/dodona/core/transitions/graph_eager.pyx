"""Arc-eager graph parsing (Sagae & Tsujii 2008) and its dynamic oracle (Tokgöz & Eryiğit 2015).

LEFT-ARC and RIGHT-ARC join the top of the stack and the front of the buffer and leave both in
place; only SHIFT and REDUCE advance. Two words meet once, so a gold arc is lost at the moment when
they part or are joined by another arc.

The paper only marks actions as costly or not; its rules give false zeros and leave states without a
free action, since an arc can hurt as well: it can be superfluous, block the arc in the opposite
direction, or close a cycle. The costs below equal exhaustive search as long as REDUCE needs no head
and cycles may be built, as in enhanced dependencies.

Notation: s top of the stack, b front of the buffer; an open link is a pair of words that gold joins
and the parser has not joined.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC, LinkC
from dodona.core.transitions.graph cimport GraphSystem
from dodona.core.transitions.graph_state cimport (
    add_graph_arc, are_linked, find_link, n_open_to_buffer, n_open_to_stack, note_action)
from dodona.core.transitions.moves cimport LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT
from dodona.core.transitions.state cimport StateC, front, next_word, pop, push, top
from dodona.core.transitions.system cimport MoveCost


cdef class GraphEager(GraphSystem):
    """The arc-eager graph system, which builds any graph without crossing arcs.

    `costs` is exact for every gold graph without crossing arcs and every reachable state. With
    `acyclic`, no arc closes a cycle and only a word that has a head is reduced, as in the paper;
    costs then do not include errors that become unavoidable later. While the gold graph is
    reachable, the free actions are those that keep it reachable; after that, and for gold graphs
    with crossing arcs, none is falsely free, but a state may have no free action.
    """

    name = "graph-eager"
    order = 2
    paper = "Sagae & Tsujii (2008); costs by Tokgöz & Eryiğit (2015)"
    does = {
        "SHIFT": "puts the front of the buffer on top of the stack",
        "LEFT-ARC": "makes the front of the buffer a head of the top of the stack; both stay",
        "RIGHT-ARC": "makes the top of the stack a head of the front of the buffer; both stay",
        "REDUCE": "pops the top of the stack",
    }

    def __init__(self, labels, root="first", loss="labelled", root_label="root", acyclic=False):
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "REDUCE")
        self.labelled = (False, True, True, False)
        self.left_arc, self.right_arc = LEFT_ARC, RIGHT_ARC
        cycle = ", and closes no cycle" if acyclic else ""
        self.when = ("a word in the buffer",
                     "a word on top of the stack (not the root) and one in the buffer that no arc "
                     "joins yet" + cycle,
                     "a word in the buffer that no arc joins to the top of the stack yet" + cycle,
                     f"a word {'with a head ' * acyclic}on top of the stack (not the root), "
                     "and one in the buffer")
        self.needed_arcs = ()            # SHIFT is valid wherever anything is
        super().__init__(labels, root, loss, root_label, acyclic)

    cdef bint final(self, const StateC* state) except -1 nogil:
        return state.n_buffer == 0

    # SHIFT      when  the buffer is not empty
    # LEFT-ARC   when  s is a word, not linked with b (acyclic: no path from s to b)
    # RIGHT-ARC  when  s and b are not linked (acyclic: no path from b to s)
    # REDUCE     when  s is a word (acyclic: with a head)
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0)
        cdef int moves = 1 << SHIFT
        if b == NONE:
            return 0
        if self.can_link(state, b, s):
            moves |= 1 << LEFT_ARC
        if self.can_link(state, s, b):
            moves |= 1 << RIGHT_ARC
        if s != state.root and (not self.acyclic or state.head[s] != NONE):
            moves |= 1 << REDUCE
        return moves

    # SHIFT      does  push b
    # LEFT-ARC   does  b → s
    # RIGHT-ARC  does  s → b
    # REDUCE     does  pop s
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        note_action(state, move, label)
        if move == SHIFT:
            push(state, next_word(state))
        elif move == LEFT_ARC:
            add_graph_arc(state, front(state, 0), label, top(state, 0))
        elif move == RIGHT_ARC:
            add_graph_arc(state, top(state, 0), label, front(state, 0))
        else:
            pop(state)

    # SHIFT      cost  open links of b to the stack
    # LEFT-ARC   cost  b → s is not gold; and s → b is, instead; or the label, twice
    # RIGHT-ARC  cost  s → b is not gold; and b → s is, instead; or the label, twice
    # REDUCE     cost  open links of s to the buffer
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0)
        if b == NONE:
            return 0
        costs[SHIFT] = MoveCost(n_open_to_stack(state, gold, b), 0, NONE, 0)
        costs[REDUCE] = MoveCost(n_open_to_buffer(state, gold, s), 0, NONE, 0)
        self.arc_cost(gold, b, s, &costs[LEFT_ARC])
        self.arc_cost(gold, s, b, &costs[RIGHT_ARC])

    # Build gold arcs; REDUCE if b has an open link below s, and s has none to the buffer.
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0)
        cdef int valid = self.valid_moves(state)
        if not are_linked(state, s, b):
            if valid >> LEFT_ARC & 1 and is_gold(gold, b, s):
                return LEFT_ARC
            if valid >> RIGHT_ARC & 1 and is_gold(gold, s, b):
                return RIGHT_ARC
        if (valid >> REDUCE & 1 and n_open_to_buffer(state, gold, s) == 0
                and n_open_to_stack(state, gold, b) > 0):
            return REDUCE
        return SHIFT


cdef bint is_gold(const GoldC* gold, int head, int dependent) noexcept nogil:
    cdef const LinkC* link = find_link(gold, head, dependent)
    return link != NULL and link.label_out != NONE
