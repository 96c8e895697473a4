"""Distributions of features and their divergence (Aufrant et al. 2017, section 4).

The paper measures how similar the configurations of training are to those of parsing by the
Kullback-Leibler divergence of the distributions of their features.
"""
from libc.math cimport log

from dodona.core.weights.linear cimport check_keys

cdef enum:
    SMALLEST_TABLE = 1024


cdef class FeatureCounts:
    """Frequencies of features, each given by its key: an odd number of 64 bits.

    >>> training, parsing = FeatureCounts(), FeatureCounts()
    >>> training.add_keys([1, 3, 3]); parsing.add_keys([3, 3, 3])
    >>> training.to_dict(), parsing.total
    ({1: 1, 3: 2}, 3)
    >>> round(training.divergence(parsing), 3)
    0.569
    """

    def __cinit__(self):
        self.table.resize(SMALLEST_TABLE)

    def add_keys(self, keys):
        """Count one occurrence of each of these features."""
        cdef vector[uint64_t] checked
        check_keys(keys, checked)
        self.add(checked.data(), <int> checked.size())

    def to_dict(self):
        """Return the count of each key, in ascending order of keys."""
        counts = {seen.key: seen.count for seen in self.table if seen.key != 0}
        return dict(sorted(counts.items()))

    def divergence(self, FeatureCounts other, double smoothing=0.1):
        """Return the Kullback-Leibler divergence D(self ‖ other), the sum of p log(p / q), in nats.

        Both distributions are over all features of either; `smoothing` is added to each count.
        """
        cdef size_t i, n_union = other.n_features
        if not smoothing > 0:
            raise ValueError(f"smoothing must be above 0, not {smoothing}: "
                             "otherwise a feature of only one side makes D infinite")
        for i in range(self.table.size()):
            n_union += self.table[i].key != 0 and other.count(self.table[i].key) == 0
        if n_union == 0:
            raise ValueError("no features have been counted")
        return self.expected_log_ratio(other, smoothing, <double> n_union)

    cdef int add(self, const uint64_t* keys, int n_keys) except -1 nogil:
        cdef int i
        cdef FeatureCount* entry
        for i in range(n_keys):
            if self.n_features * 2 >= self.table.size():
                self.grow()
            entry = &self.table[self.slot_of(keys[i])]
            self.n_features += entry.key == 0
            entry.key = keys[i]
            entry.count += 1
        self.total += n_keys

    cdef size_t slot_of(self, uint64_t key) noexcept nogil:
        """Return the slot of a key, or the free slot for it; keys are already hashed."""
        cdef size_t mask = self.table.size() - 1, slot = <size_t> (key >> 32) & mask
        while self.table[slot].key != 0 and self.table[slot].key != key:
            slot = (slot + 1) & mask
        return slot

    cdef int grow(self) except -1 nogil:
        cdef vector[FeatureCount] old
        cdef size_t i
        old.resize(self.table.size() * 2)
        old.swap(self.table)
        for i in range(old.size()):
            if old[i].key != 0:
                self.table[self.slot_of(old[i].key)] = old[i]

    cdef uint64_t count(self, uint64_t key) noexcept nogil:
        return self.table[self.slot_of(key)].count

    cdef double expected_log_ratio(self, FeatureCounts other, double smoothing,
                                   double n_union) noexcept nogil:
        cdef double total = <double> self.total + smoothing * n_union
        cdef double other_total = <double> other.total + smoothing * n_union
        cdef double p, q, found = 0
        cdef size_t i
        for i in range(self.table.size()):
            if self.table[i].key != 0:
                p = (<double> self.table[i].count + smoothing) / total
                q = (<double> other.count(self.table[i].key) + smoothing) / other_total
                found += p * log(p / q)
        p = smoothing / total                    # of each feature that occurs only in other
        for i in range(other.table.size()):
            if other.table[i].key != 0 and self.count(other.table[i].key) == 0:
                q = (<double> other.table[i].count + smoothing) / other_total
                found += p * log(p / q)
        return found
