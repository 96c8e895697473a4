"""Simple words of a text, read before segmentation: what stands around a candidate boundary."""
from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport CodePoints
from dodona.core.segmenting.lexicon_index cimport LexiconIndex

cdef struct TextWord:
    Py_ssize_t start
    uint64_t hash           # of its characters in lower case
    uint64_t tag            # grammatical class; of an unknown word, its ending
    uint8_t kind            # of the first character
    uint8_t writing         # usual case inside sentences, as in the lexicon
    bint begins_paragraph
    int n_verbs             # among the words before this one …
    int n_capitals          # … those that begin with a capital …
    int n_uppers            # … those all in capitals …
    int n_numbers           # … those that begin with a digit …
    int n_commas            # … and marks …
    int n_colons
    int n_quotes
    int stop                # index of the next terminal mark or paragraph start, from here on
    int end                 # index of the next paragraph start


cdef int read_words(CodePoints text, LexiconIndex lexicon, vector[TextWord]& words) except -1 nogil
cdef Py_ssize_t word_from(const vector[TextWord]& words, Py_ssize_t at) noexcept nogil
