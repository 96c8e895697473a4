"""Numbers in random order."""
from libc.stdint cimport uint64_t

from dodona.core.base.random cimport below


cdef inline list shuffle_with(uint64_t* random, int n):
    """Return the numbers 0 … n - 1 in random order (Fisher & Yates), and advance `random`."""
    cdef int i, j
    cdef list order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = below(random, i + 1)
        order[i], order[j] = order[j], order[i]
    return order
