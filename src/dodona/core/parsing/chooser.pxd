"""A model that chooses among the actions of a state."""
from libc.stdint cimport int16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.parsing.actions cimport Actions
from dodona.core.parsing.scoring cimport StateScorer
from dodona.core.transitions.constraints cimport Constraints
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System
from dodona.core.weights.memo cimport Memo


cdef class Chooser


cdef class Workspace:
    """What one thread needs to parse: a state, its features, their scores."""
    cdef StateC state
    cdef vector[uint64_t] block         # behind the state
    cdef vector[uint64_t] keys
    cdef vector[int16_t] scores         # per class; of one that was chosen it is there in any case
    cdef vector[int16_t] lanes          # of an outline of the scores
    cdef Memo memo                      # of scores, or None

    cdef int reserve(self, int n_words, Chooser chooser) except -1 nogil


cdef class Chooser:
    cdef readonly System system
    cdef readonly Actions actions
    cdef readonly StateScorer scorer
    cdef readonly Constraints constraints       # on arcs, or None

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil
    cdef int best_by_outline(self, Workspace space, const WordsC* words,
                             const int16_t* barriers) except -2 nogil
    cdef void score_range(self, Workspace space, const int16_t* barriers, int first, int last,
                          int n_keys) noexcept nogil
    cdef int best_scored(self, Workspace space, const WordsC* words,
                         const int16_t* barriers) except -2 nogil
    cdef bint obeys(self, const StateC* state, const WordsC* words, int c) noexcept nogil
    cdef bint find_allowed(self, const StateC* state, const WordsC* words,
                           uint64_t* allowed) noexcept nogil
    cdef bint is_among(self, int c, const uint64_t* allowed) noexcept nogil
    cdef int best_of_all(self, Workspace space, const WordsC* words, const int16_t* barriers,
                         int wanted) except -2 nogil
    cdef int wanted_move(self, const StateC* state, const WordsC* words, int c) noexcept nogil
