"""Packed weights in memory: each row in as few lines of the cache as it can be."""
from libc.stdint cimport int8_t, uint32_t

from dodona.core.weights.linear cimport Large
from dodona.core.weights.saved cimport Bucket

cdef enum:
    LINE = 64                 # of the cache
    IS_DENSE = 1              # what a place tells beside where its row is: written out or not, …
    POWER_SHIFT = 1           # … and the power of two of its weights
    FLAGS = 7                 # all such bits; rows begin at multiples of eight bytes

cdef int lay_out(Large[int8_t]& memory, const Bucket* buckets, uint32_t n_buckets,
                 const int8_t* rows, size_t n_padded) except -1
