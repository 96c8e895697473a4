"""Greedy search for graphs."""
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.greedy cimport Greedy


cdef class GraphGreedy(Greedy):
    cdef int tree_head                  # column of a basic tree, or NONE
    cdef int labelled_moves             # a bit for each
    cdef int n_first_blocks             # those with all classes of moves without a label

    cdef bint attach_headless(self, Workspace space, const WordsC* words, int chief,
                              char* marks) except -1 nogil
    cdef int headless_root(self, Workspace space, const WordsC* words) except -2 nogil
    cdef int likely_head(self, const WordsC* words, int word, int chief) noexcept nogil
