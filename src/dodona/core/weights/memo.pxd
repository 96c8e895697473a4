"""Sums of weights that were added up before."""
from libc.stdint cimport int16_t, uint64_t

cdef enum:
    MAX_MEMO_PARTS = 8

cdef struct MemoPart:
    int log_size              # so many bits tell one of its places from the others
    uint64_t* tags            # per place: of the features whose sums it has; 0: of none
    int16_t* sums             # per place: one for each class, padded


cdef class Memo:
    cdef readonly int n_parts
    cdef int n_padded
    cdef MemoPart parts[MAX_MEMO_PARTS]

    cdef int16_t* place_of(self, int part, const uint64_t* keys, int n_keys,
                           bint* is_known) noexcept nogil
