"""Hashes: multilinear ones from atoms to feature keys, and those of strings."""
from libc.stdint cimport uint64_t


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    """Spread the high bits of a product over all bits."""
    x ^= x >> 32
    x *= <uint64_t> 0xd6e8feb86659fd93
    return x ^ (x >> 29)


cdef inline uint64_t multiplier(size_t atom) noexcept nogil:
    """Return an odd number, different for every atom."""
    return mixed((atom + 1) * <uint64_t> 0x243f6a8885a308d3) | 1


cdef inline uint64_t seed(size_t template) noexcept nogil:
    """Return the initial value of a template's key."""
    return mixed((<uint64_t> template + 1) * <uint64_t> 0x9e3779b97f4a7c15)


cdef inline uint64_t hashed_on(uint64_t hash, uint64_t piece) noexcept nogil:
    """Return the hash of a string extended by one character, or by eight bytes."""
    hash = (hash ^ piece) * <uint64_t> 0xd6e8feb86659fd93
    return hash ^ (hash >> 32)
