"""A perceptron with a margin, for trainers of taggers and segmenters."""
from libc.stdint cimport uint64_t

from dodona.core.weights.cutoff cimport Cutoff
from dodona.core.weights.linear cimport Weights


cdef class MarginPerceptron:
    cdef readonly Weights weights
    cdef readonly double time           # examples learned from so far
    cdef readonly long n_updates
    cdef float margin                   # by which the correct class must win
    cdef Cutoff cutoff

    cdef int learn(self, uint64_t* keys, int n_keys, const float* scores, int gold,
                   int rival) except -1 nogil
