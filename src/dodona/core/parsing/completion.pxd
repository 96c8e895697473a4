"""From the arcs that search has built to a whole tree."""
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.chooser cimport Chooser, Workspace


cdef class Completer(Chooser):
    cdef readonly bint one_root
    cdef int root_label                 # for a word under a root that is no node

    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil
    cdef int root_word(self, Workspace space, const WordsC* words, bint under_root) except -2 nogil
    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil
    cdef int best_arc(self, Workspace space, const WordsC* words, int head,
                      int word) except -2 nogil
