"""The sentences of a batch in one buffer, for compiled code."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport Fields, Text

cdef class Block:
    cdef vector[char] data              # the first `size` bytes: all sentences, as CoNLL-U
    cdef size_t size
    cdef vector[size_t] begins          # per sentence, in `data`
    cdef vector[size_t] first_word      # per sentence
    cdef vector[Py_ssize_t] lines       # per sentence, in its text
    cdef vector[int32_t] start          # STRIDE per word, from the beginning of its sentence
    cdef vector[int32_t] head           # per word

    # The number of bytes of a sentence.
    cdef Py_ssize_t size_of(self, size_t number) noexcept nogil

    # A sentence; valid until the block changes.
    cdef Fields fields(self, size_t number) noexcept nogil

    # Grow `data`, if needed, for n more bytes.
    cdef int reserve(self, size_t n) except -1 nogil

    # Add a copy of a sentence with other heads and with `copy_replaced` columns.
    cdef int append(self, Fields old, Py_ssize_t line, const int32_t* heads, const int* columns,
                    int n_columns, const Text* texts) except -1 nogil


# The fields of every sentence of a block or a list, which the caller keeps alive.
cdef int collect_fields(sentences, vector[Fields]& batch) except -1
