"""Feature keys of a place in a text."""
from libc.stdint cimport uint64_t

from dodona.core.segmenting.places cimport Walk

cdef enum:
    MAX_PLACE_KEYS = 48

cdef int fill_place(Walk walk, uint64_t* keys) noexcept nogil
