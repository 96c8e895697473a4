"""Beam search with packed weights."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.parsing.agenda cimport Agenda
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.greedy cimport Greedy
from dodona.core.parsing.log_scores cimport LogScores
from dodona.core.parsing.scoring cimport LinearScorer
from dodona.core.transitions.state cimport StateC


cdef class BeamWorkspace(Workspace):
    """What one thread needs beside: the hypotheses, and a row of scores for each."""
    cdef Agenda agenda
    cdef vector[int16_t] rows


cdef class Beam(Greedy):
    cdef readonly int width
    cdef LinearScorer linear            # None: the scores are a network's …
    cdef LogScores logs                 # … and made logarithms of probabilities

    cdef int search(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef int expand(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef int16_t* score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        const WordsC* words) except NULL nogil
    cdef int16_t* score_alone(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                              const WordsC* words) except NULL nogil
    cdef int offer_all(self, Agenda agenda, int hypothesis, const int16_t* scores,
                       const WordsC* words) except -1 nogil
    cdef bint has_way_on(self, const uint64_t* allowed, const int16_t* barriers) noexcept nogil
