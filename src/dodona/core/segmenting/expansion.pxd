"""Which tokens are several words: rules, where they apply, and what tells them apart."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from dodona.core.segmenting.places cimport Token, Walk
from dodona.core.weights.packed cimport PackedWeights

cdef enum:
    WHOLE               # the rule is for one token
    SUFFIX              # for all that end like this
    PREFIX
    N_SIDES
    MAX_AFFIX = 16

cdef enum:
    ONE_WORD = 0        # the class of a token that stays as it is; rules count from 1
    UNCERTAIN = -1
    MAX_TOKEN_KEYS = 24
    N_FILTER = 1 << 12


cdef class RuleIndex:
    cdef readonly int n_rules
    cdef readonly int n_chosen                          # the first of them: by weights
    cdef unordered_map[uint64_t, vector[int]] rules     # by side and affix
    cdef unordered_map[uint64_t, int] known             # tokens that are certain
    cdef bint filter[N_FILTER]                          # False: no rule has this address
    cdef unsigned int lengths[N_SIDES]                        # of affixes, a bit each, by side

    cdef int certain(self, const Token* token) noexcept nogil
    cdef int candidates(self, Walk walk, const Token* token,
                        vector[int]& found) except -1 nogil
    cdef bint has_whole(self, uint64_t hash) noexcept nogil
    cdef int find(self, int side, uint64_t hash, vector[int]& found) except -1 nogil


cdef class Expansion:
    cdef readonly RuleIndex index
    cdef readonly PackedWeights weights

    cdef int run(self, Walk walk, vector[int]& rules) except -1 nogil
    cdef int choose(self, Walk walk, size_t i, const vector[int]& found,
                    vector[int16_t]& scores) except -1 nogil


cdef int fill_token(Walk walk, size_t i, bint by_form, uint64_t* keys) noexcept nogil
