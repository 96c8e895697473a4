"""Words as a network sees them before it sees their sentence."""
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from dodona.tagging.word_encoder cimport N_FORM_ATTRIBUTES
from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport Fields

cdef enum:
    TYPE_COLUMN = N_FORM_ATTRIBUTES
    ENTRY_COLUMN = N_FORM_ATTRIBUTES + 1      # that of other taggers, too
    N_READ = N_FORM_ATTRIBUTES + 2


cdef class WordTypes:
    cdef readonly Vocabulary forms      # lower-cased, with a vector of their own
    cdef readonly Vocabulary vectors    # words with vectors from elsewhere, or None
    cdef readonly Vocabulary known      # forms whose lemmas are known, exactly as they are written
    cdef readonly tuple sizes           # rows of each hashed field
    cdef vector[uint32_t] n_rows        # the same
    cdef bint has_vectors
    cdef Vocabulary seen                # the types so far
    cdef vector[int32_t] spellings      # N_FORM_ATTRIBUTES per type
    cdef vector[int32_t] entry          # per type: which of the known forms it is, or ID_UNKNOWN
    cdef vector[int32_t] first          # per type and field, where its rows begin; and the end
    cdef vector[int32_t] rows

    cdef int32_t find(self, const char* text, Py_ssize_t size) except -1 nogil
    cdef int fill(self, Fields sentence, int32_t* values) except -1 nogil
    cdef int spell_type(self, const char* text, Py_ssize_t size) except -1 nogil
    cdef int end_field(self) except -1 nogil
    cdef int32_t vector_row(self, const char* text, Py_ssize_t size,
                            const vector[char]& lower) noexcept nogil
