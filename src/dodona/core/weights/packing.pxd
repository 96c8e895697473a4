"""Rows of packed weights, as `packing` and `continued` write them."""
from libc.stdint cimport int8_t, uint16_t
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport WeightRow, Weights

cdef enum:
    LARGEST = 127

cdef struct Averages:             # of one row
    vector[double] values         # per class, valid where …
    vector[char] is_there         # … the row has the block
    vector[uint16_t] cells        # classes whose weights are stored

cdef double average(Weights weights, size_t at, double time) noexcept nogil
cdef double mass(Weights weights, const WeightRow* row, double time) noexcept nogil
cdef int append_row(vector[int8_t]& rows, Averages& row, double unit) except -1 nogil
