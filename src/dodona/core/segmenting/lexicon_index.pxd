"""Word classes and pattern states that the segmenter's features read."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.segmenting.patterns cimport N_PATTERNS

cdef enum:              # bit fields of a word class
    WRITING = 3         # its usual case inside sentences
    STARTER = 4         # begins sentences more often than chance predicts
    ABBREVIATION = 24   # confidence that a following period is part of it
    FOLLOWER = 96       # what usually follows that period
    LIKE_CAPITAL = WRITING | STARTER

cdef enum:
    VERB_TAG = 128          # bit of the tags of verbs

cdef enum:              # states of a pattern
    UNKNOWN_PATTERN     # never matched
    OPEN_PATTERN        # the treebank splits some matches: the model decides
    WHOLE_PATTERN       # every match is one token


cdef class LexiconIndex:
    cdef vector[uint64_t] key           # open addressing; 0 marks an empty slot
    cdef vector[uint8_t] value
    cdef uint8_t patterns[N_PATTERNS]
    cdef vector[uint8_t] tag            # grammatical classes; all 0 in files older than tags
    cdef bint has_abbreviations
    cdef bint has_writings
    cdef bint has_tags
    cdef vector[uint32_t] string        # open addressing, as above
    cdef vector[uint8_t] entropies
    cdef bint has_strings

    cdef int add_strings(self, const uint32_t[::1] strings, const uint8_t[::1] classes) except -1
    cdef uint8_t of(self, uint64_t hash) noexcept nogil
    cdef size_t slot(self, uint64_t hash) noexcept nogil
    cdef uint8_t string_class(self, uint64_t hash) noexcept nogil
