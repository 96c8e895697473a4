"""The reference as the core sees it: a tree's heads, labels, children, or the links of a graph."""
from libc.stdint cimport int32_t

from dodona.core.base.nodes cimport NONE

cdef struct GoldArc:
    int32_t head
    int32_t label             # an id, UNSEEN or ANY
    int32_t dependent

cdef struct LinkC:            # two nodes that gold arcs join, as one of them sees it
    int32_t node              # the other
    int32_t label_out         # of the arc to it: an id, UNSEEN or ANY; NONE: there is no such arc
    int32_t label_in          # of the arc from it, likewise

cdef struct GoldC:             # read-only once it is built
    int32_t n_words
    const int32_t* head       # by node, NONE … n + 1; NONE: not annotated
    const int32_t* label      # NONE: not annotated; UNSEEN: none that the system has
    const int32_t* first      # children of node h: child[first[h]] … child[first[h + 1] - 1]
    const int32_t* child      # ascending
    const int32_t* first_link  # of a graph, instead of all that: links of node h are
    const LinkC* link         # link[first_link[h]] … link[first_link[h + 1] - 1], ascending
    const int32_t* plan       # what the system's oracle worked out, if it did: `System.plan`

cdef enum:
    UNSEEN = -2               # a label that is always wrong
    ANY = -3                  # of an arc in a graph: not annotated, so that none is wrong


cdef inline bint label_is_wrong(const GoldC* gold, int word, int label) noexcept nogil:
    """Whether an arc to the word would get a label that is known not to be its own."""
    return gold.label[word] != label and gold.label[word] != NONE


cdef size_t gold_size(int n_words) noexcept nogil
cdef int32_t* build_gold(GoldC* gold, void* block, int n_words, const int32_t* heads,
                         const int32_t* labels, int root) noexcept nogil
cdef size_t links_size(int n_words, size_t n_arcs) noexcept nogil
cdef int build_links(GoldC* gold, void* block, int n_words, const GoldArc* arcs,
                     size_t n_arcs) except -1 nogil


cdef class Gold:
    cdef readonly int n_words
    cdef readonly tuple heads
    cdef readonly tuple labels
    cdef readonly frozenset arcs


cdef class EncodedGold:       # a Gold as a system sees it; never changed: threads may share it
    cdef GoldC c
    cdef Gold gold
    cdef bytearray block      # what `c` points into
