"""How atoms become feature keys: a multilinear hash, mixed in the end. And hashes of strings."""
from libc.stdint cimport uint64_t


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    """Spread what the products left in the high bits over all of them."""
    x ^= x >> 32
    x *= <uint64_t> 0xd6e8feb86659fd93
    return x ^ (x >> 29)


cdef inline uint64_t multiplier(size_t atom) noexcept nogil:
    """Odd, and another for every atom."""
    return mixed((atom + 1) * <uint64_t> 0x243f6a8885a308d3) | 1


cdef inline uint64_t seed(size_t template) noexcept nogil:
    """What the key of a template starts from."""
    return mixed((<uint64_t> template + 1) * <uint64_t> 0x9e3779b97f4a7c15)


cdef inline uint64_t hashed_on(uint64_t hash, uint64_t piece) noexcept nogil:
    """The hash of a string with one more character, or eight more bytes: multiplied and folded."""
    hash = (hash ^ piece) * <uint64_t> 0xd6e8feb86659fd93
    return hash ^ (hash >> 32)
