"""Logarithms of probabilities in whole numbers."""
from libc.stdint cimport int16_t, int64_t
from libcpp.vector cimport vector


cdef class LogScores:
    cdef vector[int64_t] power          # exponentials, per distance from the highest score
    cdef vector[int64_t] bound          # the sums from which on the logarithm is one more

    cdef void normalise(self, int16_t* scores, const int16_t* masks,
                        int n_classes) noexcept nogil
