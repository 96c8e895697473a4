"""Averaged weights, packed for parsing: a byte a weight, and eight additions at a time.

How they are saved says saved.pxd, how they lie in memory layout.pyx. A bucket of the table holds
the fingerprints of eight features, compared all at once.
"""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from dodona.core.weights.layout cimport FLAGS, IS_DENSE, LINE, POWER_SHIFT, lay_out
from dodona.core.weights.linear cimport MAX_KEYS, check_classes, check_keys, padded
from dodona.core.weights.memo cimport MAX_MEMO_PARTS
from dodona.core.weights.saved cimport (
    CELL, MAX_POWER, WORD, bucket_of, row_length, word_at,
)

cdef extern from "blocks.h":
    void dodona_prefetch(const void* address) noexcept nogil
    void dodona_add_scores(int16_t* sums, const int16_t* others, int n_blocks) noexcept nogil
    int dodona_match(const uint32_t* fingerprints, uint32_t sought) noexcept nogil

cdef extern from "rows.h":
    ctypedef void (*RowAdder "dodona_row_adder")(
        int16_t* scores, const int8_t* const* rows, const int8_t* factors, int n_rows,
        int n_blocks) noexcept nogil
    RowAdder dodona_add_rows
    int dodona_row_adders(RowAdder* found) noexcept

cdef enum:
    MOST_FULL = 256           # buckets in a row: of millions, three quarters full, some fifty are

cdef struct Found:            # rows of a state's features, those of cells apart, each with a factor
    int n_dense
    int n_sparse
    const int8_t* dense[2 * MAX_KEYS + 1]       # room for one that is written, but not kept
    const int8_t* sparse[2 * MAX_KEYS + 1]
    int8_t dense_factor[2 * MAX_KEYS + 1]
    int8_t sparse_factor[2 * MAX_KEYS + 1]


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
        cdef const Bucket* saved
        check_classes(n_classes)
        self.n_classes, self.step = n_classes, step
        PyObject_GetBuffer(buckets, &self.saved_buckets, PyBUF_SIMPLE)
        PyObject_GetBuffer(rows, &self.saved_rows, PyBUF_SIMPLE)
        self.n_buckets = <uint32_t> (self.saved_buckets.len // sizeof(Bucket))
        saved = <const Bucket*> self.saved_buckets.buf
        self.check(saved, <const int8_t*> self.saved_rows.buf, self.saved_rows.len)
        lay_out(self.memory, saved, self.n_buckets, <const int8_t*> self.saved_rows.buf,
                padded(n_classes))
        self.buckets = <const Bucket*> &self.memory[0]
        self.rows = &self.memory[0] + <size_t> self.n_buckets * sizeof(Bucket)

    def __dealloc__(self):
        PyBuffer_Release(&self.saved_buckets)
        PyBuffer_Release(&self.saved_rows)

    cdef int check(self, const Bucket* buckets, const int8_t* rows, size_t most) except -1:
        """Refuse contents that would lead outside the memory, or take ages to search: a model file
        may be damaged, or made to do harm."""
        cdef uint32_t i, n_full = 0, longest = 0
        cdef size_t length, n_bytes = 0, n_padded = padded(self.n_classes)
        cdef int place
        if <size_t> buckets % sizeof(uint32_t):
            raise ValueError("the table of weights is not aligned")
        for i in range(self.n_buckets):
            n_full = n_full + 1 if buckets[i].fingerprint[BLOCK - 1] else 0
            longest = max(longest, n_full)
        if self.n_buckets == longest or longest > MOST_FULL:
            raise ValueError("the table of weights has no empty place where there should be one")
        for i in range(self.n_buckets):
            for place in range(BLOCK):
                if buckets[i].fingerprint[place]:
                    length = row_length(rows, most, n_padded, buckets[i].row[place])
                    n_bytes += length
                    if length == 0 or n_bytes > most:
                        raise ValueError("a row of weights lies outside the table or the classes")
        return 0

    def buckets_bytes(self):
        """The table of places, as it is saved."""
        return (<const char*> self.saved_buckets.buf)[:self.n_buckets * sizeof(Bucket)]

    def rows_bytes(self):
        """The rows, as they are saved."""
        return (<const char*> self.saved_rows.buf)[:self.saved_rows.len]

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
        cdef Found found
        cdef int16_t* sums[MAX_MEMO_PARTS]      # per part: where they are to be written, or NULL
        cdef int dense_ends[MAX_MEMO_PARTS]     # of the rows found for it and those before
        cdef int sparse_ends[MAX_MEMO_PARTS]
        cdef int part, start = 0, n_parts = memo.n_parts, n_blocks = padded(self.n_classes) // BLOCK
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
        found.n_dense = found.n_sparse = start = 0
        for part in range(n_parts):
            if sums[part] != NULL:
                find_rows(self, keys + start, ends[part] - start, 1, n_blocks, &found)
            dense_ends[part], sparse_ends[part], start = found.n_dense, found.n_sparse, ends[part]
        find_rows(self, keys + start, n_keys - start, 1, n_blocks, &found)
        for part in range(n_parts):
            if sums[part] != NULL:
                memset(sums[part], 0, n_blocks * BLOCK * sizeof(int16_t))
                add_rows(&found, dense_ends[part - 1] if part else 0, dense_ends[part],
                         sparse_ends[part - 1] if part else 0, sparse_ends[part], sums[part],
                         n_blocks)
                dodona_add_scores(scores, sums[part], n_blocks)
        add_rows(&found, dense_ends[n_parts - 1] if n_parts else 0, found.n_dense,
                 sparse_ends[n_parts - 1] if n_parts else 0, found.n_sparse, scores, n_blocks)
        return 0

    cdef void expect(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Ask for the memory where the places of these keys are."""
        prefetch_places(self, keys, n_keys)

    cdef void score_change(self, const uint64_t* added, const uint64_t* removed, int n_keys,
                           int16_t* scores) noexcept nogil:
        """Make scores those of a state with other keys: so many in the place of as many."""
        cdef Found found
        cdef int n_blocks = padded(self.n_classes) // BLOCK
        found.n_dense = found.n_sparse = 0
        prefetch_places(self, removed, n_keys)
        prefetch_places(self, added, n_keys)
        find_rows(self, removed, n_keys, -1, n_blocks, &found)
        find_rows(self, added, n_keys, 1, n_blocks, &found)
        add_rows(&found, 0, found.n_dense, 0, found.n_sparse, scores, n_blocks)


cdef void add_weights(PackedWeights weights, const uint64_t* keys, int n_keys, int16_t* scores,
                      int n_blocks) noexcept nogil:
    """Add the weights of the keys to the scores of the first blocks of classes."""
    cdef Found found
    found.n_dense = found.n_sparse = 0
    prefetch_places(weights, keys, n_keys)
    find_rows(weights, keys, n_keys, 1, n_blocks, &found)
    if n_blocks * BLOCK >= weights.n_classes:
        add_rows(&found, 0, found.n_dense, 0, found.n_sparse, scores, n_blocks)
    else:
        add_first_cells(&found, scores, n_blocks * BLOCK)
        add_rows(&found, 0, found.n_dense, 0, 0, scores, n_blocks)


cdef inline void prefetch_places(PackedWeights weights, const uint64_t* keys,
                                 int n_keys) noexcept nogil:
    cdef int i
    for i in range(n_keys):
        dodona_prefetch(&weights.buckets[bucket_of(keys[i], weights.n_buckets)])


cdef inline void find_rows(PackedWeights weights, const uint64_t* keys, int n_keys, int sign,
                           int n_blocks, Found* found) noexcept nogil:
    """Find the rows of those keys that have one, times 1 or -1, and ask for their memory."""
    cdef uint32_t at, row
    cdef int i, place, line, first = found.n_dense, n_dense = first, n_sparse = found.n_sparse
    for i in range(n_keys):
        at = bucket_of(keys[i], weights.n_buckets)
        place = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        while place == BLOCK and weights.buckets[at].fingerprint[BLOCK - 1] != 0:
            at = at + 1 if at + 1 < weights.n_buckets else 0
            place = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        # Written to both in any case, kept only where it belongs: no branch for the processor to
        # guess. If there is none, it is the first row of all, whose memory is near.
        row = weights.buckets[at].row[place & (BLOCK - 1)] & -<uint32_t> (place != BLOCK)
        found.dense[n_dense] = found.sparse[n_sparse] = weights.rows + (row & ~<uint32_t> FLAGS)
        found.dense_factor[n_dense] = found.sparse_factor[n_sparse] = <int8_t> (
            sign * (1 << (row >> POWER_SHIFT & MAX_POWER)))
        dodona_prefetch(found.dense[n_dense])
        n_dense += (place != BLOCK) & (row & IS_DENSE)
        n_sparse += (place != BLOCK) & (~row & IS_DENSE)
    for i in range(first, n_dense):
        line = LINE
        while line < n_blocks * BLOCK:
            dodona_prefetch(found.dense[i] + line)
            line += LINE
    found.n_dense, found.n_sparse = n_dense, n_sparse


cdef inline void add_rows(const Found* found, int dense_from, int dense_to, int sparse_from,
                          int sparse_to, int16_t* scores, int n_blocks) noexcept nogil:
    """Add some of the rows that were found."""
    cdef const int8_t* cell
    cdef int i, factor, _j
    for i in range(sparse_from, sparse_to):
        cell, factor = found.sparse[i] + WORD, found.sparse_factor[i]
        for _j in range(word_at(found.sparse[i])):
            scores[word_at(cell)] += <int16_t> (cell[WORD] * factor)
            cell += CELL
    dodona_add_rows(scores, found.dense + dense_from, found.dense_factor + dense_from,
                    dense_to - dense_from, n_blocks)


cdef inline void add_first_cells(const Found* found, int16_t* scores,
                                 unsigned int limit) noexcept nogil:
    """Add the cells of the classes below a limit; cells are in the order of their classes."""
    cdef const int8_t* cell
    cdef int i, n
    for i in range(found.n_sparse):
        cell, n = found.sparse[i] + WORD, word_at(found.sparse[i])
        while n > 0 and word_at(cell) < limit:
            scores[word_at(cell)] += <int16_t> (cell[WORD] * found.sparse_factor[i])
            cell += CELL
            n -= 1


def sums_of_rows(scores, rows, factors):
    """These scores with rows of as many weights added, each times its factor, in every way that
    this processor has; their number is a multiple of eight. For tests.

    >>> sums_of_rows([10] * 8, [bytes(range(8)), bytes([1] * 8)], [2, -1])[0]
    [9, 11, 13, 15, 17, 19, 21, 23]
    """
    cdef RowAdder adders[2]
    cdef vector[const int8_t*] addresses
    cdef vector[int8_t] times
    cdef vector[int16_t] sums
    cdef int i
    if (len(scores) % BLOCK or len(rows) != len(factors)
            or any(len(row) != len(scores) for row in rows)):
        raise ValueError("rows have as many weights as there are scores, and a factor each")
    for row, factor in zip(rows, factors):
        addresses.push_back(<const int8_t*> <const char*> row)
        times.push_back(factor)
    found = []
    for i in range(dodona_row_adders(adders)):
        sums.clear()
        for score in scores:
            sums.push_back(score)
        adders[i](sums.data(), addresses.data(), times.data(), <int> times.size(),
                  <int> sums.size() // BLOCK)
        found.append(list(sums))
    return found
