"""Beam search with packed weights."""
from libc.stdint cimport int16_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.parsing.agenda cimport Agenda
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.greedy cimport Greedy


cdef class BeamWorkspace(Workspace):
    """What one thread needs beside: the hypotheses, and a row of scores for each."""
    cdef Agenda agenda
    cdef vector[int16_t] rows


cdef class Beam(Greedy):
    cdef readonly int width

    cdef int search(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef int expand(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef int16_t* score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        const WordsC* words) except NULL nogil
    cdef int offer_all(self, Agenda agenda, int hypothesis, const int16_t* scores) except -1 nogil
