"""Averaged weights, packed for parsing: a fifth of the memory, and eight additions at a time.

Weights are rounded to int8, one step for all of them; what rounds to nothing is not stored. A row
begins with a 16-bit word, the number of its cells: each a class of 16 bits and its weight. A row
with many cells is written out instead, a weight for every class; its word says DENSE.

A bucket of the table holds the fingerprints of eight features, compared all at once.
"""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport fabs, lrint
from libc.stdint cimport uint16_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from .linear cimport MAX_KEYS, Row, Weights, checked_keys, padded

cdef extern from "blocks.h":
    void dodona_prefetch(const void* address) noexcept nogil
    void dodona_add_rows(int16_t* scores, const int8_t* const* rows, int n_rows,
                         int n_blocks) noexcept nogil
    int dodona_match(const uint32_t* fingerprints, uint32_t sought) noexcept nogil

cdef enum:
    UNIT = 8                  # bytes; rows start at multiples of it
    WORD = 2
    CELL = 3
    DENSE = 0xffff


cdef inline size_t whole_units(size_t n_bytes) noexcept nogil:
    return (n_bytes + UNIT - 1) // UNIT * UNIT


cdef inline unsigned int word_at(const int8_t* address) noexcept nogil:
    cdef uint16_t word
    memcpy(&word, address, WORD)
    return word


cdef inline uint32_t bucket_of(uint64_t key, uint32_t n_buckets) noexcept nogil:
    """The high half of the key, scaled to the table."""
    return <uint32_t> ((key >> 32) * n_buckets >> 32)


cdef class PackedWeights:
    """Read-only weights; made by `pack`, or from the two byte strings of a model file."""

    def __init__(self, int n_classes, float step, buckets, rows):
        self.n_classes, self.step = n_classes, step
        PyObject_GetBuffer(buckets, &self.bucket_buffer, PyBUF_SIMPLE)
        PyObject_GetBuffer(rows, &self.row_buffer, PyBUF_SIMPLE)
        self.n_buckets = <uint32_t> (self.bucket_buffer.len // sizeof(Bucket))
        self.n_bytes = self.row_buffer.len
        self.buckets = <const Bucket*> self.bucket_buffer.buf
        self.rows = <const int8_t*> self.row_buffer.buf
        self._check()

    def __dealloc__(self):
        PyBuffer_Release(&self.bucket_buffer)
        PyBuffer_Release(&self.row_buffer)

    def _check(self):
        """Refuse contents that would lead outside the memory: a model file may be damaged."""
        cdef uint32_t i, n_open = 0
        cdef int place
        if <size_t> self.buckets % sizeof(uint32_t):
            raise ValueError("the table of weights is not aligned")
        for i in range(self.n_buckets):
            n_open += self.buckets[i].fingerprint[BLOCK - 1] == 0
            for place in range(BLOCK):
                if (self.buckets[i].fingerprint[place]
                        and not self.holds(self.buckets[i].row[place])):
                    raise ValueError("a row of weights lies outside the table or the classes")
        if n_open == 0:
            raise ValueError("the table of weights has no empty place")

    cdef bint holds(self, uint32_t row) noexcept nogil:
        """Whether the row and all classes it names are within bounds; notes the largest weight."""
        cdef size_t start = <size_t> row * UNIT, n, j, klass, next_class = 0
        cdef size_t n_padded = padded(self.n_classes)
        cdef const int8_t* at
        if start + UNIT > self.n_bytes:
            return False
        n = word_at(self.rows + start)
        at = self.rows + start + WORD
        if n == DENSE:
            if start + WORD + n_padded > self.n_bytes:
                return False
            for j in range(n_padded):
                self.largest = max(self.largest, abs(<int> at[j]))
            return True
        if start + WORD + n * CELL > self.n_bytes:
            return False
        for j in range(n):
            klass = word_at(at + j * CELL)
            if not next_class <= klass < n_padded:     # ascending: no class is added twice
                return False
            next_class = klass + 1
            self.largest = max(self.largest, abs(<int> at[j * CELL + WORD]))
        return True

    def buckets_bytes(self):
        """The table of places, as it is saved."""
        return (<const char*> self.buckets)[:self.n_buckets * sizeof(Bucket)]

    def rows_bytes(self):
        """The rows, as they are saved."""
        return (<const char*> self.rows)[:self.n_bytes]

    @property
    def n_rows(self):
        """Number of features."""
        cdef uint32_t i, n = 0
        for i in range(self.n_buckets):
            n += dodona_match(self.buckets[i].fingerprint, 0)
        return n

    def scores(self, keys):
        """The score of every class in units of `step`, given the keys of the features."""
        cdef vector[uint64_t] features = checked_keys(keys)
        cdef vector[int16_t] scores
        scores.resize(padded(self.n_classes))
        self.score(features.data(), <int> features.size(), scores.data())
        return list(scores)[:self.n_classes]

    cdef void score(self, const uint64_t* keys, int n_keys, int16_t* scores) noexcept nogil:
        """Add the weights of the keys to the scores, an array padded to whole blocks."""
        cdef const int8_t* found[MAX_KEYS + 1]
        cdef uint32_t at
        cdef int i, place, n_found = 0, n_dense = 0
        for i in range(n_keys):
            dodona_prefetch(&self.buckets[bucket_of(keys[i], self.n_buckets)])
        for i in range(n_keys):
            at = bucket_of(keys[i], self.n_buckets)
            place = dodona_match(self.buckets[at].fingerprint, <uint32_t> keys[i])
            while place == BLOCK and self.buckets[at].fingerprint[BLOCK - 1] != 0:
                at = at + 1 if at + 1 < self.n_buckets else 0
                place = dodona_match(self.buckets[at].fingerprint, <uint32_t> keys[i])
            # written in any case, kept only if found: no branch for the processor to guess
            found[n_found] = self.rows + <size_t> self.buckets[at].row[place & (BLOCK - 1)] * UNIT
            dodona_prefetch(found[n_found])
            n_found += place != BLOCK
        for i in range(n_found):
            if word_at(found[i]) == DENSE:
                found[n_dense] = found[i] + WORD
                n_dense += 1
            else:
                add_cells(found[i], scores)
        dodona_add_rows(scores, found, n_dense, padded(self.n_classes) // BLOCK)


cdef inline void add_cells(const int8_t* row, int16_t* scores) noexcept nogil:
    cdef unsigned int _j, n = word_at(row)
    row += WORD
    for _j in range(n):
        scores[word_at(row)] += row[WORD]
        row += CELL


def pack(Weights weights, double time, int n_keys, *, int least=1):
    """The average of the weights over `time` steps, as PackedWeights.

    At most `n_keys` of them are ever added up: that bounds the integers, and the largest weight
    the step. A row whose integers sum to less than `least`, signs apart, is dropped.
    """
    if not 1 <= n_keys <= MAX_KEYS:
        raise ValueError(f"n_keys is a number from 1 to {MAX_KEYS}, not {n_keys}")
    cdef vector[uint64_t] keys = weights.sorted_keys(), kept
    cdef vector[uint32_t] starts
    cdef vector[int8_t] rows, values
    cdef size_t i
    cdef double step = (largest(weights, time) or 1) / largest_weight(n_keys)
    for i in range(keys.size()):
        if quantise(weights, weights.find_or_add(keys[i]), time, step, values) >= max(least, 1):
            kept.push_back(keys[i])
            starts.push_back(<uint32_t> (rows.size() // UNIT))
            append_row(rows, values)
    rows.resize(rows.size() + UNIT)          # room to read the head of a row at the very end
    return PackedWeights(weights.n_classes, step, _buckets(kept, starts),
                         (<char*> rows.data())[:rows.size()])


cdef double average(Weights weights, size_t place, double time) noexcept nogil:
    return weights.weight[place] - weights.total[place] / time


cdef double largest(Weights weights, double time) noexcept nogil:
    """The largest absolute average."""
    cdef size_t i
    cdef double most = 0
    for i in range(weights.weight.size()):
        most = max(most, fabs(average(weights, i, time)))
    return most


cdef int quantise(Weights weights, const Row* row, double time, double step,
                  vector[int8_t]& values) noexcept nogil:
    """The rounded weights of all classes; returns their sum, signs apart."""
    cdef size_t place
    cdef int j, k, value, mass = 0
    values.assign(padded(weights.n_classes), 0)
    for j in range(row.n_blocks):
        for k in range(BLOCK):
            place = (<size_t> row.start + j) * BLOCK + k
            value = <int> lrint(average(weights, place, time) / step)
            values[weights.block_id[row.start + j] * BLOCK + k] = <int8_t> value
            mass += abs(value)
    return mass


cdef void append_row(vector[int8_t]& rows, const vector[int8_t]& values) noexcept nogil:
    """Write a row in the form that is quicker to add: a cell costs about as much as a block."""
    cdef vector[uint16_t] cells
    cdef size_t c, at = rows.size()
    for c in range(values.size()):
        if values[c]:
            cells.push_back(<uint16_t> c)
    if cells.size() * BLOCK > values.size():
        rows.resize(at + whole_units(WORD + values.size()))
        put_word(&rows[at], DENSE)
        memcpy(&rows[at + WORD], values.data(), values.size())
    else:
        rows.resize(at + whole_units(WORD + cells.size() * CELL))
        put_word(&rows[at], <uint16_t> cells.size())
        for c in range(cells.size()):
            put_word(&rows[at + WORD + c * CELL], cells[c])
            rows[at + WORD + c * CELL + WORD] = values[cells[c]]


cdef inline void put_word(int8_t* address, uint16_t word) noexcept nogil:
    memcpy(address, &word, WORD)


cdef bytes _buckets(vector[uint64_t]& keys, vector[uint32_t]& starts):
    """The table of places, three quarters full; what a bucket cannot hold goes to the next."""
    cdef vector[Bucket] buckets
    cdef size_t i
    cdef uint32_t at, n_buckets = <uint32_t> (keys.size() // 6 + 1)
    cdef int place
    buckets.resize(n_buckets)
    for i in range(keys.size()):
        at = bucket_of(keys[i], n_buckets)
        place = dodona_match(buckets[at].fingerprint, 0)
        while place == BLOCK:
            at = at + 1 if at + 1 < n_buckets else 0
            place = dodona_match(buckets[at].fingerprint, 0)
        buckets[at].fingerprint[place] = <uint32_t> keys[i]
        buckets[at].row[place] = starts[i]
    return (<char*> buckets.data())[:buckets.size() * sizeof(Bucket)]
