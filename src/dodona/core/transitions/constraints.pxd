"""Constraints on single arcs, given the tags of words and the arcs around them."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System

cdef enum:                    # rules
    BY_TAG, BY_DIRECTION, BY_SPAN, BY_HEAD, BY_NUMBER, BY_CHILDREN, N_RULES

cdef enum:
    TAG_BITS = 5              # bits of the tag in a word's kind; flags follow
    NEGATES = 1 << TAG_BITS
    POSSESSES = 2 << TAG_BITS
    NOMINAL = 4 << TAG_BITS
    GLUED = 8 << TAG_BITS     # no white space follows
    N_TAGS = 1 << TAG_BITS
    N_RELATIONS = 64

cdef class Constraints:
    cdef vector[int32_t] relation               # id of each label's relation
    cdef uint64_t children[N_RELATIONS]         # relations allowed below each relation
    cdef uint64_t parents[N_RELATIONS]          # relations allowed above each relation
    cdef uint64_t by_tag[N_TAGS]                # relations allowed for words of each tag
    cdef uint64_t under_tag[N_TAGS]             # relations allowed below words of each tag
    cdef uint64_t rightwards                    # relations whose head must come first
    cdef uint64_t spanning                      # relations of the separated parts of one word
    cdef uint64_t leaves                        # relations with restricted children
    cdef vector[uint64_t] single                # sets of which a head has at most one …
    cdef uint64_t once                          # … and their union
    cdef uint64_t negation                      # relations of NEGATES words, allowed below all …
    cdef uint64_t not_negated                   # … relations but these
    cdef uint64_t owned                         # relations allowed below …
    cdef uint64_t owner                         # … these, if the head POSSESSES
    cdef uint64_t oblique                       # relations that complete trees do not have below …
    cdef uint64_t argument                      # … these, if the head is NOMINAL

    cdef void fill(self, const StateC* state, const int32_t* kinds, int head, int word,
                   uint64_t* masks) noexcept nogil
    cdef uint64_t allowed_below(self, const StateC* state, const int32_t* kinds, int head,
                                int word) noexcept nogil
    cdef uint64_t allowed_above(self, const StateC* state, const int32_t* kinds,
                                int word) noexcept nogil
    cdef uint64_t allowed_beside(self, const StateC* state, int head, int word) noexcept nogil
    cdef bint fits(self, const StateC* state, const int32_t* kinds, int head, int word,
                   int label) noexcept nogil
    cdef bint spans(self, const StateC* state, const int32_t* kinds, int head,
                    int word) noexcept nogil
    cdef bint is_misplaced(self, const StateC* state, const int32_t* kinds,
                           int word) noexcept nogil
    cdef uint64_t allowed(self, const StateC* state, const int32_t* kinds, int head,
                          int word) noexcept nogil
    cdef bint allows(self, System system, const StateC* state, const int32_t* kinds, int move,
                     int label) noexcept nogil
    cdef bint forbids_arc(self, System system, const StateC* state, const int32_t* kinds, int move,
                          int label) noexcept nogil
    cdef bint hold(self, const StateC* state, const int32_t* kinds) noexcept nogil
