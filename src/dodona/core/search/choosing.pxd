"""The choice of the best class in a state."""
from libc.stdint cimport int16_t, uint64_t

from dodona.core.features.words cimport WordsC
from dodona.core.search.actions cimport Actions
from dodona.core.search.scoring cimport StateScorer
from dodona.core.search.workspace cimport Workspace
from dodona.core.transitions.constraints cimport Constraints
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport System


cdef class Chooser:
    cdef readonly System system
    cdef readonly StateScorer scorer
    cdef readonly Actions actions
    cdef readonly Constraints constraints       # on arcs, or None

    cdef Workspace new_workspace(self)
    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil
    cdef int best_scored(self, Workspace space, const WordsC* words,
                         const int16_t* masks) except -2 nogil
    cdef bint obeys(self, const StateC* state, const WordsC* words, int c) noexcept nogil
    cdef bint find_allowed(self, const StateC* state, const WordsC* words,
                           uint64_t* allowed) noexcept nogil
    cdef bint is_among(self, int c, const uint64_t* allowed) noexcept nogil
    cdef int best_of_all(self, Workspace space, const WordsC* words, const int16_t* masks,
                         int wanted) except -2 nogil
    cdef int wanted_move(self, const StateC* state, const WordsC* words, int c) noexcept nogil


cdef class SketchChooser(Chooser):
    cdef void score_range(self, Workspace space, const int16_t* masks, int first, int last,
                          int n_keys) noexcept nogil
