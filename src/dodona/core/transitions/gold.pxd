"""Gold trees and graphs in compiled form: heads, labels and children, or links."""
from libc.stdint cimport int32_t

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport StateC

cdef struct GoldArc:
    int32_t head
    int32_t label             # an id, UNSEEN or ANY
    int32_t dependent

cdef struct LinkC:            # the gold arcs of one node with another
    int32_t node              # the other node
    int32_t label_out         # of the arc to it: an id, UNSEEN or ANY; NONE: no such arc
    int32_t label_in          # of the arc from it

cdef struct GoldC:            # read-only once it is built
    int32_t n_words
    const int32_t* head       # by node, NONE … n + 1; NONE: not annotated
    const int32_t* label      # NONE: not annotated; UNSEEN: not among the system's labels
    const int32_t* first      # children of node h: child[first[h]] … child[first[h + 1] - 1]
    const int32_t* child      # ascending
    const int32_t* first_link  # in graphs, instead of the above: the links of node h are
    const LinkC* link         # link[first_link[h]] … link[first_link[h + 1] - 1], ascending
    const int32_t* plan       # computed by `System.plan`

cdef enum:
    UNSEEN = -2               # a label that is always wrong
    ANY = -3                  # label of a graph's arc that is not annotated: none is wrong


cdef inline bint label_is_wrong(const GoldC* gold, int word, int label) noexcept nogil:
    """Whether a label differs from the gold label of a word, if that is annotated."""
    return gold.label[word] != label and gold.label[word] != NONE


cdef inline int dependents_at(const StateC* state, const GoldC* gold, int node,
                              int place) noexcept nogil:
    """Count the gold dependents of a node on the stack or in the buffer."""
    cdef int i, count = 0
    for i in range(gold.first[node], gold.first[node + 1]):
        count += state.place[gold.child[i]] == place
    return count


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


cdef class EncodedGold:       # immutable and shared by threads
    cdef GoldC c
    cdef Gold gold
    cdef bytearray block      # what `c` points into
