"""Logarithms as integers that add up: log(ab) equals log a + log b exactly.

The logarithm of a prime is rounded to a multiple of 1 / scale, that of any other number is the sum
of those of its prime factors. So sums depend neither on their order nor on the machine, and sums of
logarithms that are equal in mathematics are equal here.
"""
from libc.math cimport ldexp, llround, log
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

cdef enum:
    N_LOGS = 1 << 20          # in the table; others are rounded one by one
    N_BITS = 55               # n log n for the largest n takes at most 5 more


cdef struct Logs:
    vector[int64_t] table
    double scale


cdef inline int fill_logs(Logs* logs, int64_t largest) except -1:
    """Fill in logarithms of numbers up to `largest`, with as many bits as int64 has room for."""
    cdef size_t size = <size_t> min(largest + 1, <int64_t> N_LOGS), prime, i
    cdef int n_bits = N_BITS
    cdef vector[size_t] factor        # of each number, a prime one
    while largest:
        largest >>= 1
        n_bits -= 1
    logs.scale = ldexp(1, n_bits)
    logs.table.resize(size)
    factor.resize(size)
    for prime in range(2, size):
        if factor[prime] == 0:
            logs.table[prime] = llround(log(<double> prime) * logs.scale)
            i = prime
            while i < size:
                factor[i] = prime
                i += prime
        else:
            logs.table[prime] = (logs.table[factor[prime]]
                                 + logs.table[prime // factor[prime]])


cdef inline int64_t log_of(const Logs* logs, int64_t n) noexcept nogil:
    """Return log n; 0 for 0, since it is only used in n log n."""
    if n < <int64_t> logs.table.size():
        return logs.table[n]
    return llround(log(<double> n) * logs.scale)


cdef inline int64_t n_log_n(const Logs* logs, int64_t n) noexcept nogil:
    return n * log_of(logs, n)
