"""Correction of the model's choice of lemma scripts for unknown words."""
from libc.stdint cimport uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector

from dodona.tagging.lemma_scripts cimport LemmaScripts
from dodona.treebank.sentence cimport Text


cdef class LemmaCorrection:
    cdef readonly LemmaScripts scripts
    cdef unordered_map[uint64_t, int] endings           # by form and tags: scripts of exceptions
    cdef unordered_set[uint64_t] lemmas
    cdef unordered_set[uint64_t] prefixes
    cdef unordered_map[uint32_t, vector[int]] usual     # by tags: most frequent scripts
    cdef unordered_set[uint64_t] endings_cut            # by ending and script; empty: all
    cdef unordered_set[uint32_t] names                  # tags whose lemmas have capitals
    cdef vector[int] recased                            # by script and casing: a script or none
    cdef int same                                       # the script that changes nothing, or none

    cdef int corrected(
        self, int chosen, Text form, uint32_t tags, bint is_first) except -1 nogil
    cdef int of_number(self, int chosen, Text form) except -2 nogil
    cdef int in_case(
        self, int chosen, Text form, uint32_t tags, bint is_first) except -2 nogil
    cdef bint is_cut(self, int script, Text form, int most) except -1 nogil
    cdef int by_ending(self, Text form, uint32_t tags, bint whole) except -1 nogil
    cdef bint gives_lemma(self, int script, Text form, vector[char]& lemma) except -1 nogil
