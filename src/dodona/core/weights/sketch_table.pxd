"""Packed weights in memory: sketches of rows in cache lines."""
from libc.stdint cimport int8_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport Large
from dodona.core.weights.packed_format cimport Bucket
from dodona.core.weights.sketch cimport Sketch

cdef enum:
    LINE = 64                 # bytes of a cache line
    FLAGS = 7                 # sketches begin at multiples of eight bytes: these bits are free

cdef size_t stride_of(Sketch wide) noexcept nogil
cdef int fill_sketch_table(Large[int8_t]& memory, vector[uint32_t]& starts, const Bucket* buckets,
                           uint32_t n_buckets, const int8_t* rows, Sketch narrow,
                           Sketch wide) except -1
