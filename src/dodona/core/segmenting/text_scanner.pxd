"""A scanner over a text: the current candidate boundary and the tokens found so far."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport N_KINDS, CodePoints
from dodona.core.segmenting.lexicon_index cimport LexiconIndex
from dodona.core.segmenting.text_words cimport TextWord

cdef enum:
    SAME                # the token goes on
    TOKEN               # a token begins
    SENTENCE            # a sentence begins
    N_LABELS
    ASK = N_LABELS      # in the pair table: the model decides
    N_PAIRS = 2 * N_KINDS * N_KINDS

cdef enum:
    BEGINS_SENTENCE = 1
    BEGINS_PARAGRAPH = 2
    BEGINS_ITEM = 4     # a line that follows an item of a list and may be another

cdef struct TokenSpan:
    Py_ssize_t start
    Py_ssize_t end
    uint64_t hash       # of its characters in lower case (`string_hash`)
    int flags

cdef struct TextRun:    # the token or chunk being read
    Py_ssize_t start
    uint64_t hash
    uint64_t stem       # the hash without its last character
    uint64_t shape      # hash of its character kinds, runs of one kind counted once
    uint8_t last_kind


cdef class TextScanner:
    cdef CodePoints text
    cdef const uint32_t* low
    cdef const uint8_t* kind
    cdef Py_ssize_t n                   # end of the text
    cdef Py_ssize_t stop                # the scan ends where a sentence begins here or later
    cdef const uint8_t* pair_labels     # N_PAIRS: a label or ASK
    cdef bytes pair_table               # owns them
    cdef bint by_lines                  # a sentence is a line
    cdef const uint8_t* forbidden       # labels that a boundary may not have, as bits; or NULL
    cdef bytes forbidden_labels         # owns them
    cdef LexiconIndex lexicon                # or None
    cdef Py_ssize_t at                  # the boundary: does this character continue the token?
    cdef Py_ssize_t gap                 # start of the white space before it, `at` if there is none
    cdef int n_line_ends                # in that white space
    cdef Py_ssize_t sentence_start
    cdef Py_ssize_t line_start          # start of the line or the sentence, whichever is later
    cdef Py_ssize_t atom_end            # no boundary before: inside a URL or another whole pattern
    cdef Py_ssize_t pattern_end
    cdef uint8_t pattern                # found at the start of the token
    cdef int n_tokens                   # complete tokens of the sentence
    cdef int depth                      # open brackets
    cdef uint8_t base_kind              # of the last character that is not a MARK
    cdef TextRun token
    cdef TextRun chunk                  # text since the last white space
    cdef uint64_t before                # hashes of the two preceding tokens of the sentence
    cdef uint64_t before2
    cdef vector[TokenSpan] tokens
    cdef vector[TextWord] words         # with a lexicon that has tags
    cdef Py_ssize_t word                # index of the first of them from `at` on (`find_word`)
    cdef Py_ssize_t first_word          # of the sentence
    cdef bint starts_in_list            # the text follows an item of a list
    cdef bint in_list                   # the current line follows an item

    cdef bint begin(self, Py_ssize_t first, Py_ssize_t end) except -1 nogil
    cdef bint next_boundary(self) except -1 nogil
    cdef int forced(self) noexcept nogil
    cdef int usual(self) noexcept nogil
    cdef int permitted(self, int label) noexcept nogil
    cdef size_t pair(self) noexcept nogil
    cdef bint may_join(self) noexcept nogil
    cdef bint may_end(self) noexcept nogil
    cdef bint ends_item(self) noexcept nogil
    cdef uint64_t slack(self) noexcept nogil
    cdef void find_word(self) noexcept nogil
    cdef int take(self, int label) except -1 nogil
    cdef void finish(self) noexcept nogil
    cdef int start_token(self, int flags) except -1 nogil
    cdef void read(self, Py_ssize_t i) noexcept nogil
    cdef void recognise(self, Py_ssize_t i) noexcept nogil
    cdef bint begins_item(self, Py_ssize_t i) noexcept nogil
    cdef bint ends_word(self, uint8_t kind) noexcept nogil
    cdef bint ends_abbreviation(self, uint8_t kind) noexcept nogil
