"""A tagging task: its features, its words with a fixed class, its corpus column."""
from libc.stdint cimport int16_t, int32_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.tagging.tag_features cimport TagFeatures
from dodona.core.weights.sketch cimport Sketch


cdef inline uint32_t joined(uint32_t classes, int32_t klass) noexcept nogil:
    """Combine classes of several tasks into an id; a single class is its own id."""
    return classes * <uint32_t> 0x9e3779b1 + <uint32_t> klass


cdef class TagTask:
    cdef readonly TagFeatures features
    cdef readonly int n_classes
    cdef readonly int n_all_classes         # including classes that only fixed words have
    cdef readonly int n_columns         # of its corpora
    cdef int n_padded
    cdef int entry_column               # id of a known word
    cdef vector[int] given_columns      # of earlier tasks
    cdef int own_column                 # that the task fills in
    cdef readonly Sketch sketch       # of the scores
    # where sketches start, then scores: 0, or MASKED behind the last class
    cdef vector[int16_t] blank
    cdef vector[int32_t] start          # first pair of each known word, and the end
    cdef vector[uint32_t] given         # pairs: with these classes of earlier tasks, or ANY …
    cdef vector[int32_t] fixed          # … the word has this class

    cdef int fixed_class(self, const WordsC* words, int word) noexcept nogil
    cdef int32_t* own(self, Corpus corpus, int sentence) noexcept nogil
