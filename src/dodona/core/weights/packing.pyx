"""Packing: the averages of weights in training, rounded to a byte each."""
from libc.math cimport fabs, lrint
from libc.stdint cimport int8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport BLOCK, WeightRow, Weights, padded
from dodona.core.weights.packed cimport PackedWeights
from dodona.core.weights.packed_format cimport (
    CELL, DENSE, MAX_POWER, POWER_AT, UNIT, WORD, Bucket, bucket_of, put_word,
)

cdef extern from "blocks.h":
    void dodona_prefetch(const void* address) noexcept nogil
    int dodona_match(const uint32_t* fingerprints, uint32_t sought) noexcept nogil

cdef enum:
    AHEAD = 8                 # rows that are prefetched before they are packed


cdef inline size_t whole_units(size_t n_bytes) noexcept nogil:
    return (n_bytes + UNIT - 1) // UNIT * UNIT


def pack(Weights weights, double time, *, double least=1):
    """Return the average of the weights over `time` steps as PackedWeights.

    A row whose absolute weights sum to less than `least` is dropped; the unit is 1/127 of the
    largest weight of all.
    """
    cdef vector[uint64_t] keys
    cdef vector[uint32_t] starts
    cdef vector[int8_t] rows
    cdef Averages row
    cdef size_t i
    cdef double unit = (largest(weights, time) or 1) / LARGEST
    for i in range(weights.table.size()):
        prefetch_row(weights, &weights.table[(i + AHEAD) & (weights.table.size() - 1)])
        if weights.table[i].key and mass(weights, &weights.table[i], time) >= least * unit:
            keys.push_back(weights.table[i].key)
    sort(keys.begin(), keys.end())           # an order that does not depend on the table
    row.values.resize(padded(weights.n_classes))
    row.is_there.resize(padded(weights.n_classes) // BLOCK)
    for i in range(keys.size()):
        if i + AHEAD < keys.size():
            prefetch_row(weights, weights.find(keys[i + AHEAD]))
        fill_averages(weights, weights.find(keys[i]), time, row)
        starts.push_back(<uint32_t> (rows.size() // UNIT))
        append_row(rows, row, unit)
    rows.resize(rows.size() + UNIT)          # the first word of a row at the end is readable
    return PackedWeights(weights.n_classes, unit / (1 << MAX_POWER), _buckets(keys, starts),
                         (<char*> rows.data())[:rows.size()])


cdef inline void prefetch_row(Weights weights, const WeightRow* row) noexcept nogil:
    """Prefetch a row: rows that follow each other in the table are far apart in memory."""
    cdef size_t start = <size_t> row.start * BLOCK
    cdef int j
    for j in range(row.n_blocks):
        dodona_prefetch(&weights.total[start + j * BLOCK])
        if j % 2 == 0:       # two blocks of weights fill a cache line
            dodona_prefetch(&weights.weight[start + j * BLOCK])


cdef double average(Weights weights, size_t at, double time) noexcept nogil:
    # most weights of a block were never updated: no division for them
    if weights.total[at] == 0:
        return weights.weight[at]
    return weights.weight[at] - weights.total[at] / time


cdef double largest(Weights weights, double time) noexcept nogil:
    """Return the largest absolute average."""
    cdef size_t i
    cdef double most = 0
    for i in range(weights.weight.size()):
        most = max(most, fabs(average(weights, i, time)))
    return most


cdef double mass(Weights weights, const WeightRow* row, double time) noexcept nogil:
    """Return the sum of a row's absolute averages."""
    cdef size_t at, start = <size_t> row.start * BLOCK
    cdef double total = 0
    for at in range(start, start + row.n_blocks * BLOCK):
        total += fabs(average(weights, at, time))
    return total


cdef void fill_averages(Weights weights, const WeightRow* row, double time,
                        Averages& averages) noexcept nogil:
    """Write the average weight of every class of the row's blocks, and which blocks it has."""
    cdef int j, k
    cdef size_t block
    memset(averages.is_there.data(), 0, averages.is_there.size())
    for j in range(row.n_blocks):
        block = weights.block_id[row.start + j]
        averages.is_there[block] = True
        for k in range(BLOCK):
            averages.values[block * BLOCK + k] = average(
                weights, (<size_t> row.start + j) * BLOCK + k, time)


cdef int append_row(vector[int8_t]& rows, Averages& row, double unit) except -1 nogil:
    """Append a row, its weights scaled by the least power of two that lets them fit.

    A weight of less than a quarter of the unit gets no cell. A cell costs about as much time as a
    block of eight, so a row of many cells becomes dense, with all its weights.
    """
    cdef const double* values = row.values.data()
    cdef size_t block, c, at = rows.size(), n_classes = row.values.size()
    cdef double most = 0, step = unit / (1 << MAX_POWER)
    cdef int power = 0
    row.cells.clear()
    for block in range(row.is_there.size()):
        if row.is_there[block]:
            for c in range(block * BLOCK, (block + 1) * BLOCK):
                most = max(most, fabs(values[c]))
                if fabs(values[c]) >= unit / 4:
                    row.cells.push_back(<uint16_t> c)
    while power < MAX_POWER and lrint(most / step) > LARGEST:
        power += 1
        step *= 2
    if row.cells.size() * BLOCK > n_classes:
        rows.resize(at + whole_units(WORD + n_classes))
        put_word(&rows[at], <uint16_t> (power << POWER_AT | DENSE))
        for block in range(row.is_there.size()):
            if row.is_there[block]:
                for c in range(block * BLOCK, (block + 1) * BLOCK):
                    rows[at + WORD + c] = <int8_t> lrint(values[c] / step)
    else:
        rows.resize(at + whole_units(WORD + row.cells.size() * CELL))
        put_word(&rows[at], <uint16_t> (power << POWER_AT | row.cells.size()))
        for c in range(row.cells.size()):
            put_word(&rows[at + WORD + c * CELL], row.cells[c])
            rows[at + WORD + c * CELL + WORD] = <int8_t> lrint(values[row.cells[c]] / step)


cdef bytes _buckets(vector[uint64_t]& keys, vector[uint32_t]& starts):
    """Return the hash table, three quarters full; a full bucket overflows into the next."""
    cdef vector[Bucket] buckets
    cdef size_t i
    cdef uint32_t at, n_buckets = <uint32_t> (keys.size() // 6 + 1)
    cdef int slot
    buckets.resize(n_buckets)
    for i in range(keys.size()):
        at = bucket_of(keys[i], n_buckets)
        slot = dodona_match(buckets[at].fingerprint, 0)
        while slot == BLOCK:
            at = at + 1 if at + 1 < n_buckets else 0
            slot = dodona_match(buckets[at].fingerprint, 0)
        buckets[at].fingerprint[slot] = <uint32_t> keys[i]
        buckets[at].row[slot] = starts[i]
    return (<char*> buckets.data())[:buckets.size() * sizeof(Bucket)]
