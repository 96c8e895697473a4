"""Greedy search with a network, through many sentences side by side."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.network.arrays cimport Rows
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.greedy cimport Greedy
from dodona.core.parsing.scoring cimport NeuralScorer
from dodona.core.transitions.state cimport StateC


cdef class Lanes(Workspace):
    """What one thread needs: for each lane a sentence on its way, and what all share in a round."""
    cdef long n_transitions
    cdef int leaving                    # the lane whose tree is completed
    cdef vector[int] running            # lanes with a sentence
    cdef vector[int] idle               # … and without
    cdef vector[int] sentence           # from here on by lane: which it has
    cdef vector[WordsC] words
    cdef vector[StateC] states
    cdef vector[vector[uint64_t]] blocks        # behind the states
    cdef vector[vector[int32_t]] places         # per word and slot: its product, or NONE
    cdef vector[vector[int16_t]] products       # as many as were needed so far …
    cdef vector[int] n_products                 # … which is this
    cdef Rows rows                      # words to be multiplied with one slot …
    cdef vector[const char*] sources    # … which stand here …
    cdef vector[int16_t*] targets       # … and whose products belong there
    cdef vector[int32_t] nodes          # of lanes that are scored, in their order: per slot
    cdef vector[int32_t] values         # per atom
    cdef vector[int8_t] halves          # per state: its hidden units, taken apart
    cdef vector[int32_t] sums           # … and what they add up to
    cdef vector[int16_t] found          # per state and class: scores …
    cdef vector[int16_t] found_alone    # … of one state

    cdef int16_t* new_product(self, int lane, size_t place, int hidden) except NULL nogil


cdef class NeuralGreedy(Greedy):
    cdef NeuralScorer network

    cdef long run(self, Lanes lanes, Corpus corpus, int start, int stop) except -1 nogil
    cdef int enter(self, Lanes lanes, Corpus corpus, int sentence) except -1 nogil
    cdef int leave(self, Lanes lanes, Corpus corpus, int lane) except -1 nogil
    cdef int score_lanes(self, Lanes lanes, const int* which, int n,
                         vector[int16_t]& found) except -1 nogil
    cdef int multiply(self, Lanes lanes, const int* which, int n, int slot) except -1 nogil
    cdef int add_up(self, Lanes lanes, const int* which, int n) except -1 nogil
    cdef bint step(self, Lanes lanes, int lane, const int16_t* found) except -1 nogil
    cdef int best_alone(self, Lanes lanes, const WordsC* words, int moves) except -2 nogil
