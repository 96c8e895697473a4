"""Greedy search with a network, through many sentences in lock-step."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.network.arrays cimport Rows
from dodona.core.search.choosing cimport Chooser
from dodona.core.search.scoring cimport NeuralScorer
from dodona.core.search.search cimport Search
from dodona.core.search.workspace cimport Workspace
from dodona.core.transitions.state cimport StateC


cdef class Lanes(Workspace):
    cdef long n_transitions
    cdef int current                    # the lane that `state` is of
    cdef vector[int] running            # lanes with a sentence
    cdef vector[int] idle               # lanes without
    cdef vector[int] finished           # lanes whose tree is to be completed
    cdef vector[int] sentence           # from here on per lane
    cdef vector[WordsC] words
    cdef vector[StateC] states
    cdef vector[vector[uint64_t]] blocks        # memory behind the states
    cdef vector[vector[int32_t]] product_of     # per word and slot: an index, or NONE
    cdef vector[vector[int16_t]] products
    cdef vector[int] n_products
    cdef Rows rows                      # words to be multiplied with one slot …
    cdef vector[const char*] sources    # … their packed rows …
    cdef vector[int16_t*] targets       # … and their products
    cdef vector[int32_t] nodes          # per lane that is scored and slot
    cdef vector[int32_t] values         # per lane that is scored and atom
    cdef vector[int8_t] halves          # per lane that is scored: its hidden units, split
    cdef vector[int32_t] sums           # … and their sums
    cdef vector[int16_t] found          # per lane that is scored and class

    cdef int16_t* new_product(self, int lane, size_t pair, int hidden) except NULL nogil


cdef class LaneChooser(Chooser):
    cdef NeuralScorer network

    cdef int score_lanes(self, Lanes lanes, const int* which, int n) except -1 nogil
    cdef int multiply(self, Lanes lanes, const int* which, int n, int slot) except -1 nogil
    cdef int add_up(self, Lanes lanes, const int* which, int n) except -1 nogil
    cdef int best_current(self, Lanes lanes, const WordsC* words, int moves) except -2 nogil
    cdef int best_found(self, Lanes lanes, const int16_t* found, const WordsC* words,
                        int moves) except -2 nogil


cdef class LockStep(Search):
    cdef LaneChooser lane_chooser

    cdef long run(self, Lanes lanes, Corpus corpus, int start, int stop) except -1 nogil
    cdef int enter(self, Lanes lanes, Corpus corpus, int sentence) except -1 nogil
    cdef int leave(self, Lanes lanes, Corpus corpus, int lane) except -1 nogil
    cdef bint step(self, Lanes lanes, int lane, const int16_t* found) except -1 nogil
