"""Slots: which node of a state is the leftmost child of the top of the stack?"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport StateC, front, top

cdef enum:
    MAX_SLOTS = 64

# indices of the relations that templates.py lists, in its order (features.pyx checks it)
cdef enum:
    HEAD, LEFT, LEFT2, RIGHT, RIGHT2, HEAD2, TREE_HEAD, N_RELATIONS

cdef struct Slot:
    int32_t parent            # an earlier slot to follow a relation from, or NONE …
    int32_t step              # … the relation; or else the depth in the stack or the buffer
    bint in_buffer


cdef inline uint64_t find_nodes(const vector[Slot]& slots, const StateC* state,
                                const int32_t* tree_head, int32_t* node) noexcept nogil:
    """Write the node in every slot; return the set of the slots that are filled.

    `tree_head` has the heads of a basic tree by node, if a slot follows them.
    """
    cdef const int32_t* relation[N_RELATIONS]
    cdef uint64_t filled = 0
    cdef size_t i
    cdef const Slot* slot
    relation[HEAD], relation[HEAD2] = state.head, state.head2
    relation[LEFT], relation[LEFT2] = state.left, state.left2
    relation[RIGHT], relation[RIGHT2] = state.right, state.right2
    relation[TREE_HEAD] = tree_head
    for i in range(slots.size()):
        slot = &slots[i]
        if slot.parent != NONE:
            node[i] = relation[slot.step][node[slot.parent]]
        elif slot.in_buffer:
            node[i] = front(state, slot.step)
        elif slot.step == state.n_stack and state.root == NONE:
            node[i] = 0       # below the last word is the root, although it is no node
        else:
            node[i] = top(state, slot.step)
        filled |= <uint64_t> (node[i] != NONE) << i
    return filled


cdef inline int distance_class(int s, int b) noexcept nogil:
    """Return 1 … 5 for these distances, 6 for 6 … 10, 7 beyond, and 0 for swapped words."""
    cdef int distance = b - s
    return 7 if distance > 10 else 6 if distance > 5 else max(distance, 0)
