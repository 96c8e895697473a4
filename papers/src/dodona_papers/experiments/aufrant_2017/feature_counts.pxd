"""Frequencies of features."""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

cdef struct FeatureCount:
    uint64_t key              # 0: a free slot
    uint64_t count


cdef class FeatureCounts:
    cdef readonly size_t n_features     # distinct ones
    cdef readonly uint64_t total
    cdef vector[FeatureCount] table             # open addressing; its size is a power of two

    cdef int add(self, const uint64_t* keys, int n_keys) except -1 nogil
    cdef size_t slot_of(self, uint64_t key) noexcept nogil
    cdef int grow(self) except -1 nogil
    cdef uint64_t count(self, uint64_t key) noexcept nogil
    cdef double expected_log_ratio(self, FeatureCounts other, double smoothing,
                                   double n_union) noexcept nogil
