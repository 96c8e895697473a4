"""Word types as rows of a network's embedding tables."""
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.tagging.word_encoder cimport N_FORM_ATTRIBUTES
from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport Fields

cdef enum:
    TYPE_COLUMN = N_FORM_ATTRIBUTES
    ENTRY_COLUMN = N_FORM_ATTRIBUTES + 1    # also in the corpora of `WordEncoder`
    N_READ = N_FORM_ATTRIBUTES + 2


# Raise ValueError unless these are the sentences of the corpus from `first` on.
cdef int check_lengths(Corpus corpus, const vector[Fields]& batch, size_t first) except -1


cdef class WordTypes:
    cdef readonly Vocabulary forms      # lower-cased forms with an embedding of their own
    cdef readonly Vocabulary vectors    # words with pre-trained vectors, or None
    cdef readonly Vocabulary known      # forms with known lemmas, case-sensitive
    cdef readonly tuple sizes           # rows of each hashed field
    cdef vector[uint32_t] n_rows        # `sizes`
    cdef bint has_vectors
    cdef Vocabulary seen                # the types so far
    cdef vector[int32_t] attributes     # N_FORM_ATTRIBUTES for each type
    cdef vector[int32_t] entry          # for each type its id in `known`, or ID_UNKNOWN
    cdef vector[int32_t] first          # for each type and field its first row; and the end
    cdef vector[int32_t] rows

    cdef int32_t find(self, const char* text, Py_ssize_t size) except -1 nogil
    cdef int fill(self, Fields sentence, int32_t* values) except -1 nogil
    cdef int add_type(self, const char* text, Py_ssize_t size) except -1 nogil
    cdef int end_field(self) except -1 nogil
    cdef int cut(self, size_t n_types) except -1 nogil
    cdef size_t n_bytes(self) noexcept nogil
    cdef int32_t vector_row(self, const char* text, Py_ssize_t size,
                            const vector[char]& lower) noexcept nogil
