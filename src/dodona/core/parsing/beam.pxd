"""Beam search with packed weights."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.agenda cimport Agenda
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.greedy cimport Greedy
from dodona.core.parsing.log_scores cimport LogScores
from dodona.core.transitions.state cimport StateC
from dodona.core.weights.memo cimport Memo
from dodona.core.weights.packed cimport PackedWeights


cdef class BeamWorkspace(Workspace):
    """What one thread needs beside: the hypotheses, and for each a row of scores or of lanes."""
    cdef Agenda agenda
    cdef vector[int16_t] rows
    cdef vector[double] best            # of each hypothesis, what its best action scores
    cdef Memo looks                     # rows of looks that came before


cdef class Beam(Greedy):
    cdef readonly int width
    cdef PackedWeights packed           # None: the scores are those of a network
    cdef Features features              # the features that these are weights of
    cdef LogScores logs                 # which make scores of a network probabilities, or None
    cdef int n_lanes                    # of an outline, or ALL_CLASSES …
    cdef int n_numbers                  # … which make so many numbers …
    cdef int exact_lane                 # … where the scores of classes begin …
    cdef int n_exact                    # … of which there are so many

    cdef int search(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef int expand(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil
    cdef double score_best(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                           const WordsC* words) except? 1 nogil
    cdef int16_t* lanes_of(self, BeamWorkspace space, Agenda agenda,
                           int hypothesis) noexcept nogil
    cdef int16_t* score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        const WordsC* words) except NULL nogil
    cdef int score_anew(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        int16_t* lanes) except -1 nogil
    cdef int16_t* score_by_network(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                                   const WordsC* words) except NULL nogil
    cdef int offer_rest(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        const WordsC* words) except -1 nogil
    cdef int offer(self, Agenda agenda, int hypothesis, const int16_t* scores, int first, int last,
                   const WordsC* words) except -1 nogil
    cdef bint has_way_on(self, const uint64_t* allowed, const int16_t* barriers) noexcept nogil
