"""Scripts that make lemmas of forms, for compiled code."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport Text

cdef struct Script:
    int32_t casing
    int32_t cut_start         # characters of the form …
    int32_t cut_end
    size_t add_start          # … and where the bytes in their place begin, among all of them;
    size_t add_end            # those for the start end where those for the end begin
    size_t stop


cdef class LemmaScripts:
    cdef vector[Script] scripts
    cdef vector[char] added             # of all scripts, one after the other

    cdef bint keeps(self, int number) noexcept nogil
    cdef int _add(self, bytes text) except -1
    cdef int put(self, size_t start, size_t stop, vector[char]& out) except -1 nogil
    # Add the lemma that a script makes of a form to the end of `out`.
    cdef int apply(self, int number, Text form, vector[char]& out) except -1 nogil
