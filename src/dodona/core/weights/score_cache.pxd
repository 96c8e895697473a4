"""A cache for sums of weights."""
from libc.stdint cimport uint64_t

cdef enum:
    MAX_CACHE_SECTIONS = 8

cdef struct CacheSection:
    int log_size              # the logarithm of the number of entries
    uint64_t* tags            # per entry: a hash of the features whose sums it has; 0: none
    char* sums                # per entry: one for each class, padded


cdef class ScoreCache:
    cdef readonly int n_sections
    cdef size_t n_bytes                 # of the sums of one entry
    cdef CacheSection sections[MAX_CACHE_SECTIONS]

    cdef void* entry_for(self, int section, const uint64_t* keys, int n_keys,
                         bint* is_known) noexcept nogil
    cdef void* entry_at(self, int section, uint64_t tag, bint* is_known) noexcept nogil
    cdef void clear(self) noexcept nogil
