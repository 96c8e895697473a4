"""The guard of given arcs and labels: a mask of the classes after which they can still be built.

A given tree is a gold tree of which most heads are unknown, so the dynamic oracle says what keeps
it: a move that costs none of its arcs. A search that takes only such moves ends with all of them.

Labels are less strict. An arc into a word with a given label should have that label, but a model
may have no such class for this direction; then any class will do, and the label is set later.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport gold_size
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.weights.packed cimport MASKED

cdef enum:
    ALL_MOVES = -1


cdef class Guard:
    """Memory of one thread: the given arcs and labels of the sentence that it parses."""

    def __init__(self, Actions actions not None):
        self.actions = actions

    cdef int begin(self, Corpus corpus, int sentence) except -1 nogil:
        """Read what is given of a sentence: the heads and labels of the corpus."""
        cdef int i, n = corpus.n_words[sentence]
        cdef size_t first = corpus.first_word[sentence]
        self.labels.clear()
        self.labels.resize(n + 2, NONE)
        self.no_labels.clear()
        self.no_labels.resize(n + 2, NONE)
        self.is_on = self.has_heads = False
        for i in range(n):
            self.labels[i + 1] = corpus.label[first + i]
            self.has_heads |= corpus.head[first + i] != NONE
            self.is_on |= self.has_heads or corpus.label[first + i] != NONE
        self.block.resize(gold_size(n) // sizeof(int32_t))
        self.actions.system.build_tree(
            &self.given, self.block.data(), n, &corpus.head[first], self.no_labels.data())
        return 0

    cdef int root_word(self) noexcept nogil:
        """Return the word that is given to be under the root, or NONE."""
        cdef int root = max(self.actions.system.root_node(self.given.n_words), 0), d
        for d in range(1, self.given.n_words + 1):
            if self.given.head[d] == root:
                return d
        return NONE

    cdef const int16_t* narrow(self, const StateC* state, const int16_t* masks) except NULL nogil:
        """Return the masks of a state's classes, with those masked that lose what is given."""
        cdef int32_t wanted[MAX_MOVES]
        cdef int kept = ALL_MOVES if not self.has_heads else (
            self.actions.system.kept_moves(state, &self.given))
        cdef int c, move, label, dependent, n_fit = 0
        for move in range(MAX_MOVES):
            dependent = self.actions.system.arc_dependent(state, move)
            wanted[move] = NONE if dependent == NONE else self.labels[dependent]
        self.masks.assign(masks, masks + self.actions.n_padded)
        for c in range(self.actions.n_classes):
            move, label = self.actions.move[c], self.actions.label[c]
            if not kept >> move & 1:
                self.masks[c] = MASKED
            elif self.masks[c] == 0:
                n_fit += label == NONE or wanted[move] in (NONE, label)
        for c in range(self.actions.n_classes):
            move, label = self.actions.move[c], self.actions.label[c]
            if n_fit and label != NONE and wanted[move] not in (NONE, label):
                self.masks[c] = MASKED
        return self.masks.data()
