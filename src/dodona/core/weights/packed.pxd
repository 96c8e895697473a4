"""Weights for parsing: read-only, small integers."""
from libc.stdint cimport int8_t, int16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport BLOCK, Large
from dodona.core.weights.packed_format cimport Bucket
from dodona.core.weights.score_cache cimport ScoreCache
from dodona.core.weights.sketch cimport Sketch

cdef enum:
    ALL_CLASSES = 0           # in place of the number of a sketch's lanes


cdef class FeatureScorer:
    cdef readonly int n_classes

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil


cdef class PackedWeights(FeatureScorer):
    cdef readonly float step            # the value of a weight of 1
    cdef Py_buffer saved_buckets        # as in the model file
    cdef Py_buffer saved_rows
    cdef readonly Sketch narrow
    cdef readonly Sketch wide
    cdef Large[int8_t] memory           # the table, then the sketches of all rows
    cdef const Bucket* buckets
    cdef const int8_t* sketches
    cdef size_t stride                  # bytes from one sketch to the next
    cdef vector[uint32_t] starts        # per sketch: where its row is saved
    cdef uint32_t n_buckets

    cdef int check(self, const Bucket* buckets, const int8_t* rows, size_t most) except -1
    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil
    cdef void score_lanes(self, const uint64_t* keys, int n_keys, const int* ends,
                          ScoreCache cache, int16_t* lanes, int n_lanes) noexcept nogil
    cdef void prefetch(self, const uint64_t* keys, int n_keys) noexcept nogil


# The mask of a class that the state does not allow: below all sums of weights, which are within
# sixteen times the largest weight. Should one ever exceed it, the search compares all classes.
cdef enum:
    MASKED = -(1 << 14)
