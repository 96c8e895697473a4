"""Sums of weights that were added up before."""
from libc.stdint cimport uint64_t

cdef enum:
    MAX_MEMO_PARTS = 8

cdef struct MemoPart:
    int log_size              # so many bits tell one of its places from the others
    uint64_t* tags            # per place: of the features whose sums it has; 0: of none
    char* sums                # per place: one for each class, padded


cdef class Memo:
    cdef readonly int n_parts
    cdef size_t n_bytes                 # of the sums in one place
    cdef MemoPart parts[MAX_MEMO_PARTS]

    cdef void* place_of(self, int part, const uint64_t* keys, int n_keys,
                        bint* is_known) noexcept nogil
    cdef void* place_at(self, int part, uint64_t tag, bint* is_known) noexcept nogil
    cdef const void* known(self, int part, const uint64_t* keys, int n_keys) noexcept nogil
    cdef void forget(self) noexcept nogil
