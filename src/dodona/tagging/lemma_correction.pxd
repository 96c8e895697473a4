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

    cdef int corrected(self, int chosen, Text form, uint32_t tags) except -1 nogil
    cdef int by_ending(self, Text form, uint32_t tags, bint whole) except -1 nogil
    cdef bint gives_lemma(self, int script, Text form, vector[char]& lemma) except -1 nogil
