"""Averaged weights, packed for parsing: a byte a weight, and eight additions at a time.

The file format is documented in packed_format.pxd, the memory layout in sketch_table.pyx. A bucket
of the table holds the fingerprints of eight features, compared all at once. Searches ask for
sketches of the scores (sketch.pyx), and for other scores where the bounds are inconclusive.
"""
cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uintptr_t
from libc.string cimport memset
from libcpp.vector cimport vector

from dodona.core.weights.linear cimport MAX_KEYS, check_classes, check_keys, padded
from dodona.core.weights.packed_format cimport (
    CELL, DENSE, MAX_POWER, UNIT, WORD, bucket_of, row_length, word_at,
)
from dodona.core.weights.score_cache cimport MAX_CACHE_SECTIONS
from dodona.core.weights.sketch_table cimport FLAGS, LINE, fill_sketch_table, stride_of

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
    MOST_FULL = 256           # consecutive full buckets: millions of them have some fifty

cdef struct FoundRows:        # rows of a state's features or their sketches, each with a factor
    int n
    const int8_t* lanes[MAX_KEYS + 1]       # room for one that is written, but not kept
    int8_t factor[MAX_KEYS + 1]


cdef class FeatureScorer:
    """A model that gives each class a score for a set of feature keys."""

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil:
        """Add the score of each class, within ±2**14, for the features of these keys."""
        return 0


@cython.no_gc                 # it holds buffers, which never refer back to it
cdef class PackedWeights(FeatureScorer):
    """Read-only weights, made by `pack` or from the two byte strings of a model file."""

    def __init__(self, int n_classes, float step, buckets, rows):
        cdef const Bucket* saved
        check_classes(n_classes)
        self.n_classes, self.step = n_classes, step
        PyObject_GetBuffer(buckets, &self.saved_buckets, PyBUF_SIMPLE)
        PyObject_GetBuffer(rows, &self.saved_rows, PyBUF_SIMPLE)
        self.n_buckets = <uint32_t> (self.saved_buckets.len // sizeof(Bucket))
        saved = <const Bucket*> self.saved_buckets.buf
        self.check(saved, <const int8_t*> self.saved_rows.buf, self.saved_rows.len)
        self.narrow, self.wide = Sketch(n_classes), Sketch(n_classes, is_wide=True)
        self.stride = stride_of(self.wide)
        fill_sketch_table(self.memory, self.starts, saved, self.n_buckets,
                          <const int8_t*> self.saved_rows.buf, self.narrow, self.wide)
        self.buckets = <const Bucket*> &self.memory[0]
        self.sketches = &self.memory[0] + <size_t> self.n_buckets * sizeof(Bucket)

    def __dealloc__(self):
        PyBuffer_Release(&self.saved_buckets)
        PyBuffer_Release(&self.saved_rows)

    cdef int check(self, const Bucket* buckets, const int8_t* rows, size_t most) except -1:
        """Refuse contents that point outside the memory, or would be slow to search.

        A model file may be damaged, or malicious.
        """
        cdef uint32_t i, n_full = 0, longest = 0
        cdef size_t length, n_bytes = 0, n_padded = padded(self.n_classes)
        cdef int slot
        if <size_t> buckets % sizeof(uint32_t):
            raise ValueError("the table of weights is not aligned")
        for i in range(self.n_buckets):
            n_full = n_full + 1 if buckets[i].fingerprint[BLOCK - 1] else 0
            longest = max(longest, n_full)
        if self.n_buckets == longest or longest > MOST_FULL:
            raise ValueError("the table of weights has no empty slot where there should be one")
        for i in range(self.n_buckets):
            for slot in range(BLOCK):
                if buckets[i].fingerprint[slot]:
                    length = row_length(rows, most, n_padded, buckets[i].row[slot])
                    n_bytes += length
                    if length == 0 or n_bytes > most:
                        raise ValueError("a row of weights lies outside the table or the classes")
        return 0

    def buckets_bytes(self):
        """Return the hash table as it is saved."""
        return (<const char*> self.saved_buckets.buf)[:self.n_buckets * sizeof(Bucket)]

    def rows_bytes(self):
        """Return the rows as they are saved."""
        return (<const char*> self.saved_rows.buf)[:self.saved_rows.len]

    @property
    def n_rows(self):
        """The number of features."""
        cdef uint32_t i, n = 0
        for i in range(self.n_buckets):
            n += dodona_match(self.buckets[i].fingerprint, 0)
        return n

    def scores(self, keys):
        """Return the score of every class in units of `step`, given the keys of the features."""
        cdef vector[uint64_t] features
        cdef vector[int16_t] scores
        check_keys(keys, features)
        scores.resize(padded(self.n_classes))
        self.score(features.data(), <int> features.size(), scores.data())
        return list(scores)[:self.n_classes]

    def lanes(self, keys):
        """Return the wide sketch of the scores, which begins with the narrow one."""
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
        """Add the scores of the classes first … last - 1, whole blocks, from whole rows."""
        cdef FoundRows found
        found.n = 0
        prefetch_buckets(self, keys, n_keys)
        find_rows(self, keys, n_keys, ALL_CLASSES, &found)
        find_whole(self, first, last, &found)
        add_whole(&found, 0, found.n, first, last, scores)

    cdef void score_lanes(self, const uint64_t* keys, int n_keys, const int* ends,
                          ScoreCache cache, int16_t* lanes, int n_lanes) noexcept nogil:
        """Add a sketch of the scores, `n_lanes` lanes, or the scores of ALL_CLASSES.

        With a cache, the keys come in sections that end at `ends`; the sums of the first of them
        are cached, as many as the cache has.
        """
        cdef FoundRows found
        cdef int16_t* sums[MAX_CACHE_SECTIONS]      # per section: where to write them, or NULL
        cdef int found_ends[MAX_CACHE_SECTIONS]     # of the rows of this section and those before
        cdef int i, start = 0, first = 0, n_cached = 0 if cache is None else cache.n_sections
        cdef int n_sums = n_lanes
        cdef bint is_known
        if n_lanes == ALL_CLASSES:
            n_sums = padded(self.n_classes)
            n_lanes = n_sums if self.narrow.n_bounds == 0 else ALL_CLASSES
        for i in range(n_cached):
            sums[i] = <int16_t*> cache.entry_for(i, keys + start, ends[i] - start, &is_known)
            if is_known:
                dodona_add_scores(lanes, sums[i], n_sums // BLOCK)
                sums[i] = NULL
            else:
                prefetch_buckets(self, keys + start, ends[i] - start)
            start = ends[i]
        prefetch_buckets(self, keys + start, n_keys - start)
        found.n = start = 0
        for i in range(n_cached):
            if sums[i] != NULL:
                find_rows(self, keys + start, ends[i] - start, n_lanes, &found)
            found_ends[i], start = found.n, ends[i]
        find_rows(self, keys + start, n_keys - start, n_lanes, &found)
        if n_lanes == ALL_CLASSES:
            find_whole(self, 0, n_sums, &found)
        for i in range(n_cached):
            if sums[i] != NULL:
                memset(sums[i], 0, n_sums * sizeof(int16_t))
                add_found(&found, first, found_ends[i], n_lanes, n_sums, sums[i])
                dodona_add_scores(lanes, sums[i], n_sums // BLOCK)
            first = found_ends[i]
        add_found(&found, first, found.n, n_lanes, n_sums, lanes)

    cdef void prefetch(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Prefetch the buckets of these keys."""
        prefetch_buckets(self, keys, n_keys)


cdef inline void prefetch_buckets(PackedWeights weights, const uint64_t* keys,
                                  int n_keys) noexcept nogil:
    cdef int i
    for i in range(n_keys):
        dodona_prefetch(&weights.buckets[bucket_of(keys[i], weights.n_buckets)])


cdef inline void prefetch_lines(uintptr_t start, int n_bytes) noexcept nogil:
    """Prefetch cache lines, possibly beyond the end of a row: prefetching is always safe."""
    cdef int at = 0
    while at < n_bytes:
        dodona_prefetch(<const void*> (start + at))
        at += LINE


cdef inline void find_rows(PackedWeights weights, const uint64_t* keys, int n_keys, int n_lanes,
                           FoundRows* found) noexcept nogil:
    """Look up the rows of those keys that have one, and prefetch their lanes."""
    cdef uint32_t at, row
    cdef int i, slot, n = found.n
    for i in range(n_keys):
        at = bucket_of(keys[i], weights.n_buckets)
        slot = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        while slot == BLOCK and weights.buckets[at].fingerprint[BLOCK - 1] != 0:
            at = at + 1 if at + 1 < weights.n_buckets else 0
            slot = dodona_match(weights.buckets[at].fingerprint, <uint32_t> keys[i])
        # Written in any case, kept only if found: no branch to mispredict. A key without a row gets
        # the first of all, whose memory is near.
        row = weights.buckets[at].row[slot & (BLOCK - 1)] & -<uint32_t> (slot != BLOCK)
        found.lanes[n] = weights.sketches + (row & ~<uint32_t> FLAGS)
        found.factor[n] = <int8_t> (1 << (row & MAX_POWER))
        dodona_prefetch(found.lanes[n])
        if n_lanes > LINE:
            dodona_prefetch(found.lanes[n] + LINE)
        n += slot != BLOCK
    found.n = n


cdef inline void add_found(FoundRows* found, int start, int end, int n_lanes, int n_sums,
                           int16_t* sums) noexcept nogil:
    """Add the rows start … end - 1 that were found: lanes of sketches, or whole rows."""
    if n_lanes == ALL_CLASSES:
        add_whole(found, start, end, 0, n_sums, sums)
    else:
        dodona_add_rows(sums, found.lanes + start, found.factor + start, end - start,
                        n_sums // BLOCK)


cdef inline void find_whole(PackedWeights weights, int first, int last,
                            FoundRows* found) noexcept nogil:
    """Replace sketches by their whole rows, and prefetch the classes first … last - 1."""
    cdef int i
    for i in range(found.n):
        found.lanes[i] = whole_row(weights, found.lanes[i])
        dodona_prefetch(found.lanes[i])
        prefetch_lines(<uintptr_t> found.lanes[i] + WORD + first, last - first)


cdef inline const int8_t* whole_row(PackedWeights weights, const int8_t* lanes) noexcept nogil:
    """Return the saved row of a sketch."""
    cdef size_t number = <size_t> (lanes - weights.sketches) // weights.stride
    return (<const int8_t*> weights.saved_rows.buf
            + <size_t> weights.starts[number] * UNIT)


cdef inline void add_whole(FoundRows* found, int start, int end, int first, int last,
                           int16_t* scores) noexcept nogil:
    """Add the whole rows start … end - 1 that were found, for the classes first … last - 1."""
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
    """Add the cells of a row, times a factor, for the classes first … last - 1."""
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
    """Return scores plus rows of as many weights, each times its factor; for tests.

    The result has one list for each implementation that this processor can run. The number of
    scores is a multiple of eight.

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
        raise ValueError("each row needs as many weights as there are scores, and a factor")
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
