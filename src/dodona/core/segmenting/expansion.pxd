"""Expansion of multiword tokens: rules, the tokens they apply to, and the choice among them."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from dodona.core.segmenting.text_scanner cimport TokenSpan, TextScanner
from dodona.core.weights.packed cimport PackedWeights

cdef enum:
    WHOLE               # the rule is for one token
    SUFFIX              # for every token with this ending
    PREFIX
    N_SIDES
    MAX_AFFIX = 16

cdef enum:
    ONE_WORD = 0        # the class of a token that is not expanded; rules count from 1
    AMBIGUOUS = -1      # the model decides
    MAX_TOKEN_KEYS = 32  # their weights, up to 127 * 8 each, sum to less than 2 ** 15
    N_FILTER = 1 << 12


cdef class RuleIndex:
    cdef readonly int n_rules
    cdef readonly int n_chosen                          # the model chooses among the first
    cdef unordered_map[uint64_t, vector[int]] rules     # by side and affix
    cdef unordered_map[uint64_t, int] known             # tokens with a fixed rule, or none
    cdef bint filter[N_FILTER]                          # False: no rule with this key % N_FILTER
    cdef unsigned int lengths[N_SIDES]                  # bit set of affix lengths, by side
    # by rule: the length of its ending, or minus that of its beginning; 0 if it is WHOLE
    cdef vector[int] affix_of
    cdef readonly bint reads_rests                      # keys tell whether the rest is a word

    cdef int fixed_rule(self, const TokenSpan* token) noexcept nogil
    cdef int candidates(self, TextScanner scanner, const TokenSpan* token,
                        vector[int]& found) except -1 nogil
    cdef bint has_whole(self, uint64_t hash) noexcept nogil
    cdef int find(self, int side, uint64_t hash, vector[int]& found) except -1 nogil


cdef class TokenExpander:
    cdef readonly RuleIndex index
    cdef readonly PackedWeights weights

    cdef int run(self, TextScanner scanner, vector[int]& rules) except -1 nogil
    cdef int choose(self, TextScanner scanner, size_t i, const vector[int]& found,
                    vector[int16_t]& scores) except -1 nogil


cdef uint64_t known_as(TextScanner scanner, Py_ssize_t start, Py_ssize_t end) noexcept nogil
cdef int fill_token(TextScanner scanner, size_t i, RuleIndex index, const vector[int]& found,
                    uint64_t* keys) noexcept nogil
