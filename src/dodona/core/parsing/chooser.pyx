"""A model at work: features of a state, their weights, and the action that scores best."""
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport lay_out, state_size
from dodona.core.weights.linear cimport BLOCK, MAX_KEYS

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


cdef class Workspace:
    cdef int reserve(self, int n_words, int max_arcs, int n_keys, int n_scores) except -1 nogil:
        """Make room for a sentence of that many words."""
        cdef size_t n_units = state_size(n_words, max_arcs) // sizeof(uint64_t)
        if self.block.size() < n_units:
            self.block.resize(n_units * 2)
        self.keys.resize(n_keys)
        self.scores.resize(n_scores)
        lay_out(&self.state, self.block.data(), n_words, max_arcs)


cdef class Chooser:
    """Features, the classes to choose from, and weights. Threads may share it."""

    def __init__(self, Features features, Actions actions, Scorer weights):
        if features.n_templates > MAX_KEYS:
            raise ValueError(f"{features.n_templates} templates; at most {MAX_KEYS} can be packed")
        if weights.n_classes != actions.n_classes:
            raise ValueError(
                f"weights for {weights.n_classes} classes, but there are {actions.n_classes}")
        features.check(actions.system)
        self.system, self.features, self.actions = actions.system, features, actions
        self.weights = weights

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        """The class of the highest score among those of the given moves; NONE if there is none."""
        cdef int n_keys = self.features.fill(&space.state, words, space.keys.data())
        cdef const int16_t* barriers = self.actions.barriers(&space.state, moves)
        cdef int c, best
        memcpy(space.scores.data(), barriers, space.scores.size() * sizeof(int16_t))
        self.weights.score(space.keys.data(), n_keys, space.scores.data())
        best = dodona_best(space.scores.data(), self.actions.n_padded // BLOCK)
        if barriers[best] == 0:
            return best
        # no allowed class came above the barred ones: there is none, or weights are out of bounds
        best = NONE
        for c in range(self.actions.n_classes):
            if barriers[c] == 0 and (best == NONE or space.scores[c] > space.scores[best]):
                best = c
        return best
