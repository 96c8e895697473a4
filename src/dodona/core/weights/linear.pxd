"""Linear scoring: one row of weights per feature, one weight per class, in blocks of eight."""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.weights.score_cache cimport ScoreCache

cdef extern from "blocks.h":
    cdef enum:
        BLOCK "DODONA_BLOCK"      # classes are scored eight at a time

cdef extern from "large_pages.h" nogil:
    cdef cppclass Large "dodona_large" [T]:     # a vector of many megabytes
        size_t size()
        T& operator[](size_t)
        void resize(size_t) except +
        void swap(Large[T]&)

cdef enum:
    MAX_KEYS = 256            # features of one state; also keeps sums of int8 within int16
    MAX_CLASSES = 32_000      # a class fits 16 bits, a number of cells 12 (packed_format.pxd)

cdef struct WeightRow:
    uint64_t key              # 0: a free slot
    uint32_t start            # its first block
    uint16_t n_blocks
    uint16_t capacity


cdef class Weights:
    cdef readonly int n_classes
    cdef readonly size_t n_rows
    cdef Large[WeightRow] table               # open addressing; its size is a power of two
    cdef Large[uint16_t] block_id       # the eight classes of each block
    cdef Large[float] weight            # BLOCK per block
    cdef Large[double] total            # sums of (update × time), for averaging
    cdef vector[vector[uint32_t]] free  # blocks released by rows that grew, by log2 of their number

    cdef void score(self, const uint64_t* keys, int n_keys, float* scores) noexcept nogil
    cdef void prefetch(self, const uint64_t* keys, int n_keys) noexcept nogil
    cdef void score_prefetched(self, const uint64_t* keys, int n_keys,
                               float* scores) noexcept nogil
    cdef void score_cached(self, const uint64_t* keys, int n_keys, const int* ends,
                           ScoreCache cache, float* scores) noexcept nogil
    cdef int update(self, const uint64_t* keys, int n_keys, int good, int bad, double amount,
                    double time) except -1 nogil
    cdef int add(self, const uint64_t* keys, int n_keys, int klass, double amount,
                 double time) except -1 nogil
    cdef void prefetch_cells(self, const WeightRow* row, int good, int bad) noexcept nogil
    cdef int find_all(self, const uint64_t* keys, int n_keys, int good, int bad,
                      WeightRow** rows) except -1 nogil
    cdef WeightRow* find(self, uint64_t key) noexcept nogil
    cdef WeightRow* find_or_add(self, uint64_t key) except NULL nogil
    cdef int reserve(self, size_t n) except -1 nogil
    cdef int grow(self) except -1 nogil
    cdef int enlarge(self, WeightRow* row) except -1 nogil
    cdef void move_blocks(self, size_t source, size_t target, size_t n) noexcept nogil
    cdef bint is_empty(self, size_t block) noexcept nogil
    cdef int sort_keys(self, vector[uint64_t]& keys) except -1
    cdef float* cell(self, WeightRow* row, int klass, double** total) except NULL nogil


cdef int check_keys(keys, vector[uint64_t]& checked) except -1
cdef int check_classes(int n_classes) except -1


cdef inline int padded(int n_classes) noexcept nogil:
    """Return a number of classes, at most MAX_CLASSES, rounded up to whole blocks."""
    return (n_classes + BLOCK - 1) // BLOCK * BLOCK
