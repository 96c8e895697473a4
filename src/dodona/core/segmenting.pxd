"""Tokens and sentences of a text."""
from .packed cimport PackedWeights
from .places cimport Walk


cdef class Segmenting:
    cdef readonly bytes certain
    cdef readonly PackedWeights weights
    cdef readonly int bias

    cdef Walk walk(self, text, bint by_lines)
    cdef void run(self, Walk walk) noexcept nogil
