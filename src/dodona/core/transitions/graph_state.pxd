"""Operations on states with several heads per word, and on gold graphs.

Arcs are stored in the order they were built, each linked to the preceding one with the same
dependent and with the same head, so heads and dependents of a node are found without a search.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.hashing cimport mixed
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC, LinkC
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport STACK, StateC, add_arc, front


cdef inline int arc_between(const StateC* state, int head, int dependent) noexcept nogil:
    """Return the arc from one node to another; NONE if it does not exist."""
    cdef int arc = state.arc_in[dependent]
    while arc != NONE and state.arcs[arc].head != head:
        arc = state.arcs[arc].next_in
    return arc


cdef inline bint are_linked(const StateC* state, int node, int other) noexcept nogil:
    return arc_between(state, node, other) != NONE or arc_between(state, other, node) != NONE


cdef inline void add_graph_arc(StateC* state, int head, int label, int dependent) noexcept nogil:
    """Add an arc; the dependent may have other heads. Children and valencies are updated."""
    cdef int arc = state.n_arcs
    state.arcs[arc].head, state.arcs[arc].label = head, label
    state.arcs[arc].dependent = dependent
    state.arcs[arc].next_in = state.arc_in[dependent]
    state.arcs[arc].next_out = state.arc_out[head]
    state.arc_in[dependent] = state.arc_out[head] = arc
    state.n_arcs += 1
    state.head2[dependent] = state.head[dependent]
    state.n_heads[dependent] += 1
    # a sum does not depend on the order: a hash of the set
    state.head_labels[dependent] = <int32_t> (
        <uint32_t> state.head_labels[dependent]
        + <uint32_t> (mixed(mixed(<uint64_t> (label + 1))) >> 32))
    add_arc(state, head, label, dependent)


cdef inline void note_action(StateC* state, int move, int label) noexcept nogil:
    """Record the last two actions, for features."""
    state.history[1] = state.history[0]
    state.history[0] = 1 + move + MAX_MOVES * (label + 1)


cdef inline int link_class(const StateC* state, int left, int right) noexcept nogil:
    """Return an id of the label and direction of the arc between two nodes; 0 if there is none."""
    cdef int arc
    if left == NONE or right == NONE:
        return 0
    arc = arc_between(state, left, right)
    if arc != NONE:
        return 1 + 2 * state.arcs[arc].label
    arc = arc_between(state, right, left)
    return 0 if arc == NONE else 2 + 2 * state.arcs[arc].label


cdef inline int mark_descendants(const StateC* state, int node, char* marks) except -1 nogil:
    """Mark a node and all its descendants that are not marked yet."""
    cdef vector[int32_t] todo
    cdef int arc
    if not marks[node]:
        marks[node] = True
        todo.push_back(node)
    while not todo.empty():
        arc = state.arc_out[todo.back()]
        todo.pop_back()
        while arc != NONE:
            if not marks[state.arcs[arc].dependent]:
                marks[state.arcs[arc].dependent] = True
                todo.push_back(state.arcs[arc].dependent)
            arc = state.arcs[arc].next_out


cdef inline bint is_path(const StateC* state, int ancestor, int descendant) except -1 nogil:
    cdef vector[char] marks
    marks.resize(state.n_words + 1)
    mark_descendants(state, ancestor, marks.data())
    return marks[descendant]


cdef inline const LinkC* find_link(const GoldC* gold, int node, int other) noexcept nogil:
    """Return the gold link from one node to another; NULL if there is none."""
    cdef int i
    for i in range(gold.first_link[node], gold.first_link[node + 1]):
        if gold.link[i].node == other:
            return &gold.link[i]
    return NULL


cdef inline int n_open_to_buffer(const StateC* state, const GoldC* gold, int node) noexcept nogil:
    """Count the open gold links of a stack word with words of the buffer."""
    cdef int i = gold.first_link[node + 1], b = front(state, 0), count = 0
    while b != NONE and i > gold.first_link[node] and gold.link[i - 1].node >= b:
        i -= 1
        count += not are_linked(state, node, gold.link[i].node)
    return count


cdef inline int n_open_to_stack(const StateC* state, const GoldC* gold, int node) noexcept nogil:
    """Count the open gold links of a word with words on the stack."""
    cdef int i, count = 0
    for i in range(gold.first_link[node], gold.first_link[node + 1]):
        count += (state.place[gold.link[i].node] == STACK
                  and not are_linked(state, node, gold.link[i].node))
    return count
