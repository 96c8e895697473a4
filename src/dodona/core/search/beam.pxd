"""Beam search."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.search.agenda cimport Agenda, Step
from dodona.core.search.search cimport Search
from dodona.core.search.workspace cimport BeamWorkspace
from dodona.core.weights.sketch cimport Sketch


cdef class Beam(Search):
    cdef readonly int width
    cdef Sketch sketch                  # of the scores; None: rows have all classes
    cdef int exact_lane                 # where scores of classes begin in a row …
    cdef int n_exact                    # … and how many there are

    cdef int run(self, BeamWorkspace space, Agenda agenda, const WordsC* words) except -1 nogil
    cdef int expand(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef double score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                      const WordsC* words) except? 1 nogil
    cdef int offer_bounded(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                           const WordsC* words) except -1 nogil
    cdef int offer(self, BeamWorkspace space, Agenda agenda, int hypothesis, const int16_t* scores,
                   int first, int last, const WordsC* words) except -1 nogil
    cdef bint some_allowed(self, const uint64_t* allowed, const int16_t* masks) noexcept nogil
