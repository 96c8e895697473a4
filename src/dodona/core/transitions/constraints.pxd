"""What a treebank's rules forbid of single arcs, given the words and the arcs around them."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System

cdef enum:                    # rules
    BY_TAG, BY_DIRECTION, BY_HEAD, BY_NUMBER, BY_CHILDREN, N_RULES

cdef enum:
    TAG_BITS = 5              # of the kind of a word: its tag; then what else is to be known of it
    NEGATES = 1 << TAG_BITS
    POSSESSES = 2 << TAG_BITS
    N_TAGS = 1 << TAG_BITS
    N_RELATIONS = 64

cdef class Constraints:
    cdef vector[int32_t] relation               # per label: its number
    cdef uint64_t children[N_RELATIONS]         # per relation: those that its dependents may have
    cdef uint64_t parents[N_RELATIONS]          # per relation: those that its head may have
    cdef uint64_t by_tag[N_TAGS]                # per tag of a word: the relations it may have
    cdef uint64_t under_tag[N_TAGS]             # per tag of a word: those its dependents may have
    cdef uint64_t rightwards                    # whose head must come first
    cdef vector[uint64_t] single                # sets of which a head has one at the most
    cdef uint64_t negation                      # what a word that negates may be nearly anywhere …
    cdef uint64_t not_negated                   # … but under these
    cdef uint64_t owned                         # what may be under …
    cdef uint64_t owner                         # … this, if the word possesses

    cdef void fill(self, const StateC* state, const int32_t* kinds, int head, int word,
                   uint64_t* masks) noexcept nogil
    cdef uint64_t allowed(self, const StateC* state, const int32_t* kinds, int head,
                          int word) noexcept nogil
    cdef bint allows(self, System system, const StateC* state, const int32_t* kinds, int move,
                     int label) noexcept nogil
    cdef bint forbids_arc(self, System system, const StateC* state, const int32_t* kinds, int move,
                          int label) noexcept nogil
    cdef bint hold(self, const StateC* state, const int32_t* kinds) noexcept nogil
