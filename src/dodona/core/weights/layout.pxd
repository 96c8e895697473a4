"""Packed weights in memory: outlines of rows in lines of the cache."""
from libc.stdint cimport int8_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport Large
from dodona.core.weights.outline cimport Outline
from dodona.core.weights.saved cimport Bucket

cdef enum:
    LINE = 64                 # of the cache
    FLAGS = 7                 # outlines begin at multiples of eight bytes: these bits are free

cdef size_t stride_of(Outline wide) noexcept nogil
cdef int lay_out(Large[int8_t]& memory, vector[uint32_t]& starts, const Bucket* buckets,
                 uint32_t n_buckets, const int8_t* rows, Outline narrow, Outline wide) except -1
