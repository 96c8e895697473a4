"""A walk through a text: the places where something may end, and the tokens found so far."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport N_KINDS, CodePoints
from dodona.core.segmenting.lexicon cimport Lexicon

cdef enum:
    SAME                # the token goes on
    TOKEN               # a token begins
    SENTENCE            # a sentence begins
    N_LABELS
    ASK = N_LABELS      # in the table of pairs: nothing is certain
    N_PAIRS = 2 * N_KINDS * N_KINDS

cdef enum:
    BEGINS_SENTENCE = 1
    BEGINS_PARAGRAPH = 2

cdef struct Token:
    Py_ssize_t start
    Py_ssize_t end
    uint64_t hash       # of its characters in lower case
    int flags

cdef struct Piece:      # a token or chunk that is being read
    Py_ssize_t start
    uint64_t hash
    uint64_t stem       # the hash without its last character
    uint64_t shape      # kinds of its characters, runs of one kind counted once
    uint8_t last_kind


cdef class Walk:
    cdef CodePoints text
    cdef const uint32_t* low
    cdef const uint8_t* kind
    cdef Py_ssize_t n                   # where the text ends
    cdef const uint8_t* certain         # N_PAIRS: a label or ASK
    cdef bytes table                    # keeps them alive
    cdef bint by_lines                  # a sentence is a line
    cdef Lexicon lexicon                # or None
    cdef Py_ssize_t at                  # the place: what stands here is added to the token or not
    cdef Py_ssize_t gap                 # where the white space before it begins; `at` if none does
    cdef int n_line_ends                # in that white space
    cdef Py_ssize_t sentence_start
    cdef Py_ssize_t line_start          # or where the sentence begins, if that is later
    cdef Py_ssize_t atom_end            # a URL or the like must not be split before
    cdef Py_ssize_t pattern_end
    cdef uint8_t pattern                # that the token began with
    cdef int n_tokens                   # of the sentence, complete ones
    cdef int depth                      # brackets that are open
    cdef uint8_t base_kind              # of the last character that is no mark
    cdef Piece token
    cdef Piece chunk                    # what was read since white space
    cdef uint64_t before                # hashes of the tokens before, in the sentence
    cdef uint64_t before2
    cdef vector[Token] tokens

    cdef bint begin(self, Py_ssize_t first, Py_ssize_t end) except -1 nogil
    cdef bint next_place(self) except -1 nogil
    cdef int forced(self) noexcept nogil
    cdef size_t pair(self) noexcept nogil
    cdef bint may_join(self) noexcept nogil
    cdef int take(self, int label) except -1 nogil
    cdef void finish(self) noexcept nogil
    cdef int start_token(self, int flags) except -1 nogil
    cdef void read(self, Py_ssize_t i) noexcept nogil
    cdef void recognise(self, Py_ssize_t i) noexcept nogil
    cdef bint begins_item(self, Py_ssize_t i) noexcept nogil
    cdef bint ends_word(self, uint8_t kind) noexcept nogil
    cdef bint ends_abbreviation(self, uint8_t kind) noexcept nogil
