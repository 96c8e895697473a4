"""A model at work: features of a state, their weights, and the action that scores best."""
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.parsing.scoring import scorer_of
from dodona.core.transitions.state cimport lay_out, state_size
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


cdef class Workspace:
    cdef int reserve(self, int n_words, Chooser chooser) except -1 nogil:
        """Make room for a sentence of that many words."""
        cdef int max_arcs = chooser.system.max_arcs(n_words)
        cdef size_t n_units = state_size(n_words, max_arcs) // sizeof(uint64_t)
        if self.block.size() < n_units:
            self.block.resize(n_units * 2)
        self.keys.resize(chooser.scorer.n_keys)
        self.scores.resize(chooser.actions.n_padded)
        lay_out(&self.state, self.block.data(), n_words, max_arcs)


cdef class Chooser:
    """Features or slots, the classes to choose from, and their weights or a network.

    Threads may share it.
    """

    def __init__(self, features, Actions actions not None, weights):
        self.scorer = scorer_of(features, weights)
        if self.scorer.n_classes != actions.n_classes:
            raise ValueError(
                f"weights for {self.scorer.n_classes} classes, but there are {actions.n_classes}")
        self.scorer.check(actions.system)
        self.system, self.actions = actions.system, actions

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        """The class of the highest score among those of the given moves; NONE if there is none."""
        cdef const int16_t* barriers = self.actions.barriers(&space.state, moves)
        cdef int c, best
        memcpy(space.scores.data(), barriers, space.scores.size() * sizeof(int16_t))
        self.scorer.score(&space.state, words, space.keys.data(), space.scores.data())
        best = dodona_best(space.scores.data(), self.actions.n_padded // BLOCK)
        if barriers[best] == 0:
            return best
        # no allowed class came above the barred ones: there is none, or weights are out of bounds
        best = NONE
        for c in range(self.actions.n_classes):
            if barriers[c] == 0 and (best == NONE or space.scores[c] > space.scores[best]):
                best = c
        return best
