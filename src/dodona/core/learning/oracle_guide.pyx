"""An oracle beside a model, in states that either of them chooses: the core of all training.

In each state the model's scores predict an action; the oracle gives the correct ones
(`static_class`, or every class of the lowest cost); `choose_next`, CHOOSE_NEXT of Goldberg & Nivre
(2012, Algorithms 2 and 3), gives the action to take:

  static     learn the one action of the static oracle; follow it
  ambiguity  learn any optimal action; follow the prediction if optimal, else a random optimal one
  explore    as ambiguity, but after k epochs mostly follow the prediction, right or wrong

Where no action has cost 0 (a gold tree that the system cannot reach), the cheapest are optimal.
Derived classes compute the scores, and learn.
"""
from libc.string cimport memset

from dodona.core.base.nodes cimport NONE
from dodona.core.base.random cimport below, uniform
from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport lay_out, state_size
from dodona.core.transitions.system cimport rank
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    int dodona_best_within(const float* scores, const int32_t* costs, int32_t limit,
                           int n_blocks) noexcept nogil

MODES = ("static", "ambiguity", "explore")

cdef enum:
    NEW_LABEL = 1 << 30       # a label that no gold arc has


cdef class OracleGuide:
    """A state, its gold tree or graph, the scores of a model, and the costs of all classes.

    `explore_rate` is the share of wrong predictions that are followed while exploring: 1 - p in the
    paper.
    """

    def __init__(self, Corpus corpus, Actions actions, *, str mode="explore",
                 double explore_rate=0.9, uint64_t seed=1):
        self.corpus, self.actions, self.system = corpus, actions, actions.system
        self.mode = MODES.index(mode)
        self.explore_rate, self.random = explore_rate, seed
        self.scores.resize(actions.n_padded)
        self.costs.resize(actions.n_padded, FORBIDDEN)
        for is_labelled in self.system.labelled:
            self.labelled.push_back(is_labelled)
        self.n_labels = len(self.system.labels)
        self.class_of.resize(MAX_MOVES * (self.n_labels + 1), NONE)
        for c, (move, label, _, _) in enumerate(actions.pairs):
            self.class_of[move * (self.n_labels + 1) + label + 1] = c

    cdef int begin(self, int sentence) except -1 nogil:
        """Set the start state of a sentence, and its gold tree or graph."""
        cdef int n_words = self.corpus.n_words[sentence]
        cdef int max_arcs = self.system.max_arcs(n_words)
        self.state_block.resize(state_size(n_words, max_arcs) // sizeof(uint64_t))
        lay_out(&self.state, self.state_block.data(), n_words, max_arcs)
        self.corpus.set_gold(self.system, sentence, &self.gold, self.gold_block)
        self.system.start_state(&self.state)
        return 0

    cdef int take(self, int c) except -1 nogil:
        return self.system.take(&self.state, self.actions.move[c], self.actions.label[c])

    cdef int note_scores(self) noexcept nogil:
        """Let the system note the scores in the state; return the note as a number."""
        cdef Choices choices = self.actions.choices(NULL, self.scores.data())
        return self.system.note_scores(&self.state, &choices)

    cdef int set_costs(self) except -1 nogil:
        """Compute the rank of every class that the state allows, and the lowest of them."""
        cdef MoveCost* moves = self.moves
        cdef int32_t usual[MAX_MOVES]       # per move: its rank with any label but the gold one
        cdef int32_t c, move, cheapest = FORBIDDEN
        cdef const int32_t* move_of = self.actions.move.data()
        cdef int32_t* costs = self.costs.data()
        cdef const int16_t* masks = self.actions.masks(
            &self.state, self.system.valid_moves(&self.state))
        memset(moves, 0, sizeof(self.moves))
        self.system.move_costs(&self.state, &self.gold, moves)
        for move in range(MAX_MOVES):
            usual[move] = self.rank_of(move, NEW_LABEL)
        for c in range(self.actions.n_classes):
            costs[c] = FORBIDDEN if masks[c] else usual[move_of[c]]
            cheapest = min(cheapest, costs[c])
        for move in range(<int> self.labelled.size()):
            if 0 <= moves[move].label < self.n_labels:
                c = self.class_of[move * (self.n_labels + 1) + moves[move].label + 1]
                if c != NONE and masks[c] == 0:
                    costs[c] = self.rank_of(move, moves[move].label)
                    cheapest = min(cheapest, costs[c])
        self.cheapest = cheapest
        return 0

    cdef int32_t rank_of(self, int move, int label) noexcept nogil:
        return rank(&self.moves[move], label, self.system.arc_price, self.system.label_price)

    cdef int best(self, bint optimal_only) noexcept nogil:
        """Return the class of the highest score, of all that are allowed or of the optimal ones."""
        return dodona_best_within(self.scores.data(), self.costs.data(),
                                  self.cheapest if optimal_only else FORBIDDEN - 1,
                                  self.actions.n_padded // BLOCK)

    cdef int static_class(self) except -2 nogil:
        """Return the static oracle's action, or the best optimal one if no class has its label."""
        cdef int move = self.system.static_move(&self.state, &self.gold)
        cdef int label = NONE, chosen
        if self.labelled[move]:
            label = self.moves[move].label
            if label == NONE:
                label = self.system.idle_label(&self.state, move)
        chosen = self.class_of[move * (self.n_labels + 1) + label + 1]
        return self.best(True) if chosen == NONE else chosen

    cdef int choose_next(self, int predicted, bint exploring) noexcept nogil:
        """Return the class to take: CHOOSE_NEXT of the paper."""
        if self.mode == STATIC:
            return self.target
        if self.costs[predicted] == self.cheapest:
            return predicted
        if (self.mode == EXPLORE and exploring and self.explore_rate > 0
                and uniform(&self.random) < self.explore_rate):
            return predicted
        return self.random_optimal()

    cdef int random_optimal(self) noexcept nogil:
        cdef int c, n = 0, left
        for c in range(self.actions.n_classes):
            n += self.costs[c] == self.cheapest
        left = below(&self.random, n)
        for c in range(self.actions.n_classes):
            if self.costs[c] == self.cheapest:
                if left == 0:
                    return c
                left -= 1
        return NONE
