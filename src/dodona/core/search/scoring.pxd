"""What searches ask for the scores of a state's classes, be they linear or a network's."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.network.network cimport Network
from dodona.core.network.slots cimport Slots
from dodona.core.search.actions cimport Actions
from dodona.core.search.agenda cimport Agenda
from dodona.core.search.log_scores cimport LogScores
from dodona.core.search.workspace cimport BeamWorkspace
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.packed cimport FeatureScorer, PackedWeights
from dodona.core.weights.score_cache cimport ScoreCache
from dodona.core.weights.sketch cimport Sketch


cdef class StateScorer:
    cdef readonly int n_classes
    cdef readonly int n_keys            # that scoring writes at most
    cdef readonly bint adds_up          # whether the scores of a derivation can be summed: beams
    cdef readonly bint is_batched       # whether it is faster to score many sentences in lock-step
    cdef readonly int tree_head         # the column with heads of a basic tree, or NONE
    cdef readonly Sketch narrow         # sketches of the scores, or None …
    cdef readonly Sketch wide           # … for beams

    cdef int prepare(self, Corpus corpus, int sentence) except -1 nogil
    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, ScoreCache cache) except -1 nogil
    cdef int score_sketch(self, const StateC* state, const WordsC* words, uint64_t* keys,
                          int16_t* lanes, ScoreCache cache) except -1 nogil
    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil
    cdef int score_hypothesis(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                              Actions actions, const WordsC* words) except -1 nogil


cdef class LinearScorer(StateScorer):
    cdef readonly Features features
    cdef readonly FeatureScorer weights
    cdef PackedWeights packed           # the weights, if they are packed; else None


cdef class NeuralScorer(StateScorer):
    cdef readonly Slots slots
    cdef readonly Network network
    cdef LogScores logs

    cdef inline const int16_t* row_of(self, const StateC* state, int slot, int node) noexcept nogil:
        """Return the row of a slot that holds no word; NULL if it holds one."""
        if node == NONE:
            return self.network.missing.data() + slot * self.network.hidden
        if node == 0 or node > state.n_words:
            return self.network.root.data() + slot * self.network.hidden
        return NULL

    cdef inline const int16_t* atom_row(self, int atom, int value) noexcept nogil:
        return self.network.atoms[atom].data() + <size_t> value * self.network.hidden
