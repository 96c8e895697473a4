"""State of the scanner, for the reader, and its status codes."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.treebank.conllu.checks cimport Bytes

cdef enum Status:
    GO_ON, NEED_MORE, SENTENCE_END, FILE_END
    # errors of a line
    BAD_UTF8, BAD_COLUMNS, EMPTY_FIELD, LATE_COMMENT, BAD_ID, NOT_IN_CONLLX
    BAD_RANGE, REVERSED_RANGE, RANGE_OVERLAP, BAD_EMPTY_NODE, BAD_HEAD
    # errors of a sentence
    TOO_LONG, NO_WORDS, RANGE_BEYOND, HEAD_BEYOND, NO_ROOT, CYCLE, NO_SENTENCE

cdef enum Trees:
    REQUIRED, OPTIONAL, IGNORED


cdef class Scanner:
    cdef bint is_conllx
    cdef int trees, max_words
    cdef Py_ssize_t max_bytes

    cdef vector[unsigned char] buffer   # [begin, end) is filled, then a line end as a sentinel
    cdef Py_ssize_t begin, pos, end     # start of the sentence, of the next line, of free space
    cdef bint is_started, is_eof
    cdef Py_ssize_t line                # number of the line at pos

    # the sentence being read; offsets count from its first byte
    cdef vector[int32_t] start, head, mark
    cdef int n_words, n_empty, range_end
    cdef bint has_words, is_after_range
    cdef Py_ssize_t line_at_begin, first_line, range_line
    cdef int culprit                    # the word an error is about
    cdef bint is_skipping, is_mid_line  # not a sentence: only find its blank line

    cdef int scan(self) noexcept nogil
    cdef int feed(self, bytes chunk) except -1
    cdef void begin_sentence(self) noexcept nogil
    cdef void stop(self) noexcept nogil
    cdef int check_sentence(self) except -1
    cdef bytes take(self, Py_ssize_t stop)
    cdef tuple explain(self, int status)

    cdef int scan_line(self) noexcept nogil
    cdef int skip_line(self) noexcept nogil
    cdef int skip_byte_order_mark(self) noexcept nogil
    cdef int scan_comment(self) noexcept nogil
    cdef Py_ssize_t end_of_line(self) noexcept nogil
    cdef void next_line(self, Py_ssize_t line_end) noexcept nogil
    cdef int check_word(self, Bytes base, const int32_t* start) noexcept nogil
    cdef int check_other_id(self, Bytes p, Bytes stop) noexcept nogil
    cdef str explain_line(self, int status, bytes line)
    cdef str explain_cycle(self)
    cdef Py_ssize_t line_of(self, int word)
