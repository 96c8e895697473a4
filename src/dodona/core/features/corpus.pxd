"""Sentences as the core sees them: columns of integers, heads and labels."""
from libc.stdint cimport int16_t, int32_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.transitions.gold cimport GoldArc, GoldC
from dodona.core.transitions.system cimport System


cdef class Corpus:
    cdef readonly int n_columns
    cdef vector[int32_t] n_words        # per sentence
    cdef vector[size_t] first_value     # per sentence, in `values`
    cdef vector[size_t] first_word      # per sentence, in `head` and `label`
    cdef vector[int32_t] values         # per sentence and column: a value for each node
    cdef vector[int32_t] head           # per word: 0 the root, NONE not annotated or not parsed
    cdef vector[int32_t] label
    cdef vector[char] packed            # per word, if a network has read them …
    cdef size_t packed_size             # … this many bytes each
    cdef vector[int16_t] products       # of the words of one sentence, if a search needs all …
    cdef int with_products              # … namely of this one, or NONE
    cdef vector[int32_t] kinds          # per word, if there are constraints on arcs …
    cdef readonly list broken           # … and the sentences whose trees break them
    cdef vector[GoldArc] arcs           # of graphs
    cdef vector[size_t] first_arc       # per sentence, in `arcs` …
    cdef vector[size_t] end_arc         # … up to this one

    cdef int32_t* add(self, int n_words)
    cdef WordsC words(self, int sentence) noexcept nogil
    cdef int32_t* column(self, int sentence, int column) noexcept nogil
    cdef int set_gold(self, System system, int sentence, GoldC* gold,
                      vector[int32_t]& block) except -1 nogil
