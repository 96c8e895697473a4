"""Greedy search with packed weights."""
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.chooser cimport Workspace
from dodona.core.parsing.completion cimport Completer


cdef class Greedy(Completer):
    cdef Workspace workspace(self)
    cdef void keep(self, Workspace space, Corpus corpus, int sentence) noexcept nogil
    cdef int parse_words(self, Workspace space, const WordsC* words) noexcept nogil
    cdef int next_class(self, Workspace space, const WordsC* words) noexcept nogil
