"""A model at work: features of a state, their weights, and the action that scores best."""
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.parsing.scoring import scorer_of
from dodona.core.transitions.moves cimport MAX_MOVES
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
        if chooser.scorer.outline is not None:
            self.lanes.resize(chooser.scorer.outline.n_lanes)
        lay_out(&self.state, self.block.data(), n_words, max_arcs)


cdef class Chooser:
    """Features or slots, the classes to choose from, and their weights or a network.

    Threads may share it.
    """

    outlined = "narrow"           # which outline of scores it looks at: `scorer_of`

    def __init__(self, features, Actions actions not None, weights):
        outlined = "no" if actions.system.takes_notes else self.outlined
        self.scorer = scorer_of(features, weights, outlined=outlined)
        if self.scorer.n_classes != actions.n_classes:
            raise ValueError(
                f"weights for {self.scorer.n_classes} classes, but there are {actions.n_classes}")
        self.scorer.check(actions.system)
        self.system, self.actions = actions.system, actions

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        """The class of the highest score among those of the given moves; NONE if there is none."""
        cdef const int16_t* barriers = self.actions.barriers(&space.state, moves)
        if self.scorer.outline is not None:
            return self.best_by_outline(space, words, barriers)
        memcpy(space.scores.data(), barriers, space.scores.size() * sizeof(int16_t))
        self.scorer.score(
            &space.state, words, space.keys.data(), space.scores.data(), space.memo)
        return self.best_scored(space, words, barriers)

    cdef int best_by_outline(self, Workspace space, const WordsC* words,
                             const int16_t* barriers) except -2 nogil:
        """The same, by the scores of some classes and bounds of the others, if these tell."""
        cdef int16_t* lanes = space.lanes.data()
        cdef int16_t* exact = lanes + self.scorer.outline.exact_lane
        cdef int16_t* scores = space.scores.data()
        cdef int best, other, first, last, n_keys, n_exact = self.scorer.outline.n_exact
        memcpy(lanes, barriers + self.actions.n_padded, space.lanes.size() * sizeof(int16_t))
        n_keys = self.scorer.score(&space.state, words, space.keys.data(), lanes, space.memo)
        best = dodona_best(exact, n_exact // BLOCK)
        scores[best] = exact[best]
        if self.scorer.outline.find_doubtful(lanes, exact[best], &first, &last):
            self.score_range(space, barriers, first, last, n_keys)
            other = first + dodona_best(scores + first, (last - first) // BLOCK)
            best = other if scores[other] > scores[best] else best
        if barriers[best] == 0 and self.obeys(&space.state, words, best):
            return best
        memcpy(scores, exact, n_exact * sizeof(int16_t))
        self.score_range(space, barriers, n_exact, self.actions.n_padded, n_keys)
        return self.best_scored(space, words, barriers)

    cdef void score_range(self, Workspace space, const int16_t* barriers, int first, int last,
                          int n_keys) noexcept nogil:
        """The scores of classes that the outline only bounds."""
        if first < last:
            memcpy(space.scores.data() + first, barriers + first, (last - first) * sizeof(int16_t))
            self.scorer.score_range(first, last, space.keys.data(), n_keys, space.scores.data())

    cdef int best_scored(self, Workspace space, const WordsC* words,
                         const int16_t* barriers) except -2 nogil:
        """The same where the workspace has the scores, which started from these barriers."""
        cdef int best = dodona_best(space.scores.data(), self.actions.n_padded // BLOCK)
        if barriers[best] == 0 and self.obeys(&space.state, words, best):
            return best
        return self.best_of_all(
            space, words, barriers,
            NONE if barriers[best] else self.wanted_move(&space.state, words, best))

    cdef bint obeys(self, const StateC* state, const WordsC* words, int c) noexcept nogil:
        """Whether a class builds nothing that constraints forbid, if there are any."""
        return self.constraints is None or words.kinds == NULL or self.constraints.allows(
            self.system, state, words.kinds, self.actions.move[c], self.actions.label[c])

    cdef bint find_allowed(self, const StateC* state, const WordsC* words,
                           uint64_t* allowed) noexcept nogil:
        """For each move the relations that constraints allow; False if there are none."""
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
        """Whether a class builds no arc, or one that was found to be allowed."""
        cdef int move = self.actions.move[c], label = self.actions.label[c]
        if move != self.system.left_arc and move != self.system.right_arc:
            return True
        return allowed[move] >> self.constraints.relation[label] & 1

    cdef int best_of_all(self, Workspace space, const WordsC* words, const int16_t* barriers,
                         int wanted) except -2 nogil:
        """The same by a look at every class, where constraints forbid the best, or weights are out
        of bounds: one that obeys, of the move that is wanted, if there is any."""
        cdef uint64_t allowed[MAX_MOVES]
        cdef int c, merit, best = NONE, most = -1
        cdef bint is_strict = self.find_allowed(&space.state, words, allowed)
        for c in range(self.actions.n_classes):
            if barriers[c] == 0:
                merit = 0
                if not is_strict or self.is_among(c, allowed):
                    merit = 2 if self.actions.move[c] == wanted else 1
                if merit > most or merit == most and space.scores[c] > space.scores[best]:
                    best, most = c, merit
        return best

    cdef int wanted_move(self, const StateC* state, const WordsC* words, int c) noexcept nogil:
        """The move of a class that is forbidden for its label alone: the arc is the model's choice.
        """
        if self.constraints is None or words.kinds == NULL or self.constraints.forbids_arc(
                self.system, state, words.kinds, self.actions.move[c], self.actions.label[c]):
            return NONE
        return self.actions.move[c]
