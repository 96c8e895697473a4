"""A model that chooses among the actions of a state."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.actions cimport Actions
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.packed cimport Scorer


cdef class Workspace:
    """What one thread needs to parse: a state, its features, their scores."""
    cdef StateC state
    cdef vector[uint64_t] block         # behind the state
    cdef vector[uint64_t] keys
    cdef vector[int16_t] scores

    cdef int reserve(self, int n_words, int max_arcs, int n_keys, int n_scores) except -1 nogil


cdef class Chooser:
    cdef readonly System system
    cdef readonly Features features
    cdef readonly Actions actions
    cdef readonly Scorer weights

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil
