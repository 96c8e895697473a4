"""Scripts that make lemmas of forms, for compiled code."""
from libc.stdint cimport int32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport Text

cdef struct Script:
    int32_t casing
    int32_t cut_start         # characters of the form …
    int32_t cut_end
    string add_start          # … and the bytes in their place
    string add_end


cdef class LemmaScripts:
    cdef vector[Script] scripts

    # Add the lemma that a script makes of a form to the end of `out`.
    cdef void apply(self, int number, Text form, vector[char]& out) noexcept nogil
