"""A tagging task: what it looks at, what it need not ask the model, where its answers go."""
from libc.stdint cimport int16_t, int32_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.tagging.tag_features cimport TagFeatures
from dodona.core.weights.sketch cimport Sketch


cdef inline uint32_t joined(uint32_t classes, int32_t klass) noexcept nogil:
    """A number for several classes; that of a single one is the class itself."""
    return classes * <uint32_t> 0x9e3779b1 + <uint32_t> klass


cdef class TagTask:
    cdef readonly TagFeatures features
    cdef readonly int n_classes
    cdef readonly int n_certain         # classes that certain words may have: as many, or more
    cdef readonly int n_columns         # of the corpora it works on
    cdef int n_padded
    cdef int entry_column               # which known word it is
    cdef vector[int] given_columns      # of tasks before; none for the first
    cdef int own_column                 # where the answers go
    cdef readonly Sketch sketch       # of the scores
    # where sketches start, then scores: 0, or MASKED behind the last class
    cdef vector[int16_t] blank
    cdef vector[int32_t] start          # per known word, where its pairs begin; one past the last
    cdef vector[uint32_t] given         # pairs: with these classes of the tasks before, or ANY …
    cdef vector[int32_t] fixed          # … the word has this one

    cdef int certain(self, const WordsC* words, int word) noexcept nogil
    cdef int32_t* own(self, Corpus corpus, int sentence) noexcept nogil
