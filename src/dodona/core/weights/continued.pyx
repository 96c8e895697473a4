"""Weights in training that continue from packed ones.

A packed table has no whole keys, so its rows cannot become rows in training. Instead, the packed
weights stay as they are, and what is learned is added to their scores. Packing adds the averages of
what was learned to the packed rows, and puts new features into free slots of the table.
"""
from libc.stdint cimport int8_t, int16_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.weights.linear cimport BLOCK, WeightRow, Weights, padded
from dodona.core.weights.packed cimport ALL_CLASSES, PackedWeights
from dodona.core.weights.packed_format cimport (
    CELL, DENSE, MAX_POWER, POWER_AT, UNIT, WORD, Bucket, bucket_of, word_at,
)
from dodona.core.weights.packing cimport LARGEST, Averages, append_row, average, mass
from dodona.core.weights.score_cache cimport ScoreCache

cdef extern from "blocks.h":
    int dodona_match(const uint32_t* fingerprints, uint32_t sought) noexcept nogil

cdef double MOST_IN_USE = 0.9   # share of slots in use; the table cannot grow without whole keys
ctypedef pair[double, uint64_t] Candidate     # a new feature: its negative mass, and its key


cdef class ContinuedWeights(Weights):
    """Weights in training on top of packed ones, whose classes are the first.

    Other classes begin with the weights of classes that are `like` them, by number, or with none.
    """
    cdef readonly PackedWeights base
    cdef vector[int16_t] sums
    cdef vector[int] like           # per new class: one of the base, or NONE

    def __init__(self, int n_classes, PackedWeights base not None, Weights learned=None, like=()):
        """Continue from `base` and, if given, from what was `learned` since, which is moved.

        `like` has pairs of a new class and one of the base.
        """
        super().__init__(n_classes)
        if base.n_classes > n_classes:
            raise ValueError(f"packed weights of {base.n_classes} classes, but only {n_classes}")
        self.base = base
        self.sums.resize(padded(base.n_classes))
        self.like.resize(n_classes - base.n_classes, NONE)
        for klass, model in like:
            if not (base.n_classes <= klass < n_classes and 0 <= model < base.n_classes):
                raise IndexError(f"class {klass} like {model} of {base.n_classes} classes")
            self.like[klass - base.n_classes] = model
        if learned is not None:
            if learned.n_classes != n_classes:
                raise ValueError(f"weights of {learned.n_classes} classes, not {n_classes}")
            self.n_rows = learned.n_rows
            self.table.swap(learned.table)
            self.block_id.swap(learned.block_id)
            self.weight.swap(learned.weight)
            self.total.swap(learned.total)
            self.free.swap(learned.free)

    cdef void score(self, const uint64_t* keys, int n_keys, float* scores) noexcept nogil:
        cdef int i
        memset(self.sums.data(), 0, self.sums.size() * sizeof(int16_t))
        self.base.score_lanes(keys, n_keys, NULL, None, self.sums.data(), ALL_CLASSES)
        for i in range(self.base.n_classes):
            scores[i] += self.base.step * self.sums[i]
        for i in range(<int> self.like.size()):
            if self.like[i] != NONE:
                scores[self.base.n_classes + i] += self.base.step * self.sums[self.like[i]]
        Weights.score(self, keys, n_keys, scores)

    cdef void score_cached(self, const uint64_t* keys, int n_keys, const int* ends,
                           ScoreCache cache, float* scores) noexcept nogil:
        """Add the weights of keys, without the cache: the data to continue on are small."""
        self.score(keys, n_keys, scores)


def pack_continued(ContinuedWeights weights not None, double time, *, double least=1):
    """Return the packed weights plus the average over `time` steps of what was learned since.

    A new feature whose absolute weights sum to less than `least` units is dropped; so are the
    lightest if they do not fit the table, which is a quarter empty.
    """
    cdef PackedWeights base = weights.base
    cdef const Bucket* saved = <const Bucket*> base.saved_buckets.buf
    cdef vector[Bucket] buckets
    cdef vector[uint64_t] key_of, new_keys         # key_of: per slot of the table, 0 if unknown
    cdef vector[int8_t] rows
    cdef Averages row
    cdef uint32_t at
    cdef int slot
    cdef size_t i
    cdef double unit = base.step * (1 << MAX_POWER)
    buckets.assign(saved, saved + base.n_buckets)
    key_of.resize(<size_t> base.n_buckets * BLOCK)
    choose_slots(weights, time, least * unit, buckets, key_of, new_keys)
    row.values.resize(padded(weights.n_classes))
    row.is_there.resize(padded(weights.n_classes) // BLOCK)
    for i in range(key_of.size()):
        at, slot = <uint32_t> (i // BLOCK), <int> (i % BLOCK)
        if buckets[at].fingerprint[slot]:
            clear_row(row)
            add_packed_row(base, buckets[at].row[slot], row)
            copy_classes(weights, row)
            if key_of[i]:
                add_averages(weights, weights.find(key_of[i]), time, unit, row)
            buckets[at].row[slot] = <uint32_t> (rows.size() // UNIT)
            append_row(rows, row, unit)
    for i in range(new_keys.size()):
        at = bucket_of(new_keys[i], base.n_buckets)
        slot = dodona_match(buckets[at].fingerprint, 0)
        while slot == BLOCK:
            at = at + 1 if at + 1 < base.n_buckets else 0
            slot = dodona_match(buckets[at].fingerprint, 0)
        clear_row(row)
        add_averages(weights, weights.find(new_keys[i]), time, unit, row)
        buckets[at].fingerprint[slot] = <uint32_t> new_keys[i]
        buckets[at].row[slot] = <uint32_t> (rows.size() // UNIT)
        append_row(rows, row, unit)
    rows.resize(rows.size() + UNIT)          # the first word of a row at the end is readable
    return PackedWeights(weights.n_classes, base.step,
                         (<char*> buckets.data())[:buckets.size() * sizeof(Bucket)],
                         (<char*> rows.data())[:rows.size()])


cdef int choose_slots(ContinuedWeights weights, double time, double least, vector[Bucket]& buckets,
                      vector[uint64_t]& key_of, vector[uint64_t]& new_keys) except -1:
    """Find the slots of the features that were updated, and choose new ones, in order of keys."""
    cdef vector[uint64_t] keys
    cdef vector[Candidate] candidates
    cdef double heavy
    cdef size_t i, n_used = 0, n_slots = key_of.size()
    cdef uint32_t at, n_buckets = <uint32_t> buckets.size()
    cdef int slot
    for i in range(n_slots):
        n_used += buckets[i // BLOCK].fingerprint[i % BLOCK] != 0
    weights.sort_keys(keys)
    for i in range(keys.size()):
        at = bucket_of(keys[i], n_buckets)
        slot = dodona_match(buckets[at].fingerprint, <uint32_t> keys[i])
        while slot == BLOCK and buckets[at].fingerprint[BLOCK - 1] != 0:
            at = at + 1 if at + 1 < n_buckets else 0
            slot = dodona_match(buckets[at].fingerprint, <uint32_t> keys[i])
        if slot != BLOCK:
            key_of[<size_t> at * BLOCK + slot] = keys[i]
            continue
        heavy = mass(weights, weights.find(keys[i]), time)
        if heavy >= least:
            candidates.push_back(Candidate(-heavy, keys[i]))
    sort(candidates.begin(), candidates.end())
    while candidates.size() and n_used + candidates.size() > MOST_IN_USE * n_slots:
        candidates.pop_back()
    for i in range(candidates.size()):
        new_keys.push_back(candidates[i].second)
    sort(new_keys.begin(), new_keys.end())
    return 0


cdef void clear_row(Averages& row) noexcept nogil:
    memset(row.values.data(), 0, row.values.size() * sizeof(double))
    memset(row.is_there.data(), 0, row.is_there.size())


cdef void add_packed_row(PackedWeights base, uint32_t start, Averages& row) noexcept nogil:
    """Add a row of the packed weights."""
    cdef const int8_t* saved = <const int8_t*> base.saved_rows.buf + <size_t> start * UNIT
    cdef unsigned int word = word_at(saved)
    cdef double step = base.step * (1 << (word >> POWER_AT))
    cdef int i, klass
    cdef int n = padded(base.n_classes) if word & DENSE == DENSE else word & DENSE
    for i in range(n):
        klass = i
        if word & DENSE == DENSE:
            row.values[i] += step * saved[WORD + i]
        else:
            klass = word_at(saved + WORD + i * CELL)
            row.values[klass] += step * saved[WORD + i * CELL + WORD]
        row.is_there[klass // BLOCK] = True


cdef void copy_classes(ContinuedWeights weights, Averages& row) noexcept nogil:
    """Give new classes the packed weights of those that they are like."""
    cdef size_t i, c
    for i in range(weights.like.size()):
        c = weights.base.n_classes + i
        if weights.like[i] != NONE and row.values[weights.like[i]] != 0:
            row.values[c] = row.values[weights.like[i]]
            row.is_there[c // BLOCK] = True


cdef void add_averages(Weights weights, const WeightRow* learned, double time, double unit,
                       Averages& row) noexcept nogil:
    """Add the averages of a row in training, within the largest weight that can be packed."""
    cdef double most = LARGEST * unit
    cdef size_t c
    cdef int j, k
    for j in range(learned.n_blocks):
        row.is_there[weights.block_id[learned.start + j]] = True
        for k in range(BLOCK):
            c = <size_t> weights.block_id[learned.start + j] * BLOCK + k
            row.values[c] += average(weights, (<size_t> learned.start + j) * BLOCK + k, time)
            row.values[c] = max(-most, min(most, row.values[c]))
