from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport LEFT_ARC, RIGHT_ARC
from dodona.core.transitions.state cimport StateC, top
from dodona.core.transitions.system cimport System


cdef inline bint waits(const StateC* state, const GoldC* gold, int node) noexcept nogil:
    """Whether a gold dependent of the node has no head yet."""
    cdef int i
    for i in range(gold.first[node], gold.first[node + 1]):
        if state.head[gold.child[i]] == NONE:
            return True
    return False


cdef inline int gold_arc(const StateC* state, const GoldC* gold) noexcept nogil:
    """Return the move that builds a gold arc whose dependent is complete, or NONE."""
    cdef int s0 = top(state, 0), s1 = top(state, 1)
    if s1 == NONE:
        return NONE
    if s1 != state.root and gold.head[s1] == s0 and not waits(state, gold, s1):
        return LEFT_ARC
    if gold.head[s0] == s1 and not waits(state, gold, s0):
        return RIGHT_ARC
    return NONE


cdef int kept(const vector[int32_t]& left, const vector[int32_t]& buffer,
              const GoldC* gold) except -1 nogil


cdef class ArcStandard(System):
    pass
