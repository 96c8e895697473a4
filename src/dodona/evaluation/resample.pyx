"""Sampling of sentences with replacement, the inner loop of the paired bootstrap.

The random numbers are SplitMix64 (Steele, Lea & Flood 2014), in integers: a seed gives the same
resamples on every machine.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef inline uint64_t next_random(uint64_t* seed) noexcept nogil:
    seed[0] += <uint64_t> 0x9E3779B97F4A7C15
    cdef uint64_t z = seed[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint32_t draw(uint64_t* seed, uint32_t n, uint32_t n_rejected) noexcept nogil:
    """Draw one of 0 … n - 1 without bias (Lemire 2019)."""
    cdef uint64_t product
    while True:
        product = (next_random(seed) >> 32) * n
        if <uint32_t> product >= n_rejected:
            return <uint32_t> (product >> 32)


cdef void resample(
    const vector[int64_t]& gains, const vector[int64_t]& sizes, uint64_t seed,
    vector[double]& means,
) noexcept nogil:
    cdef uint32_t n = <uint32_t> gains.size()
    cdef uint32_t n_rejected = (0 - n) % n
    cdef uint32_t _i, chosen
    cdef int64_t gain, size
    cdef size_t k
    for k in range(means.size()):
        gain = 0
        size = 0
        for _i in range(n):
            chosen = draw(&seed, n, n_rejected)
            gain += gains[chosen]
            size += sizes[chosen]
        means[k] = <double> gain / <double> size


def resampled_means(gains, sizes, int n_resamples, seed):
    """Return the gain per word in each of `n_resamples` samples of the sentences with replacement.

    Sentence i gains `gains[i]` over its `sizes[i]` words; sizes are above 0.

    >>> resampled_means([1, 1], [4, 4], 3, seed=0)
    [0.25, 0.25, 0.25]
    """
    if not gains or len(gains) != len(sizes) or min(sizes) < 1:
        raise ValueError("expected one gain and one size above 0 for each of at least one sentence")
    cdef vector[int64_t] gain_of, size_of
    cdef uint64_t start = seed & 0xFFFFFFFFFFFFFFFF
    cdef vector[double] means
    for gain, size in zip(gains, sizes):
        gain_of.push_back(gain)
        size_of.push_back(size)
    means.resize(n_resamples)
    with nogil:
        resample(gain_of, size_of, start, means)
    return means
