"""How often each feature was seen."""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

cdef struct Seen:
    uint64_t key              # 0: an empty place
    uint64_t count


cdef class FeatureCounts:
    cdef readonly size_t n_features     # different ones
    cdef readonly uint64_t total
    cdef vector[Seen] table             # open addressing; its size is a power of two

    cdef int add(self, const uint64_t* keys, int n_keys) except -1 nogil
    cdef size_t place_of(self, uint64_t key) noexcept nogil
    cdef int grow(self) except -1 nogil
    cdef uint64_t count(self, uint64_t key) noexcept nogil
    cdef double expected_log_ratio(self, FeatureCounts other, double smoothing,
                                   double n_union) noexcept nogil
