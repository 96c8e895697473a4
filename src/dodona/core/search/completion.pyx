"""Completion of trees and graphs: a final state may leave words without a head.

The model's own scores choose what is missing, in a state that holds only the two words in question.
"""
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.words cimport word_column
from dodona.core.transitions.gold cimport GoldArc
from dodona.core.transitions.graph_state cimport add_graph_arc, mark_descendants
from dodona.core.transitions.state cimport StateC
from dodona.core.weights.packed cimport MASKED


cdef class Completer:
    """The part of a search that attaches what is left over, and writes the result into a corpus."""

    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil:
        """Attach the words of the workspace's final state that have no head yet."""
        return 0

    cdef int write(self, Workspace space, Corpus corpus, int sentence) except -1 nogil:
        """Write the arcs of the workspace's state into a corpus."""
        return 0

    cdef int best_arc(self, Workspace space, const WordsC* words, int head,
                      int word) except -2 nogil:
        """Return the best class for an arc when only its two words are in sight, or NONE."""
        cdef int move = (self.chooser.system.right_arc if head < word
                         else self.chooser.system.left_arc)
        self.chooser.system.show_pair(&space.state, head, word)
        return self.chooser.best_class(space, words, 1 << move)


cdef class TreeCompleter(Completer):
    """Gives every word a head and, with `one_root`, the root one word only."""
    cdef readonly bint one_root

    def __init__(self, Chooser chooser not None, *, bint one_root=True, int root_label=0):
        if chooser.system.builds_graphs:
            raise ValueError(f"{chooser.system.name} builds graphs, which are parsed greedily")
        self.chooser, self.one_root, self.root_label = chooser, one_root, root_label

    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil:
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
        return 0

    cdef int root_word(self, Workspace space, const WordsC* words, bint under_root) except -2 nogil:
        """Return the word that scores best under the root, of those already there or headless."""
        cdef StateC* state = &space.state
        cdef int d, chosen, score, chief = NONE, best = 0
        if space.guard is not None:
            chief = space.guard.root_word()
        if chief != NONE:
            return chief
        for d in range(1, state.n_words + 1):
            if state.head[d] == (state.root if under_root else NONE):
                score = 0
                if state.root != NONE:
                    chosen = self.best_arc(space, words, state.root, d)
                    score = MASKED if chosen == NONE else space.scores[chosen]
                if chief == NONE or score > best:
                    chief, best = d, score
        return chief

    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil:
        """Add an arc with the label that scores best for it."""
        cdef StateC* state = &space.state
        cdef int label = NONE, chosen
        if head != 0 or self.chooser.system.root_node(state.n_words) == 0:
            chosen = self.best_arc(space, words, head, word)
            if chosen != NONE:                          # else no such arc was seen in training
                label = self.chooser.actions.label[chosen]
        state.head[word] = head
        state.label[word] = self.root_label if label == NONE else label
        return 0

    cdef int write(self, Workspace space, Corpus corpus, int sentence) except -1 nogil:
        cdef const StateC* state = &space.state
        cdef size_t first = corpus.first_word[sentence]
        cdef int d
        for d in range(1, state.n_words + 1):
            corpus.head[first + d - 1] = 0 if state.head[d] == state.root else state.head[d]
            corpus.label[first + d - 1] = state.label[d]
        return 0


cdef class GraphCompleter(Completer):
    """Connects every word of a graph to the root.

    A final state may leave words without a head, or in a cycle that nothing leads to. A valid graph
    has a path from the root to every word, so each of these gets one more arc: from its head in the
    basic tree, where words come with one, or else from the word under the root, the chief.
    """

    def __init__(self, Chooser chooser not None, *, int root_label=0):
        if not chooser.system.builds_graphs:
            raise ValueError(f"{chooser.system.name} builds trees, not graphs")
        self.chooser, self.root_label = chooser, root_label

    # Each word gets at most one more arc, which together with 2n - 1 that do not cross is within
    # max_arcs: a word without a head is attached to a reachable one, and is then reachable itself.
    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil:
        cdef StateC* state = &space.state
        cdef vector[char] marks
        cdef int d, chief = NONE
        if state.arc_out[state.root] == NONE:
            self.attach(space, words, state.root, self.root_word(space, words))
        chief = state.arcs[state.arc_out[state.root]].dependent
        marks.resize(state.n_words + 1)
        mark_descendants(state, state.root, marks.data())
        while self.attach_headless(space, words, chief, marks.data()):
            pass
        for d in range(1, state.n_words + 1):
            if not marks[d]:
                self.attach(space, words, chief, d)
                mark_descendants(state, d, marks.data())
        return 0

    cdef bint attach_headless(self, Workspace space, const WordsC* words, int chief,
                              char* marks) except -1 nogil:
        """Attach headless words to likely heads that are reachable, or else one to the chief.

        Return whether any word had to wait for its head to become reachable.
        """
        cdef StateC* state = &space.state
        cdef int d, head, last = NONE
        cdef bint some_attached = False
        for d in range(1, state.n_words + 1):
            if state.arc_in[d] == NONE:
                head = self.likely_head(words, d, chief)
                if marks[head]:
                    self.attach(space, words, head, d)
                    mark_descendants(state, d, marks)
                    some_attached = True
                else:
                    last = d
        if last != NONE and not some_attached:
            self.attach(space, words, chief, last)
            mark_descendants(state, last, marks)
        return last != NONE

    cdef int root_word(self, Workspace space, const WordsC* words) except -2 nogil:
        """Return the word that scores best under the root, of those without a head or of all."""
        cdef StateC* state = &space.state
        cdef int d, chosen, score, chief = NONE, best = 0
        cdef bint some_headless = False
        for d in range(1, state.n_words + 1):
            some_headless |= state.arc_in[d] == NONE
        for d in range(1, state.n_words + 1):
            if state.arc_in[d] == NONE or not some_headless:
                chosen = self.best_arc(space, words, state.root, d)
                score = MASKED if chosen == NONE else space.scores[chosen]
                if chief == NONE or score > best:
                    chief, best = d, score
        return chief

    cdef int likely_head(self, const WordsC* words, int word, int chief) noexcept nogil:
        """Return the head of a word in the basic tree; the chief where there is none."""
        cdef int head = NONE
        if self.chooser.scorer.tree_head != NONE:
            head = word_column(words, self.chooser.scorer.tree_head)[word]
        return head if head > 0 else chief

    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil:
        """Add an arc with the label that scores best for it."""
        cdef int chosen = self.best_arc(space, words, head, word)
        add_graph_arc(&space.state, head, self.root_label if chosen == NONE
                      else self.chooser.actions.label[chosen], word)
        return 0

    cdef int write(self, Workspace space, Corpus corpus, int sentence) except -1 nogil:
        cdef const StateC* state = &space.state
        cdef int i
        if sentence == 0:
            corpus.arcs.clear()
        corpus.first_arc[sentence] = corpus.arcs.size()
        for i in range(state.n_arcs):
            corpus.arcs.push_back(
                GoldArc(state.arcs[i].head, state.arcs[i].label, state.arcs[i].dependent))
        corpus.end_arc[sentence] = corpus.arcs.size()
        return 0
