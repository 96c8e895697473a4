"""Memory that one thread needs while it parses."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.search.agenda cimport Agenda
from dodona.core.search.guard cimport Guard
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.score_cache cimport ScoreCache
from dodona.core.weights.sketch cimport Sketch


cdef class Workspace:
    cdef StateC state
    cdef vector[uint64_t] block         # memory behind the state
    cdef vector[uint64_t] keys
    cdef vector[int16_t] scores         # per class; that of a chosen class is always written
    cdef vector[int16_t] lanes          # of a sketch of the scores
    cdef ScoreCache cache               # or None
    cdef Guard guard                    # None: nothing is given

    cdef int reserve(self, int n_words, System system) except -1 nogil
    cdef size_t size(self) noexcept nogil


cdef class BeamWorkspace(Workspace):
    cdef Agenda agenda
    cdef Sketch sketch                  # of the scores; None: each row has all classes
    cdef int row_size                   # numbers in a row: lanes, or classes
    cdef vector[int16_t] rows           # per hypothesis
    cdef vector[double] best            # per hypothesis: the score of its best action
    cdef ScoreCache sums                # of sections of keys, or None
    cdef ScoreCache by_signature        # rows of earlier steps

    cdef inline int16_t* row(self, int hypothesis) noexcept nogil:
        """Return the scores or the sketch of a hypothesis; duplicates share one row."""
        return &self.rows[<size_t> self.agenda.original(hypothesis) * self.row_size]
