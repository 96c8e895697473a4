"""Online training of greedy search with static and dynamic oracles."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.actions cimport Actions
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport MoveCost, System
from dodona.core.weights.linear cimport Weights

cdef enum Mode:
    STATIC, AMBIGUITY, EXPLORE


cdef class GreedyTrainer:
    cdef readonly System system
    cdef readonly Features features
    cdef readonly Actions actions
    cdef readonly Weights weights
    cdef readonly Corpus corpus
    cdef readonly double time           # actions learned from so far
    cdef readonly long n_updates
    cdef readonly long n_steps
    cdef Mode mode
    cdef bint passive_aggressive
    cdef double explore_rate
    cdef double aggressiveness
    cdef uint64_t random
    cdef StateC state
    cdef GoldC gold
    cdef vector[uint64_t] state_block
    cdef vector[int32_t] gold_block
    cdef vector[uint64_t] keys
    cdef vector[float] scores
    cdef vector[int32_t] costs          # rank per class; FORBIDDEN where it is not allowed
    cdef vector[int32_t] class_of       # (move, label) → class
    cdef MoveCost moves[MAX_MOVES]      # of the state learned from last
    cdef int target                     # the class learned there
    cdef int n_labels
    cdef vector[char] labelled          # per move
    cdef int cheapest                   # the lowest of them

    cdef int train_sentence(self, int sentence, bint exploring) except -1 nogil
    cdef int learn(self, const WordsC* words) except -2 nogil
    cdef int note_scores(self) noexcept nogil
    cdef bint is_fine(self, int rival, int target) noexcept nogil
    cdef int set_costs(self) except -1 nogil
    cdef int best(self, bint optimal_only) noexcept nogil
    cdef int static_class(self) except -2 nogil
    cdef int follow(self, int predicted, bint exploring) noexcept nogil
    cdef int random_optimal(self) noexcept nogil
    cdef double margin(self, int c) noexcept nogil
    cdef int worst_violation(self) noexcept nogil
    cdef double pa_amount(self, int target, int rival, int n_keys) noexcept nogil
