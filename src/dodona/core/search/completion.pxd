"""From the arcs that a search has built to a whole tree or graph."""
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.search.choosing cimport Chooser
from dodona.core.search.workspace cimport Workspace


cdef class Completer:
    cdef Chooser chooser
    cdef int root_label                 # where the model knows no label

    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil
    cdef int write(self, Workspace space, Corpus corpus, int sentence) except -1 nogil
    cdef int best_arc(self, Workspace space, const WordsC* words, int head,
                      int word) except -2 nogil


cdef class TreeCompleter(Completer):
    cdef readonly bint one_root

    cdef int root_word(self, Workspace space, const WordsC* words, bint under_root) except -2 nogil
    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil


cdef class GraphCompleter(Completer):
    cdef bint attach_headless(self, Workspace space, const WordsC* words, int chief,
                              char* marks) except -1 nogil
    cdef int root_word(self, Workspace space, const WordsC* words) except -2 nogil
    cdef int likely_head(self, const WordsC* words, int word, int chief) noexcept nogil
    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil
