"""Greedy search with packed weights."""
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.completion cimport Completer
from dodona.core.transitions.system cimport State


cdef class Greedy(Completer):
    cdef list spaces                    # workspaces that nobody uses now

    cdef Workspace workspace(self)
    cdef WordsC words_of(self, Corpus corpus, int sentence)
    cdef long parse_all(self, Workspace space, Corpus corpus, int start, int stop) except -1 nogil
    cdef int finish(self, Workspace space, const WordsC* words, Corpus corpus,
                    int sentence) except -1 nogil
    cdef Workspace scored(self, State state, Corpus corpus, int sentence)
    cdef int keep(self, Workspace space, Corpus corpus, int sentence) except -1 nogil
    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil
    cdef int next_class(self, Workspace space, const WordsC* words) except -2 nogil
    cdef void note(self, Workspace space) noexcept nogil
