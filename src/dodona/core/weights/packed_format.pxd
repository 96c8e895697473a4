"""Packed weights in a model file: a hash table, and rows of small integers.

Weights are rounded to int8, times a power of two for each row, so that small weights are not lost
in the step that large ones need (on two dev sets LAS changed by +0.01 and -0.07 against the float
weights; with one step for all, by -0.10 and -0.25). A row begins with a 16-bit word: the exponent
in its high bits, and in the low ones the number of cells, each a class of 16 bits and its weight. A
row with many cells is dense instead, a weight for every class; its number of cells is DENSE.
"""
from libc.stdint cimport int8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from dodona.core.weights.linear cimport BLOCK

cdef enum:
    UNIT = 2                  # bytes; rows start at multiples of it (8: a tenth more on disk)
    WORD = 2
    CELL = 3
    DENSE = 0xfff
    POWER_AT = 12             # the first bit of the exponent
    MAX_POWER = 3

cdef struct Bucket:               # eight slots fill a cache line
    uint32_t fingerprint[BLOCK]   # low half of the key, which is odd; 0: a free slot
    uint32_t row[BLOCK]           # where the row starts, in units


cdef inline uint32_t bucket_of(uint64_t key, uint32_t n_buckets) noexcept nogil:
    """Return the bucket of a key: its high half, scaled to the table."""
    return <uint32_t> ((key >> 32) * n_buckets >> 32)


cdef inline unsigned int word_at(const int8_t* address) noexcept nogil:
    cdef uint16_t word
    memcpy(&word, address, WORD)
    return word


cdef inline void put_word(int8_t* address, uint16_t word) noexcept nogil:
    memcpy(address, &word, WORD)


cdef inline size_t row_length(const int8_t* rows, size_t n_bytes, size_t n_padded,
                              uint32_t row) noexcept nogil:
    """Return the bytes of a row; 0 if it, or a class that it names, is out of bounds."""
    cdef size_t start = <size_t> row * UNIT, length = WORD, n, j, klass, next_class = 0
    cdef unsigned int word
    cdef bint is_bad = False
    if start + UNIT > n_bytes:
        return 0
    word = word_at(rows + start)
    if word >> POWER_AT > MAX_POWER:
        return 0
    n = word & DENSE
    length += n_padded if n == DENSE else n * CELL
    if start + length > n_bytes:
        return 0
    for j in range(0 if n == DENSE else n):
        klass = word_at(rows + start + WORD + j * CELL)
        is_bad |= klass < next_class            # ascending: no class is added twice
        next_class = klass + 1
    return 0 if is_bad or next_class > n_padded else length
