"""The reference tree as the core sees it: heads, labels, and the children of each node in order."""
from libc.stdint cimport int32_t

cdef struct LinkC:            # two nodes that gold arcs join, as one of them sees it
    int32_t node              # the other
    int32_t label_out         # of the arc to it, or NONE
    int32_t label_in          # of the arc from it, or NONE

cdef struct GoldC:
    int32_t n_words
    int32_t* head             # by node, NONE … n + 1; NONE: not annotated
    int32_t* label
    int32_t* first            # children of node h: child[first[h]] … child[first[h + 1] - 1]
    int32_t* child            # ascending
    int32_t* first_link       # of a graph, instead of all that: links of node h are
    LinkC* link               # link[first_link[h]] … link[first_link[h + 1] - 1], ascending


cdef size_t gold_size(int n_words) noexcept nogil
cdef void build_gold(GoldC* gold, void* block, int n_words, const int32_t* heads,
                     const int32_t* labels, int root) noexcept nogil


cdef class Gold:
    cdef readonly int n_words
    cdef readonly tuple heads
    cdef readonly tuple labels
    cdef readonly frozenset arcs
