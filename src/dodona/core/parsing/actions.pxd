"""The actions a model chooses from, and which of them a state allows."""
from libc.stdint cimport int16_t, int32_t
from libcpp.vector cimport vector

from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.linear cimport padded


cdef class Actions:
    cdef readonly System system
    cdef readonly list pairs            # (move id, label id, under the root, elsewhere) per class
    cdef readonly int n_classes
    cdef int n_padded
    cdef vector[int32_t] move           # per class
    cdef vector[int32_t] label
    # per set of moves, kind of state and class, then per lane of an outline: 0 or BARRED
    cdef vector[int16_t] barrier
    cdef int n_barriers                 # of classes and lanes together

    cdef const int16_t* barriers(self, const StateC* state, int valid) noexcept nogil
    cdef Choices choices(self, const int16_t* scores, const float* raw_scores) noexcept nogil
