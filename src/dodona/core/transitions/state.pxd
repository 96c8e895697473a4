"""A parser configuration in one flat block: stack, buffer, arcs, and columns for features.

Columns are indexed by node (`base/nodes.pxd`), including NONE, so that "the head of the head of the
top" needs no test: NONE leads to NONE.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE

cdef enum:
    N_HISTORY = 2             # last actions, recorded in states of graph systems

cdef enum Place:
    GONE, STACK, BUFFER

cdef struct ArcC:             # an arc of a graph
    int32_t head
    int32_t label
    int32_t dependent
    int32_t next_in           # the preceding arc with the same dependent, or NONE
    int32_t next_out          # the preceding arc with the same head, or NONE

cdef struct StateC:
    int32_t n_words
    int32_t root              # node of the artificial root: 0, n_words + 1, or NONE
    int32_t n_stack
    int32_t n_buffer
    int32_t* stack            # bottom first
    int32_t* buffer           # back first: the front is the last element
    int32_t* place            # by node, like all below: a Place
    int32_t* head             # NONE: no head yet
    int32_t* label            # NONE: no label yet
    int32_t* left             # leftmost and second leftmost child
    int32_t* left2
    int32_t* right            # rightmost and second rightmost child
    int32_t* right2
    int32_t* n_left           # number of children on either side
    int32_t* n_right
    int32_t* sibling          # the preceding child of its head on the same side
    int32_t* note             # for use by the system, initially 0
    uint64_t* left_labels     # bit set of the labels of children (modulo 64)
    uint64_t* right_labels
    uint64_t* labels_before   # that set of its head before it was attached
    int32_t max_arcs          # capacity; 0 in tree systems, which do not use the rest
    int32_t n_arcs
    ArcC* arcs                # in the order they were built; `head` and `label` hold the last
    int32_t* arc_in           # by node: the last arc into it and out of it, or NONE
    int32_t* arc_out
    int32_t* head2            # the last head but one, or NONE
    int32_t* n_heads
    int32_t* head_labels      # hash of the labels of all arcs into it
    int32_t* history          # the last N_HISTORY actions, for features
    void* block
    size_t n_bytes


cdef size_t state_size(int n_words, int max_arcs=*) noexcept nogil
cdef void lay_out(StateC* state, void* block, int n_words, int max_arcs=*) noexcept nogil
cdef void clear(StateC* state) noexcept nogil


cdef inline void copy(StateC* target, const StateC* source) noexcept nogil:
    """Copy a configuration into one laid out for as many words and arcs."""
    target.root, target.n_stack, target.n_buffer = source.root, source.n_stack, source.n_buffer
    target.n_arcs = source.n_arcs
    memcpy(target.block, source.block, source.n_bytes)


cdef inline int top(const StateC* state, int depth) noexcept nogil:
    return state.stack[state.n_stack - 1 - depth] if depth < state.n_stack else NONE


cdef inline int front(const StateC* state, int depth) noexcept nogil:
    return state.buffer[state.n_buffer - 1 - depth] if depth < state.n_buffer else NONE


cdef inline void push(StateC* state, int node) noexcept nogil:
    state.stack[state.n_stack] = node
    state.n_stack += 1
    state.place[node] = STACK


cdef inline int pop(StateC* state) noexcept nogil:
    state.n_stack -= 1
    state.place[state.stack[state.n_stack]] = GONE
    return state.stack[state.n_stack]


cdef inline int next_word(StateC* state) noexcept nogil:
    """Remove the front of the buffer and return it."""
    state.n_buffer -= 1
    state.place[state.buffer[state.n_buffer]] = GONE
    return state.buffer[state.n_buffer]


cdef inline void add_arc(StateC* state, int head, int label, int dependent) noexcept nogil:
    """Add an arc; the dependent must lie outside the head's children so far."""
    cdef uint64_t bit = <uint64_t> 1 << (label & 63)
    state.head[dependent] = head
    state.label[dependent] = label
    state.sibling[dependent] = state.left[head] if dependent < head else state.right[head]
    state.labels_before[dependent] = (state.left_labels[head] if dependent < head
                                      else state.right_labels[head])
    if dependent < head:
        state.left2[head] = state.left[head]
        state.left[head] = dependent
        state.n_left[head] += 1
        state.left_labels[head] |= bit
    else:
        state.right2[head] = state.right[head]
        state.right[head] = dependent
        state.n_right[head] += 1
        state.right_labels[head] |= bit


cdef inline void add_arc_anywhere(StateC* state, int head, int label, int dependent) noexcept nogil:
    """Add an arc; the dependent may lie inside the head's children so far."""
    cdef int left = state.left[head], left2 = state.left2[head]
    cdef int right = state.right[head], right2 = state.right2[head]
    add_arc(state, head, label, dependent)
    if dependent < head and left != NONE and left < dependent:
        state.left[head] = left
        state.left2[head] = dependent if left2 == NONE else min(left2, dependent)
    elif dependent > head and right > dependent:
        state.right[head] = right
        state.right2[head] = max(right2, dependent)


cdef inline void remove_arc(StateC* state, int dependent) noexcept nogil:
    """Remove the arc to a word that is the last child attached to its head on that side."""
    cdef int head = state.head[dependent], last = state.sibling[dependent]
    if dependent < head:
        state.left[head] = last
        state.left2[head] = state.sibling[last]
        state.n_left[head] -= 1
        state.left_labels[head] = state.labels_before[dependent]
    else:
        state.right[head] = last
        state.right2[head] = state.sibling[last]
        state.n_right[head] -= 1
        state.right_labels[head] = state.labels_before[dependent]
    state.head[dependent] = state.label[dependent] = NONE
