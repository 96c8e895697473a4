"""Scores as logarithms of probabilities, in whole numbers."""
from libc.stdint cimport int16_t, int64_t
from libcpp.vector cimport vector


cdef class LogScores:
    cdef vector[int64_t] power          # of e, per difference of scores below 0
    cdef vector[int64_t] bound          # from which sum on a logarithm is one more

    cdef void normalise(self, int16_t* scores, const int16_t* barriers,
                        int n_classes) noexcept nogil
