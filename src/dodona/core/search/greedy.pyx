"""Greedy search, for trees and for graphs: the best action, until the state is final."""
from dodona.core.base.nodes cimport NONE
from dodona.core.features.words cimport WordsC
from dodona.core.search.actions cimport Actions
from dodona.core.search.choosing import Chooser, chooser_for
from dodona.core.search.completion import GraphCompleter, TreeCompleter
from dodona.core.search.scoring cimport StateScorer
from dodona.core.search.search cimport Search
from dodona.core.search.workspace cimport Workspace
from dodona.core.transitions.state cimport StateC


cdef class Greedy(Search):
    """Greedy search, one sentence after the other."""

    def __init__(self, StateScorer scorer not None, Actions actions not None, *,
                 bint one_root=True, int root_label=0, constraints=None, bint keeps_given=False):
        chooser = (Chooser if keeps_given else chooser_for)(scorer, actions, constraints)
        if actions.system.builds_graphs:
            completer = GraphCompleter(chooser, root_label=root_label)
        else:
            completer = TreeCompleter(chooser, one_root=one_root, root_label=root_label)
        super().__init__(chooser, completer, keeps_given)

    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil:
        cdef StateC* state = &space.state
        cdef int chosen, n_transitions = 0
        while not self.system.final(state):
            chosen = self.chooser.best_class(space, words, self.system.valid_moves(state))
            self.note_scores(space)
            if chosen == NONE:           # no valid class was seen in training
                break
            self.system.take(state, self.actions.move[chosen], self.actions.label[chosen])
            n_transitions += 1
        return n_transitions
