"""Feature keys of a candidate boundary in a text."""
from libc.stdint cimport uint64_t

from dodona.core.segmenting.text_scanner cimport TextScanner

cdef enum:
    MAX_BOUNDARY_KEYS = 88

cdef int fill_boundary(TextScanner scanner, uint64_t* keys) noexcept nogil
