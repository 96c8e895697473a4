"""The classes that a model chooses from, and which of them a state allows."""
from libc.stdint cimport int16_t, int32_t
from libcpp.vector cimport vector

from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.linear cimport padded


cdef class Actions:
    cdef readonly System system
    cdef readonly list pairs            # per class: (move id, label id, under the root, elsewhere)
    cdef readonly int n_classes
    cdef int n_padded
    cdef vector[int32_t] move           # per class
    cdef vector[int32_t] label
    cdef vector[int16_t] mask           # per set of valid moves and kind of state: `mask_size`
    cdef int mask_size                  # classes, then lanes of a wide sketch

    cdef const int16_t* masks(self, const StateC* state, int valid) noexcept nogil
    cdef Choices choices(self, const int16_t* scores, const float* raw_scores) noexcept nogil
