"""An oracle beside a model, in states that either of them chooses."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.search.actions cimport Actions
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport MoveCost, System

cdef enum Mode:
    STATIC, AMBIGUITY, EXPLORE

cdef enum:
    FORBIDDEN = 1 << 30       # cost of a class that the state does not allow


cdef class OracleGuide:
    cdef readonly System system
    cdef readonly Actions actions
    cdef readonly Corpus corpus
    cdef Mode mode
    cdef double explore_rate
    cdef uint64_t random
    cdef StateC state
    cdef GoldC gold
    cdef vector[uint64_t] state_block
    cdef vector[int32_t] gold_block
    cdef vector[float] scores
    cdef vector[int32_t] costs          # rank per class; FORBIDDEN where it is not allowed
    cdef vector[int32_t] class_of       # (move, label) → class
    cdef MoveCost moves[MAX_MOVES]      # of the state
    cdef int target                     # the class to be learned in the state
    cdef int n_labels
    cdef vector[char] labelled          # per move
    cdef int cheapest                   # the lowest of the costs

    cdef int begin(self, int sentence) except -1 nogil
    cdef int take(self, int c) except -1 nogil
    cdef int note_scores(self) noexcept nogil
    cdef int set_costs(self) except -1 nogil
    cdef int32_t rank_of(self, int move, int label) noexcept nogil
    cdef int best(self, bint optimal_only) noexcept nogil
    cdef int static_class(self) except -2 nogil
    cdef int choose_next(self, int predicted, bint exploring) noexcept nogil
    cdef int random_optimal(self) noexcept nogil
