"""Weights for parsing: read-only, small integers, in memory that may be a mapped file."""
from libc.stdint cimport int8_t, int16_t, uint32_t, uint64_t

from .linear cimport BLOCK

cdef struct Bucket:               # eight places: what is sought and what is found fill a cache line
    uint32_t fingerprint[BLOCK]   # low half of the key, which is odd; 0: an empty place
    uint32_t row[BLOCK]           # where the row starts, in units of eight bytes


cdef class PackedWeights:
    cdef readonly int n_classes
    cdef readonly float step            # what 1 is worth
    cdef readonly int largest           # of the weights, signs apart
    cdef Py_buffer bucket_buffer        # they keep the memory alive
    cdef Py_buffer row_buffer
    cdef const Bucket* buckets
    cdef const int8_t* rows
    cdef uint32_t n_buckets
    cdef size_t n_bytes

    cdef void score(self, const uint64_t* keys, int n_keys, int16_t* scores) noexcept nogil
    cdef bint holds(self, uint32_t row) noexcept nogil


# Sums of at most n weights of ± largest_weight(n) stay within ± LIMIT; a barred class starts at
# BARRED, so that no sum lifts it over one that is allowed, and none leaves the 16 bits.
cdef enum:
    LIMIT = 10922
    BARRED = -2 * LIMIT - 1


cdef inline int largest_weight(int n_keys) noexcept nogil:
    return min(127, LIMIT // n_keys)
