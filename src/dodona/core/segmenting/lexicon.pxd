"""What a segmenter knows of words and patterns, beside its weights."""
from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.segmenting.patterns cimport N_PATTERNS

cdef enum:              # the class of a word: a byte of four fields
    WRITING = 3         # how it is written where no sentence begins
    STARTER = 4         # begins sentences more often than chance would have it
    ABBREVIATION = 24   # how sure it is that a period after it is part of it
    FOLLOWER = 96       # what mostly follows that period
    LIKE_CAPITAL = WRITING | STARTER

cdef enum:              # of patterns
    UNKNOWN_PATTERN     # not looked for
    OPEN_PATTERN        # the treebank parts some of them: the model is asked
    WHOLE_PATTERN


cdef class Lexicon:
    cdef vector[uint64_t] key           # a table with open addresses; 0 is none
    cdef vector[uint8_t] value
    cdef uint8_t patterns[N_PATTERNS]
    cdef bint has_abbreviations
    cdef bint has_writings              # of any word

    cdef uint8_t of(self, uint64_t hash) noexcept nogil
