"""The choice of the best class in a state: by all scores, or by an upper-bound sketch of them."""
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


cdef class Chooser:
    """A scorer, the classes to choose from, and constraints on arcs. Threads may share it."""

    def __init__(self, StateScorer scorer not None, Actions actions not None,
                 Constraints constraints=None):
        if scorer.n_classes != actions.n_classes:
            raise ValueError(
                f"weights for {scorer.n_classes} classes, but there are {actions.n_classes}")
        scorer.check(actions.system)
        self.scorer, self.actions, self.system = scorer, actions, actions.system
        self.constraints = constraints

    cdef Workspace new_workspace(self):
        """Return the memory that `best_class` needs."""
        return Workspace(self.scorer.n_keys, self.actions.n_padded, cache=self.scorer.new_cache(
            self.actions.n_padded, keeps_words=self.system.builds_graphs))

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        """Return the class of the highest score among those of the given moves, or NONE."""
        cdef const int16_t* masks = self.actions.masks(&space.state, moves)
        if space.guard is not None and space.guard.is_on:
            masks = space.guard.narrow(&space.state, masks)
        memcpy(space.scores.data(), masks, space.scores.size() * sizeof(int16_t))
        self.scorer.score(
            &space.state, words, space.keys.data(), space.scores.data(), space.cache)
        return self.best_scored(space, words, masks)

    cdef int best_scored(self, Workspace space, const WordsC* words,
                         const int16_t* masks) except -2 nogil:
        """Return the best class, given all scores, which started from these masks."""
        cdef int best = dodona_best(space.scores.data(), self.actions.n_padded // BLOCK)
        if masks[best] == 0 and self.obeys(&space.state, words, best):
            return best
        return self.best_of_all(
            space, words, masks,
            NONE if masks[best] else self.wanted_move(&space.state, words, best))

    cdef bint obeys(self, const StateC* state, const WordsC* words, int c) noexcept nogil:
        """Return whether a class builds nothing that constraints forbid."""
        return self.constraints is None or words.kinds == NULL or self.constraints.allows(
            self.system, state, words.kinds, self.actions.move[c], self.actions.label[c])

    cdef bint find_allowed(self, const StateC* state, const WordsC* words,
                           uint64_t* allowed) noexcept nogil:
        """Write the relations that constraints allow for each move; False without constraints."""
        cdef int move
        if self.constraints is None or words.kinds == NULL:
            return False
        for move in range(MAX_MOVES):
            if move == self.system.left_arc or move == self.system.right_arc:
                allowed[move] = self.constraints.allowed(
                    state, words.kinds, self.system.arc_head(state, move),
                    self.system.arc_dependent(state, move))
        return True

    cdef bint is_among(self, int c, const uint64_t* allowed) noexcept nogil:
        """Return whether a class builds no arc, or one of an allowed relation."""
        cdef int move = self.actions.move[c], label = self.actions.label[c]
        if move != self.system.left_arc and move != self.system.right_arc:
            return True
        return allowed[move] >> self.constraints.relation[label] & 1

    cdef int best_of_all(self, Workspace space, const WordsC* words, const int16_t* masks,
                         int wanted) except -2 nogil:
        """Return the best class that obeys, if possible of the wanted move, by comparing them all.

        For states in which constraints forbid the best class, or weights are out of bounds.
        """
        cdef uint64_t allowed[MAX_MOVES]
        cdef int c, merit, best = NONE, most = -1
        cdef bint is_strict = self.find_allowed(&space.state, words, allowed)
        for c in range(self.actions.n_classes):
            if masks[c] == 0:
                merit = 0
                if not is_strict or self.is_among(c, allowed):
                    merit = 2 if self.actions.move[c] == wanted else 1
                if merit > most or merit == most and space.scores[c] > space.scores[best]:
                    best, most = c, merit
        return best

    cdef int wanted_move(self, const StateC* state, const WordsC* words, int c) noexcept nogil:
        """Return the move of a class if constraints forbid only its label, not its arc."""
        if self.constraints is None or words.kinds == NULL or self.constraints.forbids_arc(
                self.system, state, words.kinds, self.actions.move[c], self.actions.label[c]):
            return NONE
        return self.actions.move[c]


cdef class SketchChooser(Chooser):
    """A chooser that scores only the frequent classes where bounds rule out all others."""

    cdef Workspace new_workspace(self):
        cdef int n_lanes = self.scorer.narrow.n_lanes
        return Workspace(self.scorer.n_keys, self.actions.n_padded, n_lanes, self.scorer.new_cache(
            n_lanes, keeps_words=self.system.builds_graphs))

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        cdef const int16_t* masks = self.actions.masks(&space.state, moves)
        cdef int16_t* lanes = space.lanes.data()
        cdef int16_t* exact = lanes + self.scorer.narrow.exact_lane
        cdef int16_t* scores = space.scores.data()
        cdef int best, other, first, last, n_keys, n_exact = self.scorer.narrow.n_exact
        memcpy(lanes, masks + self.actions.n_padded, space.lanes.size() * sizeof(int16_t))
        n_keys = self.scorer.score_sketch(
            &space.state, words, space.keys.data(), lanes, space.cache)
        best = dodona_best(exact, n_exact // BLOCK)
        scores[best] = exact[best]
        if self.scorer.narrow.find_inconclusive(lanes, exact[best], &first, &last):
            self.score_range(space, masks, first, last, n_keys)
            other = first + dodona_best(scores + first, (last - first) // BLOCK)
            best = other if scores[other] > scores[best] else best
        if masks[best] == 0 and self.obeys(&space.state, words, best):
            return best
        memcpy(scores, exact, n_exact * sizeof(int16_t))
        self.score_range(space, masks, n_exact, self.actions.n_padded, n_keys)
        return self.best_scored(space, words, masks)

    cdef void score_range(self, Workspace space, const int16_t* masks, int first, int last,
                          int n_keys) noexcept nogil:
        """Score the classes first … last - 1, which the sketch only bounds."""
        if first < last:
            memcpy(space.scores.data() + first, masks + first, (last - first) * sizeof(int16_t))
            self.scorer.score_range(first, last, space.keys.data(), n_keys, space.scores.data())


def chooser_for(StateScorer scorer not None, Actions actions not None,
                Constraints constraints=None):
    """Return a chooser that uses the scorer's sketch, unless the system reads all scores."""
    has_sketch = scorer.narrow is not None and not actions.system.takes_notes
    return (SketchChooser if has_sketch else Chooser)(scorer, actions, constraints)
