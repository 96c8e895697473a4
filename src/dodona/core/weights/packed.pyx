"""Averaged weights, packed for parsing: a byte a weight, and eight additions at a time.

How they are saved says saved.pxd, how they lie in memory layout.pyx. A bucket of the table holds
the fingerprints of eight features, compared all at once. Searches ask for outlines of the scores
(outline.pyx), and for the rest of them where that does not tell which class is best.
"""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from dodona.core.weights.layout cimport FLAGS, LINE, lay_out, stride_of
from dodona.core.weights.linear cimport MAX_KEYS, check_classes, check_keys, padded
from dodona.core.weights.memo cimport MAX_MEMO_PARTS
from dodona.core.weights.saved cimport (
    CELL, DENSE, MAX_POWER, UNIT, WORD, bucket_of, row_length, word_at,
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

cdef struct Found:            # rows of a state's features or their outlines, each with a factor
    int n
    const int8_t* lanes[2 * MAX_KEYS + 1]       # room for one that is written, but not kept
    int8_t factor[2 * MAX_KEYS + 1]


cdef class Scorer:
    """Gives each class a score; what search needs of a model."""

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil:
        """Add the score of each class for the features of these keys; together within ±2**14."""
        return 0


@cython.no_gc                 # it holds memory of others until its end, and nothing that holds it
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
        self.narrow, self.wide = Outline(n_classes), Outline(n_classes, is_wide=True)
        self.stride = stride_of(self.wide)
        lay_out(self.memory, self.starts, saved, self.n_buckets,
                <const int8_t*> self.saved_rows.buf, self.narrow, self.wide)
        self.buckets = <const Bucket*> &self.memory[0]
        self.outlines = &self.memory[0] + <size_t> self.n_buckets * sizeof(Bucket)

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

    def lanes(self, keys):
        """The wide outline of the scores, which the narrow one is the beginning of."""
        cdef vector[uint64_t] features
        cdef vector[int16_t] lanes
        check_keys(keys, features)
        lanes.resize(self.wide.n_lanes)
        self.score_lanes(features.data(), <int> features.size(), NULL, None, lanes.data(),
                         self.wide.n_lanes)
        return list(lanes)

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil:
        """Add the weights of the keys to the scores, an array padded to whole blocks."""
        self.score_lanes(keys, n_keys, NULL, None, scores, ALL_CLASSES)
        return 0

    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil:
        """The same for the blocks of classes from first to last - 1: from whole rows."""
        cdef Found found
        found.n = 0
        prefetch_places(self, keys, n_keys)
        find_rows(self, keys, n_keys, 1, ALL_CLASSES, &found)
        find_whole(self, first, last, &found)
        add_whole(&found, 0, found.n, first, last, scores)

    cdef void score_lanes(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                          int16_t* lanes, int n_lanes) noexcept nogil:
        """Add an outline of the scores: so many lanes, or scores of ALL_CLASSES. With a memo, the
        keys come in parts, of which the first are remembered, as many as it has room for."""
        cdef Found found
        cdef int16_t* sums[MAX_MEMO_PARTS]      # per part: where they are to be written, or NULL
        cdef int found_ends[MAX_MEMO_PARTS]     # of the rows found for it and those before
        cdef int part, start = 0, first = 0, n_parts = 0 if memo is None else memo.n_parts
        cdef int n_sums = n_lanes
        cdef bint is_known
        if n_lanes == ALL_CLASSES:
            n_sums = padded(self.n_classes)
            n_lanes = n_sums if self.narrow.n_bounds == 0 else ALL_CLASSES
        for part in range(n_parts):
            sums[part] = <int16_t*> memo.place_of(part, keys + start, ends[part] - start, &is_known)
            if is_known:
                dodona_add_scores(lanes, sums[part], n_sums // BLOCK)
                sums[part] = NULL
            else:
                prefetch_places(self, keys + start, ends[part] - start)
            start = ends[part]
        prefetch_places(self, keys + start, n_keys - start)
        found.n = start = 0
        for part in range(n_parts):
            if sums[part] != NULL:
                find_rows(self, keys + start, ends[part] - start, 1, n_lanes, &found)
            found_ends[part], start = found.n, ends[part]
        find_rows(self, keys + start, n_keys - start, 1, n_lanes, &found)
        if n_lanes == ALL_CLASSES:
            find_whole(self, 0, n_sums, &found)
        for part in range(n_parts):
            if sums[part] != NULL:
                memset(sums[part], 0, n_sums * sizeof(int16_t))
                add_found(&found, first, found_ends[part], n_lanes, n_sums, sums[part])
                dodona_add_scores(lanes, sums[part], n_sums // BLOCK)
            first = found_ends[part]
        add_found(&found, first, found.n, n_lanes, n_sums, lanes)

    cdef void score_known(self, const uint64_t* keys, int n_keys, const int* ends, Memo memo,
                          int16_t* lanes, int n_lanes) noexcept nogil:
        """The same, but nothing is added to the memo: there may be fewer lanes than it has."""
        cdef Found found
        cdef uint64_t unknown[MAX_KEYS]
        cdef const int16_t* sums
        cdef int part, start = 0, n = 0
        for part in range(memo.n_parts):
            sums = <const int16_t*> memo.known(part, keys + start, ends[part] - start)
            if sums != NULL:
                dodona_add_scores(lanes, sums, n_lanes // BLOCK)
            else:
                memcpy(unknown + n, keys + start, (ends[part] - start) * sizeof(uint64_t))
                n += ends[part] - start
            start = ends[part]
        memcpy(unknown + n, keys + start, (n_keys - start) * sizeof(uint64_t))
        n += n_keys - start
        found.n = 0
        prefetch_places(self, unknown, n)
        find_rows(self, unknown, n, 1, n_lanes, &found)
        add_found(&found, 0, found.n, n_lanes, n_lanes, lanes)

    cdef void change_lanes(self, const uint64_t* added, const uint64_t* removed, int n_keys,
                           int16_t* lanes, int n_lanes) noexcept nogil:
        """Make an outline that of a state with other keys: so many in the place of as many."""
        cdef Found found
        cdef int n_sums = n_lanes
        if n_lanes == ALL_CLASSES:
            n_sums = padded(self.n_classes)
        found.n = 0
        prefetch_places(self, removed, n_keys)
        prefetch_places(self, added, n_keys)
        find_rows(self, removed, n_keys, -1, n_lanes, &found)
        find_rows(self, added, n_keys, 1, n_lanes, &found)
        if n_lanes == ALL_CLASSES:
            find_whole(self, 0, n_sums, &found)
        add_found(&found, 0, found.n, n_lanes, n_sums, lanes)

    cdef void expect(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Ask for the memory where the places of these keys are."""
        prefetch_places(self, keys, n_keys)


cdef inline void prefetch_places(PackedWeights weights, const uint64_t* keys,
                                 int n_keys) noexcept nogil:
    cdef int i
    for i in range(n_keys):
        dodona_prefetch(&weights.buckets[bucket_of(keys[i], weights.n_buckets)])


cdef inline void prefetch_lines(uintptr_t start, int n_bytes) noexcept nogil:
    """Ask for memory, which may be that of others: a row of cells can be short."""
    cdef int at = 0
    while at < n_bytes:
        dodona_prefetch(<const void*> (start + at))
        at += LINE


cdef inline void find_rows(PackedWeights weights, const uint64_t* keys, int n_keys, int sign,
                           int n_lanes, Found* found) noexcept nogil:
    """Find the rows of those keys that have one, times 1 or -1, and ask for their lanes."""
    cdef uint32_t at, row
    cdef int i, place, n = found.n
    for i in range(n_keys):
        at = bucket_of(keys[i], weights.n_buckets)
        place = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        while place == BLOCK and weights.buckets[at].fingerprint[BLOCK - 1] != 0:
            at = at + 1 if at + 1 < weights.n_buckets else 0
            place = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        # Written in any case, kept only if there is one: no branch for the processor to guess. If
        # there is none, it is the first of all, whose memory is near.
        row = weights.buckets[at].row[place & (BLOCK - 1)] & -<uint32_t> (place != BLOCK)
        found.lanes[n] = weights.outlines + (row & ~<uint32_t> FLAGS)
        found.factor[n] = <int8_t> (sign * (1 << (row & MAX_POWER)))
        dodona_prefetch(found.lanes[n])
        if n_lanes > LINE:
            dodona_prefetch(found.lanes[n] + LINE)
        n += place != BLOCK
    found.n = n


cdef inline void add_found(Found* found, int start, int end, int n_lanes, int n_sums,
                           int16_t* sums) noexcept nogil:
    """Add some of what was found: lanes of outlines, or whole rows."""
    if n_lanes == ALL_CLASSES:
        add_whole(found, start, end, 0, n_sums, sums)
    else:
        dodona_add_rows(sums, found.lanes + start, found.factor + start, end - start,
                        n_sums // BLOCK)


cdef inline void find_whole(PackedWeights weights, int first, int last,
                            Found* found) noexcept nogil:
    """Make whole rows of outlines, and ask for these blocks of classes."""
    cdef int i
    for i in range(found.n):
        found.lanes[i] = whole_row(weights, found.lanes[i])
        dodona_prefetch(found.lanes[i])
        prefetch_lines(<uintptr_t> found.lanes[i] + WORD + first, last - first)


cdef inline const int8_t* whole_row(PackedWeights weights, const int8_t* lanes) noexcept nogil:
    """The row of an outline."""
    cdef size_t number = <size_t> (lanes - weights.outlines) // weights.stride
    return (<const int8_t*> weights.saved_rows.buf
            + <size_t> weights.starts[number] * UNIT)


cdef inline void add_whole(Found* found, int start, int end, int first, int last,
                           int16_t* scores) noexcept nogil:
    """Add some of the rows that were found, for the blocks of classes from first to last - 1."""
    cdef int i, n = start
    for i in range(start, end):
        if word_at(found.lanes[i]) & DENSE == DENSE:
            found.lanes[n], found.factor[n] = found.lanes[i] + WORD + first, found.factor[i]
            n += 1
        else:
            add_cells(found.lanes[i], found.factor[i], first, last, scores)
    dodona_add_rows(scores + first, found.lanes + start, found.factor + start, n - start,
                    (last - first) // BLOCK)


cdef inline void add_cells(const int8_t* row, int factor, int first, int last,
                           int16_t* scores) noexcept nogil:
    """Add the cells of a row, times a factor, for the classes from first to last - 1."""
    cdef const int8_t* cells = row + WORD
    cdef int klass, n_cells = word_at(row) & DENSE
    while n_cells > 0:                   # cells are in the order of their classes
        n_cells -= 1
        klass = word_at(cells + n_cells * CELL)
        if klass < first:
            return
        if klass < last:
            scores[klass] += <int16_t> (cells[n_cells * CELL + WORD] * factor)


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
