"""Combinations of tags that a treebank has, and the choice of the best one."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector

from dodona.core.network.arrays cimport Rows


cdef class TagCombinations:
    cdef readonly int n_tags              # of a combination: one per classifier
    cdef vector[int32_t] tags             # of all combinations
    cdef vector[uint64_t] steps           # by which a key grows with the tag of each classifier
    cdef unordered_set[uint64_t] keys

    cdef uint64_t key(self, const int32_t* tags) noexcept nogil
    cdef void choose(self, vector[Rows]& scores, int word, int32_t* tags) noexcept nogil
