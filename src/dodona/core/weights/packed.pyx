"""Averaged weights, packed for parsing: a byte a weight, and eight additions at a time.

Weights are rounded to int8, times a power of two that the row shares, so that small weights are not
drowned by the step that large ones need (on two dev sets LAS changed by +0.01 and -0.07 against the
float weights; with one step for all, by -0.10 and -0.25). A row begins with a 16-bit word: the
power above, and below it the number of cells, each a class of 16 bits and its weight. A row with
many cells is written out instead, a weight for every class; its number says DENSE.

A bucket of the table holds the fingerprints of eight features, compared all at once.
"""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport fabs, lrint
from libc.stdint cimport uint16_t
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport MAX_KEYS, Row, Weights, check_classes, check_keys, padded
from dodona.core.weights.memo cimport MAX_MEMO_PARTS

cdef extern from "blocks.h":
    void dodona_prefetch(const void* address) noexcept nogil
    void dodona_add_rows(int16_t* scores, const int8_t* const* rows, const int8_t* factors,
                         int n_rows, int n_blocks) noexcept nogil
    void dodona_add_scores(int16_t* sums, const int16_t* others, int n_blocks) noexcept nogil
    int dodona_match(const uint32_t* fingerprints, uint32_t sought) noexcept nogil

cdef enum:
    UNIT = 2                  # bytes; rows start at multiples of it (8: a tenth more on disk)
    WORD = 2
    CELL = 3
    LINE = 64                 # of the cache
    AHEAD = 8                 # rows that are asked for before they are packed
    DENSE = 0xfff
    POWER_AT = 12             # where the power of two begins in the word
    MAX_POWER = 3
    LARGEST = 127
    MOST_FULL = 256           # buckets in a row: of millions, three quarters full, some fifty are


cdef inline size_t whole_units(size_t n_bytes) noexcept nogil:
    return (n_bytes + UNIT - 1) // UNIT * UNIT


cdef inline unsigned int word_at(const int8_t* address) noexcept nogil:
    cdef uint16_t word
    memcpy(&word, address, WORD)
    return word


cdef inline uint32_t bucket_of(uint64_t key, uint32_t n_buckets) noexcept nogil:
    """The high half of the key, scaled to the table."""
    return <uint32_t> ((key >> 32) * n_buckets >> 32)


cdef inline size_t row_length(const int8_t* rows, size_t n_bytes, size_t n_padded,
                              uint32_t row) noexcept nogil:
    """The bytes of a row; 0 if it, or a class that it names, is out of bounds."""
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


cdef class Scorer:
    """Gives each class a score; what search needs of a model."""

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil:
        """Add the score of each class for the features of these keys; together within ±2**14."""
        return 0

    cdef int score_first(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                         int16_t* scores, int n_blocks) except -1 nogil:
        """The same, if only the first classes are wanted, and so many blocks of them. Parts that
        the memo has are taken from there, but none is added to it."""
        return self.score(keys, n_keys, scores)

    cdef int score_parts(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                         int16_t* scores) except -1 nogil:
        """The same as `score`; the keys come in parts, of which the first are remembered, as many
        as the memo has room for."""
        return self.score(keys, n_keys, scores)


cdef class PackedWeights(Scorer):
    """Read-only weights; made by `pack`, or from the two byte strings of a model file."""

    def __init__(self, int n_classes, float step, buckets, rows):
        check_classes(n_classes)
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
        """Refuse contents that would lead outside the memory, or take ages to search: a model file
        may be damaged, or made to do harm."""
        cdef uint32_t i, n_full = 0, longest = 0
        cdef size_t length, n_bytes = 0, most = self.n_bytes, n_padded = padded(self.n_classes)
        cdef int place
        if <size_t> self.buckets % sizeof(uint32_t):
            raise ValueError("the table of weights is not aligned")
        for i in range(self.n_buckets):
            n_full = n_full + 1 if self.buckets[i].fingerprint[BLOCK - 1] else 0
            longest = max(longest, n_full)
        if self.n_buckets == longest or longest > MOST_FULL:
            raise ValueError("the table of weights has no empty place where there should be one")
        for i in range(self.n_buckets):
            for place in range(BLOCK):
                if self.buckets[i].fingerprint[place]:
                    length = row_length(self.rows, most, n_padded, self.buckets[i].row[place])
                    n_bytes += length
                    if length == 0 or n_bytes > most:
                        raise ValueError("a row of weights lies outside the table or the classes")

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
        cdef vector[uint64_t] features
        cdef vector[int16_t] scores
        check_keys(keys, features)
        scores.resize(padded(self.n_classes))
        self.score(features.data(), <int> features.size(), scores.data())
        return list(scores)[:self.n_classes]

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil:
        """Add the weights of the keys to the scores, an array padded to whole blocks."""
        add_weights(self, keys, n_keys, scores, padded(self.n_classes) // BLOCK)
        return 0

    cdef int score_first(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                         int16_t* scores, int n_blocks) except -1 nogil:
        cdef uint64_t unknown[MAX_KEYS]
        cdef const int16_t* sums
        cdef int part, start = 0, n = 0
        for part in range(memo.n_parts):
            sums = <const int16_t*> memo.known(part, keys + start, ends[part] - start)
            if sums != NULL:
                dodona_add_scores(scores, sums, n_blocks)
            else:
                memcpy(unknown + n, keys + start, (ends[part] - start) * sizeof(uint64_t))
                n += ends[part] - start
            start = ends[part]
        memcpy(unknown + n, keys + start, (n_keys - start) * sizeof(uint64_t))
        add_weights(self, unknown, n + n_keys - start, scores, n_blocks)
        return 0

    cdef int score_parts(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                         int16_t* scores) except -1 nogil:
        cdef const int8_t* rows[MAX_KEYS + 1]
        cdef int16_t* sums[MAX_MEMO_PARTS]      # per part: where they are to be written, or NULL
        cdef int n_rows[MAX_MEMO_PARTS + 1]     # found for it and those before
        cdef int part, end, start = 0, n = 0, n_parts = memo.n_parts
        cdef int n_blocks = padded(self.n_classes) // BLOCK
        cdef bint is_known
        for part in range(n_parts):
            sums[part] = <int16_t*> memo.place_of(part, keys + start, ends[part] - start, &is_known)
            if is_known:
                dodona_add_scores(scores, sums[part], n_blocks)
                sums[part] = NULL
            else:
                prefetch_places(self, keys + start, ends[part] - start)
            start = ends[part]
        prefetch_places(self, keys + start, n_keys - start)
        start = 0
        for part in range(n_parts + 1):
            end = n_keys if part == n_parts else ends[part]
            if part == n_parts or sums[part] != NULL:
                n += find_rows(self, keys + start, end - start, rows + n)
            n_rows[part], start = n, end
        start = 0
        for part in range(n_parts):
            if sums[part] != NULL:
                memset(sums[part], 0, n_blocks * BLOCK * sizeof(int16_t))
                add_rows(self, rows + start, n_rows[part] - start, 0, sums[part], n_blocks)
                dodona_add_scores(scores, sums[part], n_blocks)
            start = n_rows[part]
        add_rows(self, rows + start, n - start, 0, scores, n_blocks)
        return 0

    cdef void score_change(self, const uint64_t* added, const uint64_t* removed, int n_keys,
                           int16_t* scores) noexcept nogil:
        """Make scores those of a state with other keys: so many in the place of as many."""
        cdef const int8_t* rows[2 * MAX_KEYS + 1]
        cdef int n_removed, n_added
        prefetch_places(self, removed, n_keys)
        prefetch_places(self, added, n_keys)
        n_removed = find_rows(self, removed, n_keys, rows)
        n_added = find_rows(self, added, n_keys, rows + n_removed)
        add_rows(self, rows, n_removed + n_added, n_removed, scores,
                 padded(self.n_classes) // BLOCK)


cdef void add_weights(PackedWeights weights, const uint64_t* keys, int n_keys, int16_t* scores,
                      int n_blocks) noexcept nogil:
    """Add the weights of the keys to the scores of the first blocks of classes."""
    cdef const int8_t* rows[MAX_KEYS + 1]
    prefetch_places(weights, keys, n_keys)
    add_rows(weights, rows, find_rows(weights, keys, n_keys, rows), 0, scores, n_blocks)


cdef inline void prefetch_places(PackedWeights weights, const uint64_t* keys,
                                 int n_keys) noexcept nogil:
    cdef int i
    for i in range(n_keys):
        dodona_prefetch(&weights.buckets[bucket_of(keys[i], weights.n_buckets)])


cdef inline int find_rows(PackedWeights weights, const uint64_t* keys, int n_keys,
                          const int8_t** rows) noexcept nogil:
    """The rows of those keys that have one, and their number; there is room for one more."""
    cdef uint32_t at
    cdef int i, place, n = 0
    for i in range(n_keys):
        at = bucket_of(keys[i], weights.n_buckets)
        place = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        while place == BLOCK and weights.buckets[at].fingerprint[BLOCK - 1] != 0:
            at = at + 1 if at + 1 < weights.n_buckets else 0
            place = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        # written in any case, kept only if found: no branch for the processor to guess
        rows[n] = weights.rows + <size_t> weights.buckets[at].row[place & (BLOCK - 1)] * UNIT
        dodona_prefetch(rows[n])
        n += place != BLOCK
    return n


cdef void add_rows(PackedWeights weights, const int8_t* const* rows, int n_rows, int n_less,
                   int16_t* scores, int n_blocks) noexcept nogil:
    """Add rows that were found, each with its word before it; the first `n_less` are subtracted."""
    cdef const int8_t* dense[2 * MAX_KEYS]
    cdef int8_t factors[2 * MAX_KEYS]
    cdef unsigned int word
    cdef int i, factor, n_dense = 0
    cdef bint all_blocks = n_blocks * BLOCK >= weights.n_classes
    for i in range(n_rows):
        word = word_at(rows[i])
        factor = (-1 if i < n_less else 1) * (1 << (word >> POWER_AT))
        if word & DENSE == DENSE:
            prefetch_rest(rows[i], WORD + n_blocks * BLOCK)
            dense[n_dense] = rows[i] + WORD
            factors[n_dense] = <int8_t> factor
            n_dense += 1
        elif all_blocks:
            add_cells(rows[i] + WORD, word & DENSE, factor, scores)
        else:
            add_first_cells(rows[i] + WORD, word & DENSE, factor, scores, n_blocks * BLOCK)
    dodona_add_rows(scores, dense, factors, n_dense, n_blocks)


cdef inline void prefetch_rest(const int8_t* row, int n_bytes) noexcept nogil:
    """Ask for the lines of a row after the first: 1.2x, with 176 classes."""
    cdef int at = LINE
    while at < n_bytes:
        dodona_prefetch(row + at)
        at += LINE
    dodona_prefetch(row + n_bytes - 1)


cdef inline void add_cells(const int8_t* cell, int n, int factor, int16_t* scores) noexcept nogil:
    cdef int _j
    for _j in range(n):
        scores[word_at(cell)] += <int16_t> (cell[WORD] * factor)
        cell += CELL


cdef inline void add_first_cells(const int8_t* cell, int n, int factor, int16_t* scores,
                                 unsigned int limit) noexcept nogil:
    """Add the cells of the classes below a limit; cells are in the order of their classes."""
    while n > 0 and word_at(cell) < limit:
        scores[word_at(cell)] += <int16_t> (cell[WORD] * factor)
        cell += CELL
        n -= 1


cdef struct Averages:             # of a row that is about to be packed
    vector[double] values         # per class, where …
    vector[char] is_there         # … per block: the row has it
    vector[uint16_t] cells        # classes whose weights are worth one


def pack(Weights weights, double time, *, double least=1):
    """The average of the weights over `time` steps, as PackedWeights.

    A row whose weights sum to less than `least`, signs apart, is dropped; the unit is the 127th
    part of the largest weight of all.
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
    sort(keys.begin(), keys.end())           # an order that does not depend on the table's
    row.values.resize(padded(weights.n_classes))
    row.is_there.resize(padded(weights.n_classes) // BLOCK)
    for i in range(keys.size()):
        if i + AHEAD < keys.size():
            prefetch_row(weights, weights.find(keys[i + AHEAD]))
        fill_averages(weights, weights.find(keys[i]), time, row)
        starts.push_back(<uint32_t> (rows.size() // UNIT))
        append_row(rows, row, unit)
    rows.resize(rows.size() + UNIT)          # room to read the head of a row at the very end
    return PackedWeights(weights.n_classes, unit / (1 << MAX_POWER), _buckets(keys, starts),
                         (<char*> rows.data())[:rows.size()])


cdef inline void prefetch_row(Weights weights, const Row* row) noexcept nogil:
    """Ask for a row that is soon wanted: what comes after it in the table lies somewhere else."""
    cdef size_t start = <size_t> row.start * BLOCK
    cdef int j
    for j in range(row.n_blocks):
        dodona_prefetch(&weights.total[start + j * BLOCK])
        if j % 2 == 0:       # two blocks of weights fill a line of the cache
            dodona_prefetch(&weights.weight[start + j * BLOCK])


cdef inline double average(Weights weights, size_t place, double time) noexcept nogil:
    # most weights of a block have never moved: no division for them
    if weights.total[place] == 0:
        return weights.weight[place]
    return weights.weight[place] - weights.total[place] / time


cdef double largest(Weights weights, double time) noexcept nogil:
    """The largest absolute average."""
    cdef size_t i
    cdef double most = 0
    for i in range(weights.weight.size()):
        most = max(most, fabs(average(weights, i, time)))
    return most


cdef double mass(Weights weights, const Row* row, double time) noexcept nogil:
    """The sum of a row's averages, signs apart."""
    cdef size_t place, start = <size_t> row.start * BLOCK
    cdef double total = 0
    for place in range(start, start + row.n_blocks * BLOCK):
        total += fabs(average(weights, place, time))
    return total


cdef void fill_averages(Weights weights, const Row* row, double time,
                        Averages& averages) noexcept nogil:
    """Write the average weight of every class of the row's blocks, and which these are."""
    cdef int j, k
    cdef size_t place
    memset(averages.is_there.data(), 0, averages.is_there.size())
    for j in range(row.n_blocks):
        place = weights.block_id[row.start + j]
        averages.is_there[place] = True
        for k in range(BLOCK):
            averages.values[place * BLOCK + k] = average(
                weights, (<size_t> row.start + j) * BLOCK + k, time)


cdef int append_row(vector[int8_t]& rows, Averages& row, double unit) except -1 nogil:
    """Write a row, its weights times the least power of two that lets them fit.

    A weight of less than a quarter of the unit is worth no cell; but a cell costs about as much
    time as a block of eight, so that a row of many is written out, with all its weights.
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
