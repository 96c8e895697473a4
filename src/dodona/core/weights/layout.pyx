"""How packed weights lie in memory while they are used.

A file keeps rows close together, those of few weights as cells; read where they are, one takes
several lines of the cache, and what a row is has to be read from it before the rest can be asked
for. So the table is copied, and behind it are the outlines of all rows, written out, each in one
line or two, or less if there are few classes. A place of the table tells where its outline begins
and, in bits that are free there, times which power of two. All of it is in large pages, where the
system has some. Whole rows, which are seldom asked for, stay in the file.
"""
from libc.string cimport memcpy

from dodona.core.weights.linear cimport BLOCK
from dodona.core.weights.saved cimport POWER_AT, UNIT, word_at


cdef int lay_out(Large[int8_t]& memory, vector[uint32_t]& starts, const Bucket* buckets,
                 uint32_t n_buckets, const int8_t* rows, Outline narrow, Outline wide) except -1:
    """Fill memory with a table that was checked, and outlines; `starts` tells where the row of each
    of these is, in units."""
    cdef size_t table = <size_t> n_buckets * sizeof(Bucket), stride = stride_of(wide), at = 0
    cdef size_t n_rows = 0, n_bytes
    cdef Bucket* bucket
    cdef const int8_t* row
    cdef uint32_t i
    cdef int place
    for i in range(n_buckets):
        for place in range(BLOCK):
            n_rows += buckets[i].fingerprint[place] != 0
    n_bytes = max(n_rows, <size_t> 1) * stride       # that of the first is asked for in any case
    if n_bytes > <size_t> 0xffff_ffff:
        raise ValueError("a table of weights takes more than 4 GiB")
    memory.resize(table + n_bytes)
    starts.reserve(n_rows)
    memcpy(&memory[0], buckets, table)
    for i in range(n_buckets):
        bucket = <Bucket*> &memory[0] + i
        for place in range(BLOCK):
            if bucket.fingerprint[place]:
                row = rows + <size_t> bucket.row[place] * UNIT
                starts.push_back(bucket.row[place])
                narrow.write(row, &memory[table + at])
                wide.write(row, &memory[table + at])
                bucket.row[place] = <uint32_t> (at | word_at(row) >> POWER_AT)
                at += stride
    return 0


cdef size_t stride_of(Outline wide) noexcept nogil:
    """From one wide outline to the next: two lines, or as much of one as divides it."""
    cdef size_t part = BLOCK
    while part < <size_t> wide.n_lanes:
        part *= 2
    return part
