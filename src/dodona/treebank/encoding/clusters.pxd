"""From a form to the bit string of its cluster, for compiled code."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport Sentence, Text

cdef class Clusters:
    cdef Vocabulary words
    cdef Vocabulary paths               # the bit strings, each once
    cdef vector[int32_t] path_of_word   # its number among them

    # The bit string of this form, letter for letter; empty where there is none.
    cdef Text exact(self, const char* form, Py_ssize_t size) noexcept nogil

    # The same, of the form or else of its lower-cased form.
    cdef Text find(self, Text form)

    # The same for every form of a sentence. The texts live as long as the clusters.
    cdef int find_all(self, Sentence sentence, vector[Text]& found) except -1


# How many bits the column `cluster` (all) or `cluster:4` is to have; 0 for any other column.
cdef Py_ssize_t n_bits(str column) except -1
