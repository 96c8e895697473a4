"""Greedy search for graphs."""
from .features cimport WordsC
from .greedy cimport Greedy, Workspace


cdef class GraphGreedy(Greedy):
    cdef int labelled_moves             # a bit for each
    cdef int n_first_blocks             # those with all classes of moves without a label

    cdef int headless_root(self, Workspace space, const WordsC* words) noexcept nogil
    cdef int likely_head(self, const WordsC* words, int word, int chief) noexcept nogil
