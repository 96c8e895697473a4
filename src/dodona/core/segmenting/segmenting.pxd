"""Tokens and sentences of a text."""
from dodona.core.segmenting.lexicon cimport Lexicon
from dodona.core.segmenting.places cimport Walk
from dodona.core.weights.packed cimport PackedWeights


cdef class Segmenting:
    cdef readonly bytes certain
    cdef readonly PackedWeights weights
    cdef readonly int bias
    cdef readonly Lexicon lexicon       # or None

    cdef Walk walk(self, text, bint by_lines)
    cdef int run(self, Walk walk) except -1 nogil
