"""Weights for parsing: read-only, small integers."""
from libc.stdint cimport int8_t, int16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport BLOCK, Large
from dodona.core.weights.memo cimport Memo
from dodona.core.weights.outline cimport Outline
from dodona.core.weights.saved cimport Bucket

cdef enum:
    ALL_CLASSES = 0           # in the place of the number of an outline's lanes


cdef class Scorer:
    """What search asks for scores."""
    cdef readonly int n_classes

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil


cdef class PackedWeights(Scorer):
    cdef readonly float step            # what 1 is worth
    cdef Py_buffer saved_buckets        # as a model file has them
    cdef Py_buffer saved_rows
    cdef readonly Outline narrow
    cdef readonly Outline wide
    cdef Large[int8_t] memory           # as they are used: the table, then outlines of the rows
    cdef const Bucket* buckets
    cdef const int8_t* outlines
    cdef size_t stride                  # from one of these to the next
    cdef vector[uint32_t] starts        # for each: where its row is saved
    cdef uint32_t n_buckets

    cdef int check(self, const Bucket* buckets, const int8_t* rows, size_t most) except -1
    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil
    cdef void score_lanes(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                          int16_t* lanes, int n_lanes) noexcept nogil
    cdef void score_known(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                          int16_t* lanes, int n_lanes) noexcept nogil
    cdef void change_lanes(self, const uint64_t* added, const uint64_t* removed, int n_keys,
                           int16_t* lanes, int n_lanes) noexcept nogil
    cdef void expect(self, const uint64_t* keys, int n_keys) noexcept nogil


# Where the score of a class starts that the state does not allow: below what sums come to, sixteen
# times the largest weight. Should one ever get over it, the search looks again (greedy.pyx).
cdef enum:
    BARRED = -(1 << 14)
