"""What all searches have in common: a chooser, a completer, and the loop over a corpus."""
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.search.actions cimport Actions
from dodona.core.search.agenda cimport Step
from dodona.core.search.choosing cimport Chooser
from dodona.core.search.completion cimport Completer
from dodona.core.search.scoring cimport StateScorer
from dodona.core.search.workspace cimport Workspace
from dodona.core.transitions.constraints cimport Constraints
from dodona.core.transitions.system cimport System


cdef class Search:
    cdef readonly System system
    cdef readonly StateScorer scorer
    cdef readonly Actions actions
    cdef readonly Constraints constraints       # on arcs, or None
    cdef readonly Completer completer
    cdef Chooser chooser
    cdef readonly bint keeps_given      # heads and labels of the corpus are kept
    cdef list spaces                    # workspaces that no thread uses now

    cdef Workspace new_workspace(self)
    cdef Workspace free_workspace(self)
    cdef WordsC words_of(self, Corpus corpus, int sentence)
    cdef long parse_range(self, Workspace space, Corpus corpus, int start,
                          int stop) except -1 nogil
    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil
    cdef int finish(self, Workspace space, const WordsC* words, Corpus corpus,
                    int sentence) except -1 nogil
    cdef int note_scores(self, Workspace space) noexcept nogil
    cdef int find_derivation(self, const WordsC* words, vector[Step]& path) except -1
