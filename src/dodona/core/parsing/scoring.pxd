"""What searches ask for the scores of a state's classes, be they linear or a network's."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.network.network cimport Network
from dodona.core.network.slots cimport Slots
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.memo cimport Memo
from dodona.core.weights.outline cimport Outline
from dodona.core.weights.packed cimport PackedWeights, Scorer


cdef class StateScorer:
    cdef readonly int n_classes
    cdef readonly int n_keys            # that `score` writes at the most
    cdef readonly Outline outline       # of the scores; None: they are those of all classes

    cdef int prepare(self, Corpus corpus) except -1 nogil
    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, Memo memo) except -1 nogil
    cdef int score_first(self, const StateC* state, const WordsC* words, uint64_t* keys,
                         int16_t* scores, int n_lanes, Memo memo) except -1 nogil
    cdef int score_all(self, const StateC* state, const WordsC* words, uint64_t* keys,
                       int16_t* scores) except -1 nogil
    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil


cdef class LinearScorer(StateScorer):
    cdef readonly Features features
    cdef readonly Scorer weights
    cdef PackedWeights packed           # the same, if they are
    cdef int n_lanes                    # of the outline, or ALL_CLASSES


cdef class NeuralScorer(StateScorer):
    cdef readonly Slots slots
    cdef readonly Network network

    cdef inline const int16_t* row_of(self, const StateC* state, int slot, int node) noexcept nogil:
        """What stands in a slot where no word does; else NULL."""
        if node == NONE:
            return self.network.missing.data() + slot * self.network.hidden
        if node == 0 or node > state.n_words:
            return self.network.root.data() + slot * self.network.hidden
        return NULL

    cdef inline const int16_t* atom_row(self, int atom, int value) noexcept nogil:
        return self.network.atoms[atom].data() + <size_t> value * self.network.hidden
