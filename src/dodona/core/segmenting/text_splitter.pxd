"""Search for the tokens and sentences of a text."""
from dodona.core.segmenting.lexicon_index cimport LexiconIndex
from dodona.core.segmenting.text_scanner cimport TextScanner
from dodona.core.weights.packed cimport PackedWeights


cdef class TextSplitter:
    cdef readonly bytes pair_table
    cdef readonly PackedWeights weights
    cdef readonly int bias
    cdef readonly LexiconIndex lexicon       # or None

    cdef TextScanner scanner(self, text, bint by_lines, bytes forbidden=*)
    cdef int run(self, TextScanner scanner) except -1 nogil
    cdef int add_scores(self, const uint64_t* keys, int n, int most, int* scores) except -1 nogil
