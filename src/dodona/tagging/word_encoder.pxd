"""Hashed attributes of a word form."""
from libc.stdint cimport int32_t

cdef enum:
    N_PREFIXES = 4
    N_SUFFIXES = 5
    N_FORM_ATTRIBUTES = 3 + N_PREFIXES + N_SUFFIXES
    FIRST_WORD = 1 << 30      # flag in the shape of a sentence's first word


cdef int encode_form(const char* text, Py_ssize_t size, int32_t* values) except -1 nogil
