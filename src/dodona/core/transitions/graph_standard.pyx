"""Shift-reduce graph parsing (Sagae & Tsujii 2008), the "standard" of Tokgöz & Eryiğit (2015).

Arcs join the two topmost nodes of the stack. LEFT-REDUCE and RIGHT-REDUCE build an arc and pop its
dependent, as in arc-standard; LEFT-ATTACH and RIGHT-ATTACH build an arc and keep the dependent for
another head. RIGHT-ATTACH puts it back into the buffer, for a head further down the stack.

The published system gets stuck: a word joined to its neighbour by an attach move can never be
popped beside it. Here LEFT-REDUCE and RIGHT-REDUCE also pop a dependent whose arc exists already;
the arc keeps its label, whatever the label of the action.

Notation: j top of the stack, i the node below it; an open link is a pair of words that gold joins
and the parser has not joined.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.string cimport string

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.exact_search cimport search_costs
from dodona.core.transitions.gold cimport GoldC, LinkC
from dodona.core.transitions.graph cimport GraphSystem
from dodona.core.transitions.graph_state cimport (
    add_graph_arc, arc_between, are_linked, find_link, is_path, n_open_to_buffer, n_open_to_stack,
    note_action)
from dodona.core.transitions.moves cimport SHIFT
from dodona.core.transitions.state cimport BUFFER, GONE, StateC, next_word, pop, push, top
from dodona.core.transitions.system cimport MoveCost

cdef enum:
    LEFT_REDUCE = SHIFT + 1, RIGHT_REDUCE, LEFT_ATTACH, RIGHT_ATTACH


cdef inline int n_open(const StateC* state, const GoldC* gold, int node) noexcept nogil:
    return n_open_to_stack(state, gold, node) + n_open_to_buffer(state, gold, node)


cdef bint has_open_head(const StateC* state, const GoldC* gold, int word,
                        int other_than) noexcept nogil:
    """Whether a gold arc into the word can still be built from a node other than `other_than`."""
    cdef const LinkC* link
    for i in range(gold.first_link[word], gold.first_link[word + 1]):
        link = &gold.link[i]
        if (link.label_in != NONE and link.node != other_than and state.place[link.node] != GONE
                and not are_linked(state, word, link.node)):
            return True
    return False


cdef bint has_dependent_in_buffer(const StateC* state, int node) noexcept nogil:
    """Whether a dependent of the node was put back into the buffer."""
    cdef int arc = state.arc_out[node]
    while arc != NONE and state.place[state.arcs[arc].dependent] != BUFFER:
        arc = state.arcs[arc].next_out
    return arc != NONE


cdef inline int node_left(const StateC* state, int i) noexcept nogil:
    """Return the i-th remaining node: the stack from the bottom, then the buffer."""
    return state.stack[i] if i < state.n_stack else state.buffer[i - state.n_stack]


cdef class GraphStandard(GraphSystem):
    """The shift-reduce graph system; every word leaves the stack with a head.

    `costs` is exact, by search, while at most `exact_words` words are left on the stack and in the
    buffer. Before that it is an estimate: the arcs that the action itself loses or builds wrongly.
    Errors that become unavoidable later are not included, so a free action may not be optimal;
    while the gold graph is reachable, the estimate is a lower bound.
    """

    name = "graph-standard"
    order = 1
    paper = "Sagae & Tsujii (2008); Tokgöz & Eryiğit (2015)"
    joins = "stack"
    exactness = "exact for six words, an estimate before"
    does = {
        "SHIFT": "puts the front of the buffer on top of the stack",
        "LEFT-REDUCE": "makes the top of the stack a head of the word below it, which is taken out",
        "RIGHT-REDUCE": "makes the second word of the stack a head of the top, which is popped",
        "LEFT-ATTACH": "makes the top of the stack a head of the word below it, which stays for "
                       "another head",
        "RIGHT-ATTACH": "makes the second word of the stack a head of the top, which returns to "
                        "the buffer for another head",
    }
    searches = 6

    def __init__(self, labels, root="first", loss="labelled", root_label="root", acyclic=False):
        self.moves = ("SHIFT", "LEFT-REDUCE", "RIGHT-REDUCE", "LEFT-ATTACH", "RIGHT-ATTACH")
        self.labelled = (False, True, True, True, True)
        self.left_arc, self.right_arc = LEFT_REDUCE, RIGHT_REDUCE
        self.left_moves, self.right_moves = (LEFT_REDUCE, LEFT_ATTACH), (RIGHT_REDUCE, RIGHT_ATTACH)
        cycle = " without closing a cycle" if acyclic else ""
        left, right = "two words on the stack, the lower one not the root", "two nodes on the stack"
        self.when = ("a word in the buffer",
                     f"{left}, that no arc joins yet{cycle}, or one from the upper to the lower",
                     f"{right}, that no arc joins yet{cycle}, or one from the lower to the upper",
                     f"{left}, that no arc joins yet{cycle}",
                     f"{right}, that no arc joins yet{cycle}")
        # these two empty the stack; joined words need one of them
        self.needed_arcs = (((RIGHT_REDUCE,), True), ((RIGHT_REDUCE,), False),
                            ((LEFT_REDUCE,), False))
        super().__init__(labels, root, loss, root_label, acyclic)

    cdef bint final(self, const StateC* state) except -1 nogil:
        return state.n_buffer == 0 and state.n_stack == 1

    cdef int idle_label(self, const StateC* state, int move) noexcept nogil:
        """Return the label of the existing arc, for a REDUCE between joined words."""
        cdef int i = top(state, 1), j = top(state, 0)
        cdef int arc = arc_between(state, j, i) if move == LEFT_REDUCE else arc_between(state, i, j)
        return NONE if arc == NONE else state.arcs[arc].label

    # SHIFT         when  the buffer is not empty
    # LEFT-REDUCE   when  i is a word, not linked with j (acyclic: no path from i to j), or j → i
    # RIGHT-REDUCE  when  i and j are not linked (acyclic: no path from j to i), or i → j
    # LEFT-ATTACH   when  as LEFT-REDUCE, but j → i is not there
    # RIGHT-ATTACH  when  as RIGHT-REDUCE, but i → j is not there
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int i = top(state, 1), j = top(state, 0), moves = 0
        if state.n_buffer > 0:
            moves |= 1 << SHIFT
        if i != NONE:
            if arc_between(state, j, i) != NONE:
                moves |= 1 << LEFT_REDUCE
            elif arc_between(state, i, j) != NONE:
                moves |= 1 << RIGHT_REDUCE
            else:
                if self.can_link(state, j, i):
                    moves |= 1 << LEFT_REDUCE | 1 << LEFT_ATTACH
                if self.can_link(state, i, j):
                    moves |= 1 << RIGHT_REDUCE | 1 << RIGHT_ATTACH
        return moves

    # SHIFT         does  push the front of the buffer
    # LEFT-REDUCE   does  j → i unless it is there; pop i
    # RIGHT-REDUCE  does  i → j unless it is there; pop j
    # LEFT-ATTACH   does  j → i
    # RIGHT-ATTACH  does  i → j, put j back into the buffer
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        cdef int i = top(state, 1), j = top(state, 0)
        note_action(state, move, label)
        if move == SHIFT:
            push(state, next_word(state))
            return 0
        if not are_linked(state, i, j):
            if move in (LEFT_REDUCE, LEFT_ATTACH):
                add_graph_arc(state, j, label, i)
            else:
                add_graph_arc(state, i, label, j)
        if move == LEFT_ATTACH:
            return 0
        pop(state)
        if move == LEFT_REDUCE:
            pop(state)
            push(state, j)
        elif move == RIGHT_ATTACH:
            state.buffer[state.n_buffer] = j
            state.n_buffer += 1
            state.place[j] = BUFFER

    # The errors that an action makes unavoidable, by search; while many words are left:
    # SHIFT         cost  i and j are an open link, and no link of j, open or built, leads to the
    #                     buffer: what comes above j can only leave by a superfluous arc
    # LEFT-REDUCE   cost  j → i, if it is new, as in arc_cost; other open links of i
    # RIGHT-REDUCE  cost  i → j, if it is new, as in arc_cost; other open links of j
    # LEFT-ATTACH   cost  j → i, as in arc_cost
    # RIGHT-ATTACH  cost  i → j, as in arc_cost
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int32_t labels[RIGHT_ATTACH + 1]
        cdef int move
        self.estimate(state, gold, costs)
        if self.few_are_left(state):
            for move in range(RIGHT_ATTACH + 1):
                labels[move] = costs[move].label
            search_costs(self, state, gold, costs)
            for move in range(RIGHT_ATTACH + 1):
                costs[move].label = labels[move]
        return 0

    cdef int estimate(self, const StateC* state, const GoldC* gold,
                      MoveCost* costs) except -1 nogil:
        cdef int i = top(state, 1), j = top(state, 0), move
        cdef bint is_open
        for move in range(RIGHT_ATTACH + 1):
            costs[move] = MoveCost(0, 0, NONE, 0)
        if i == NONE:
            return 0
        is_open = not are_linked(state, i, j) and find_link(gold, i, j) != NULL
        costs[SHIFT].arcs = (is_open and n_open_to_buffer(state, gold, j) == 0
                             and not has_dependent_in_buffer(state, j))
        if not are_linked(state, i, j):
            self.arc_cost(gold, j, i, &costs[LEFT_ATTACH])
            self.arc_cost(gold, i, j, &costs[RIGHT_ATTACH])
            costs[LEFT_REDUCE], costs[RIGHT_REDUCE] = costs[LEFT_ATTACH], costs[RIGHT_ATTACH]
        costs[LEFT_REDUCE].arcs += n_open(state, gold, i) - is_open
        costs[RIGHT_REDUCE].arcs += n_open(state, gold, j) - is_open

    # Build gold arcs, and pop words without open links; j goes back into the buffer for another
    # head, but stays on the stack for dependents.
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int i = top(state, 1), j = top(state, 0), valid = self.valid_moves(state)
        cdef MoveCost costs[RIGHT_ATTACH + 1]
        self.estimate(state, gold, costs)
        if valid >> LEFT_REDUCE & 1:
            if costs[LEFT_REDUCE].arcs == 0:
                return LEFT_REDUCE
            if valid >> LEFT_ATTACH & 1 and costs[LEFT_ATTACH].arcs == 0:
                return LEFT_ATTACH
        if valid >> RIGHT_REDUCE & 1:
            if costs[RIGHT_REDUCE].arcs == 0:
                return RIGHT_REDUCE
            if (valid >> RIGHT_ATTACH & 1 and costs[RIGHT_ATTACH].arcs == 0
                    and has_open_head(state, gold, j, i)):
                return RIGHT_ATTACH
        if state.n_buffer > 0:
            return SHIFT
        return RIGHT_REDUCE if valid >> RIGHT_REDUCE & 1 else LEFT_REDUCE

    cdef int arc_worth(self, const StateC* state, const GoldC* gold, int move) noexcept nogil:
        cdef int i = top(state, 1), j = top(state, 0)
        cdef const LinkC* link
        if move == SHIFT or are_linked(state, i, j):
            return 0
        link = find_link(gold, i, j)
        if link == NULL:
            return -1
        if move in (LEFT_REDUCE, LEFT_ATTACH):
            return 1 if link.label_in != NONE else -1
        return 1 if link.label_out != NONE else -1

    cdef int arcs_hoped_for(self, const StateC* state, const GoldC* gold) noexcept nogil:
        """Count the open links between remaining words: two words are joined at most once."""
        cdef int i, k, node, other, count = 0
        for i in range(state.n_stack + state.n_buffer):
            node = node_left(state, i)
            for k in range(gold.first_link[node], gold.first_link[node + 1]):
                other = gold.link[k].node
                count += (other > node and state.place[other] != GONE
                          and not are_linked(state, node, other))
        return count

    cdef int add_links(self, const StateC* state, string& key) except -1 nogil:
        """Append a bit for each arc between two nodes and, if acyclic, one for each path."""
        cdef int n = state.n_stack + state.n_buffer, i, k, node, other
        cdef uint64_t arcs = 0, paths = 0
        for i in range(n):
            node = node_left(state, i)
            for k in range(n):
                other = node_left(state, k)
                if arc_between(state, node, other) != NONE:
                    arcs |= <uint64_t> 1 << (8 * i + k)
                if self.acyclic and is_path(state, node, other):
                    paths |= <uint64_t> 1 << (8 * i + k)
        key.append(<const char*> &arcs, sizeof(arcs))
        key.append(<const char*> &paths, sizeof(paths))
        return 0
