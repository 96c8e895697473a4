"""Scores of the actions in a state, for systems that record something of them."""
from libc.stdint cimport int16_t, int32_t

from dodona.core.base.nodes cimport NONE


cdef struct Choices:
    int n_classes
    const int32_t* move       # of each class
    const int32_t* label
    const int16_t* scores     # of packed weights; NULL in training …
    const float* raw_scores   # … which uses these instead


cdef inline float score_of(const Choices* choices, int c) noexcept nogil:
    return choices.raw_scores[c] if choices.scores == NULL else choices.scores[c]


cdef inline int best_label(const Choices* choices, int move) noexcept nogil:
    """Return the best-scoring label of a move; 0 if the model has no class for the move."""
    cdef int c, chosen = NONE
    for c in range(choices.n_classes):
        if choices.move[c] == move and (
                chosen == NONE or score_of(choices, c) > score_of(choices, chosen)):
            chosen = c
    return 0 if chosen == NONE else choices.label[chosen]
