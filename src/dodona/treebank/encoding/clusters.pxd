"""Lookup of the cluster of a form, for compiled code."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport Fields, Text

cdef class Clusters:
    cdef Vocabulary words
    cdef Vocabulary paths               # the distinct bit strings
    cdef vector[int32_t] path_of_word   # number of the bit string of each word

    # The bit string of a form, without lower-casing; empty if it has none.
    cdef Text exact(self, const char* form, Py_ssize_t size) noexcept nogil

    # The bit string of a form or, if it has none, of its lower case.
    cdef Text find(self, Text form)

    # The bit string of every form of a sentence; the texts live as long as the clusters.
    cdef int find_all(self, Fields sentence, vector[Text]& found) except -1


# The number of bits of the column `cluster` (all) or `cluster:4`; 0 for any other column.
cdef Py_ssize_t n_bits(str column) except -1
