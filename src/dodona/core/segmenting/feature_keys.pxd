"""Feature keys of the segmenter: templates, each with a seed, filled with up to four atoms."""
from libc.stdint cimport uint64_t

from dodona.core.base.hashing cimport mixed, multiplier


cdef struct Keys:
    uint64_t* key
    int n
    int template
    const uint64_t* seeds


cdef inline void put(Keys* keys, uint64_t a, uint64_t b, uint64_t c,
                     uint64_t d) noexcept nogil:
    """Add the key of the next template."""
    cdef uint64_t key = (keys.seeds[keys.template] + a * multiplier(0) + b * multiplier(1)
                         + c * multiplier(2) + d * multiplier(3))
    keys.key[keys.n] = mixed(mixed(key)) | 1
    keys.n += 1
    keys.template += 1


cdef inline uint64_t bucket(Py_ssize_t n) noexcept nogil:
    """Round a count: exact below 5, then in coarser steps."""
    if n < 5:
        return n
    return 5 if n < 8 else 6 if n < 12 else 7 if n < 20 else 8 if n < 40 else 9
