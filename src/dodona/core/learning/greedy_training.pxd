"""Online training of greedy search with static and dynamic oracles."""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.learning.oracle_guide cimport OracleGuide
from dodona.core.weights.linear cimport Weights
from dodona.core.weights.score_cache cimport ScoreCache


cdef class GreedyTrainer(OracleGuide):
    cdef readonly Features features
    cdef readonly Weights weights
    cdef readonly double time           # actions learned from so far
    cdef readonly long n_updates
    cdef readonly long n_steps
    cdef bint passive_aggressive
    cdef double aggressiveness
    cdef vector[uint64_t] keys
    cdef ScoreCache cache               # of sums of weights since the last update, or None

    cdef int train_sentence(self, int sentence, bint exploring) except -1 nogil
    cdef int learn(self, const WordsC* words) except -2 nogil
    cdef double margin(self, int c) noexcept nogil
    cdef int worst_violation(self) noexcept nogil
    cdef double pa_amount(self, int target, int rival, int n_keys) noexcept nogil
