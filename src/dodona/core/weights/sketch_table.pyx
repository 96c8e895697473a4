"""Packed weights as they lie in memory while they are used.

A file keeps rows close together, those of few weights as cells. Read from there, a row takes
several cache lines, and its beginning must be read before the rest can be prefetched. So the hash
table is copied, followed by the sketches of all rows, each in one or two cache lines, or less if
there are few classes. A slot of the table holds where its sketch begins and, in bits that are free
there, the exponent of the row's power of two. All of it is in large pages, where the system has
some. Whole rows, which are seldom needed, stay in the file.
"""
from libc.string cimport memcpy

from dodona.core.weights.linear cimport BLOCK
from dodona.core.weights.packed_format cimport POWER_AT, UNIT, word_at


cdef int fill_sketch_table(Large[int8_t]& memory, vector[uint32_t]& starts, const Bucket* buckets,
                           uint32_t n_buckets, const int8_t* rows, Sketch narrow,
                           Sketch wide) except -1:
    """Fill memory with a checked table and sketches, and `starts` with their rows, in units."""
    cdef size_t table = <size_t> n_buckets * sizeof(Bucket), stride = stride_of(wide), at = 0
    cdef size_t n_rows = 0, n_bytes
    cdef Bucket* bucket
    cdef const int8_t* row
    cdef uint32_t i
    cdef int slot
    for i in range(n_buckets):
        for slot in range(BLOCK):
            n_rows += buckets[i].fingerprint[slot] != 0
    n_bytes = max(n_rows, <size_t> 1) * stride       # the first sketch is always prefetched
    if n_bytes > <size_t> 0xffff_ffff:
        raise ValueError("a table of weights takes more than 4 GiB")
    memory.resize(table + n_bytes)
    starts.reserve(n_rows)
    memcpy(&memory[0], buckets, table)
    for i in range(n_buckets):
        bucket = <Bucket*> &memory[0] + i
        for slot in range(BLOCK):
            if bucket.fingerprint[slot]:
                row = rows + <size_t> bucket.row[slot] * UNIT
                starts.push_back(bucket.row[slot])
                narrow.write(row, &memory[table + at])
                wide.write(row, &memory[table + at])
                bucket.row[slot] = <uint32_t> (at | word_at(row) >> POWER_AT)
                at += stride
    return 0


cdef size_t stride_of(Sketch wide) noexcept nogil:
    """Return the bytes from one wide sketch to the next: a power of two, at most two cache lines.
    """
    cdef size_t part = BLOCK
    while part < <size_t> wide.n_lanes:
        part *= 2
    return part
