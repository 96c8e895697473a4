"""Complete a tree: a final state may leave words without a head, or several under the root.

What is missing is chosen by the model's own scores, asked in a state that holds but the two words
in question.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.constraints cimport Constraints
from dodona.core.transitions.state cimport StateC
from dodona.core.weights.packed cimport BARRED


cdef class Completer(Chooser):
    """A model that attaches what search has left over."""

    def __init__(self, *model, bint one_root=True, int root_label=0, Constraints constraints=None):
        super().__init__(*model)
        self.one_root, self.root_label = one_root, root_label
        self.constraints = constraints

    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil:
        """Give every word of the state a head and, if so wanted, the root one word only."""
        cdef StateC* state = &space.state
        cdef int d, chief, n_headless = 0, n_under_root = 0
        for d in range(1, state.n_words + 1):
            n_headless += state.head[d] == NONE
            n_under_root += state.head[d] == state.root and state.root != NONE
        if n_headless == 0 and (n_under_root == 1 or not self.one_root):
            return 0
        chief = self.root_word(space, words, n_under_root > 0)
        if chief == NONE:
            return 0                     # there is no word
        if state.root == NONE:
            state.root = 0
        if state.head[chief] == NONE:
            self.attach(space, words, state.root, chief)
        for d in range(1, state.n_words + 1):
            if d != chief and (state.head[d] == NONE
                               or self.one_root and state.head[d] == state.root):
                self.attach(space, words, chief if self.one_root else state.root, d)

    cdef int root_word(self, Workspace space, const WordsC* words, bint under_root) except -2 nogil:
        """The word that scores best under the root, of those already there or else headless."""
        cdef StateC* state = &space.state
        cdef int d, chosen, score, chief = NONE, best = 0
        for d in range(1, state.n_words + 1):
            if state.head[d] == (state.root if under_root else NONE):
                score = 0
                if state.root != NONE:
                    chosen = self.best_arc(space, words, state.root, d)
                    score = BARRED if chosen == NONE else space.scores[chosen]
                if chief == NONE or score > best:
                    chief, best = d, score
        return chief

    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil:
        """Add an arc with the label that scores best for it."""
        cdef StateC* state = &space.state
        cdef int label = NONE, chosen
        if head != 0 or self.system.root_node(state.n_words) == 0:
            chosen = self.best_arc(space, words, head, word)
            if chosen != NONE:                          # else no such arc was ever seen
                label = self.actions.label[chosen]
        state.head[word] = head
        state.label[word] = self.root_label if label == NONE else label

    cdef int best_arc(self, Workspace space, const WordsC* words, int head,
                      int word) except -2 nogil:
        """The best class that makes `head` the head of `word` when only these two are in sight."""
        cdef StateC* state = &space.state
        cdef int move = self.system.right_arc if head < word else self.system.left_arc
        self.system.show_pair(state, head, word)
        return self.best_class(space, words, 1 << move)
