"""A cutoff for rare features, which are counted before training and not learned."""
from libc.stdint cimport uint8_t, uint64_t
from cython.operator cimport dereference
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector

cdef enum:
    N_COUNTERS = 1 << 22      # a rare feature seldom shares one with another
    MAX_CUTOFF = 255          # features are counted in bytes

cdef struct Cutoff:
    int least                           # rarer features are not learned; counters stop here
    vector[uint8_t] shared              # counters by the high half of the key, or else …
    unordered_map[uint64_t, uint8_t] own        # … one for each key


cdef inline int start_counting(Cutoff* cutoff, int least, bint exactly=False) except -1:
    """Reset all counters. Millions of features share counters; few are counted `exactly`."""
    if not 0 <= least <= MAX_CUTOFF:
        raise ValueError(f"a cutoff is from 0 to {MAX_CUTOFF}, not {least}")
    cutoff.least = least
    cutoff.own.clear()
    cutoff.shared.clear()
    cutoff.shared.resize(0 if exactly else N_COUNTERS)
    return 0


cdef inline uint8_t* counter_of(Cutoff* cutoff, uint64_t key) noexcept nogil:
    """Return the counter of a key; NULL if it has none yet."""
    cdef unordered_map[uint64_t, uint8_t].iterator found
    if not cutoff.shared.empty():
        return &cutoff.shared[key >> 32 & (N_COUNTERS - 1)]
    found = cutoff.own.find(key)
    if found == cutoff.own.end():
        return NULL
    return &dereference(found).second


cdef inline int count_keys(Cutoff* cutoff, const uint64_t* keys, int n_keys) except -1 nogil:
    """Add one to the counter of each feature."""
    cdef uint8_t* seen
    cdef int k
    for k in range(n_keys):
        seen = counter_of(cutoff, keys[k])
        if seen == NULL:
            cutoff.own.insert(pair[uint64_t, uint8_t](keys[k], 0))
            seen = counter_of(cutoff, keys[k])
        seen[0] = min(seen[0] + 1, cutoff.least)
    return 0


cdef inline int keep_frequent(Cutoff* cutoff, uint64_t* keys, int n_keys) noexcept nogil:
    """Drop the keys of features that are too rare to be learned; return how many are left."""
    cdef const uint8_t* seen
    cdef int k, n = 0
    if cutoff.least == 0:
        return n_keys
    for k in range(n_keys):
        seen = counter_of(cutoff, keys[k])
        if seen != NULL and seen[0] >= cutoff.least:
            keys[n] = keys[k]
            n += 1
    return n
