"""Scripts that turn forms into lemmas, compiled."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport Text

cdef struct Script:
    int32_t casing
    int32_t cut_start         # characters to remove
    int32_t cut_end
    size_t add_start          # bytes to add at the start: added[add_start:add_end]
    size_t add_end            # bytes to add at the end: added[add_end:stop]
    size_t stop


cdef enum Casing:
    LOWER = 0
    KEPT = 1
    TITLE = 2
    WHOLE = 3


cdef class LemmaScripts:
    cdef vector[Script] scripts
    cdef vector[char] added             # added bytes of all scripts

    cdef bint keeps(self, int number) noexcept nogil
    cdef int _add(self, bytes text) except -1
    cdef int put(self, size_t start, size_t stop, vector[char]& out) except -1 nogil
    cdef int apply(self, int number, Text form, vector[char]& out) except -1 nogil
