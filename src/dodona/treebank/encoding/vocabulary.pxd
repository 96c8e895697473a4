"""Vocabularies, for compiled code."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector


cdef uint64_t hashed(const char* text, Py_ssize_t size) noexcept nogil


cdef class Vocabulary:
    cdef vector[char] text              # all strings, one after the other
    cdef vector[size_t] start           # start of each string, and the end of the last
    cdef vector[int32_t] table          # open addressing: number of the string + 1; 0 is empty

    cdef int32_t lookup(self, const char* text, Py_ssize_t size) noexcept nogil
    cdef int32_t add(self, const char* text, Py_ssize_t size) except -1 nogil
    cdef size_t find(self, const char* text, Py_ssize_t size) noexcept nogil
    cdef int grow(self, size_t n_strings) except -1 nogil
    cdef int cut(self, size_t n_strings) except -1 nogil
    cdef size_t n_bytes(self) noexcept nogil
