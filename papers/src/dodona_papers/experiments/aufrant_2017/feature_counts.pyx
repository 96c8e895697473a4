"""Distributions of features, and how far one is from another (Aufrant et al. 2017, section 4).

The paper asks how much the configurations that training looks at are like those that parsing meets:
it takes the features of both as samples of two distributions and gives their Kullback-Leibler
divergence.
"""
from libc.math cimport log

from dodona.core.weights.linear cimport check_keys

cdef enum:
    SMALLEST_TABLE = 1024


cdef class FeatureCounts:
    """How often each feature was seen; a feature is its key, 64 odd bits.

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
        """Count these features once more."""
        cdef vector[uint64_t] checked
        check_keys(keys, checked)
        self.add(checked.data(), <int> checked.size())

    def to_dict(self):
        """The count of each key, keys in ascending order."""
        counts = {seen.key: seen.count for seen in self.table if seen.key != 0}
        return dict(sorted(counts.items()))

    def divergence(self, FeatureCounts other, double smoothing=0.1):
        """The Kullback-Leibler divergence D(self ‖ other), in nats.

        Of the two distributions over all features that either has seen, each count raised by
        `smoothing` (Laplace): sum of p log(p / q). It is not symmetric: it weighs what `self` sees
        by how often it does.
        """
        cdef size_t i, n_union = other.n_features
        if not smoothing > 0:
            raise ValueError(f"smoothing must be above 0, not {smoothing}: "
                             "a feature that only one has seen is infinitely far away")
        for i in range(self.table.size()):
            n_union += self.table[i].key != 0 and other.count(self.table[i].key) == 0
        if n_union == 0:
            raise ValueError("no feature was counted: there is no distribution yet")
        return self.expected_log_ratio(other, smoothing, <double> n_union)

    cdef int add(self, const uint64_t* keys, int n_keys) except -1 nogil:
        cdef int i
        cdef Seen* seen
        for i in range(n_keys):
            if self.n_features * 2 >= self.table.size():
                self.grow()
            seen = &self.table[self.place_of(keys[i])]
            self.n_features += seen.key == 0
            seen.key = keys[i]
            seen.count += 1
        self.total += n_keys

    cdef size_t place_of(self, uint64_t key) noexcept nogil:
        """Where the key stands, or would; keys are well mixed already."""
        cdef size_t mask = self.table.size() - 1, place = <size_t> (key >> 32) & mask
        while self.table[place].key != 0 and self.table[place].key != key:
            place = (place + 1) & mask
        return place

    cdef int grow(self) except -1 nogil:
        cdef vector[Seen] old
        cdef size_t i
        old.resize(self.table.size() * 2)
        old.swap(self.table)
        for i in range(old.size()):
            if old[i].key != 0:
                self.table[self.place_of(old[i].key)] = old[i]

    cdef uint64_t count(self, uint64_t key) noexcept nogil:
        return self.table[self.place_of(key)].count

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
        p = smoothing / total                    # of each feature that only the other has seen
        for i in range(other.table.size()):
            if other.table[i].key != 0 and self.count(other.table[i].key) == 0:
                q = (<double> other.table[i].count + smoothing) / other_total
                found += p * log(p / q)
        return found
