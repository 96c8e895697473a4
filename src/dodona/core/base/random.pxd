"""A small random number generator whose state is one number, so that training can be resumed."""
from libc.stdint cimport uint64_t


cdef inline uint64_t next_random(uint64_t* state) noexcept nogil:
    """Return the next 64 bits of SplitMix64 (Steele, Lea & Flood 2014)."""
    cdef uint64_t z
    state[0] += <uint64_t> 0x9e3779b97f4a7c15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xbf58476d1ce4e5b9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94d049bb133111eb
    return z ^ (z >> 31)


cdef inline double uniform(uint64_t* state) noexcept nogil:
    """Return a number in [0, 1)."""
    return <double> (next_random(state) >> 11) / 9007199254740992.0


cdef inline int below(uint64_t* state, int n) noexcept nogil:
    """Return a number in 0 … n - 1; the bias of at most n / 2^32 does not matter here."""
    return <int> ((next_random(state) >> 32) * <uint64_t> n >> 32)
