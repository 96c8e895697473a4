"""Support vector machines with a polynomial kernel over sets of features, read-only."""
from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t

from libcpp.vector cimport vector

from dodona.core.weights.packed cimport FeatureScorer

cdef struct Machine:              # a slice of each array
    uint64_t split                # the feature of the states it is for; 0: of all the others
    uint32_t first_class, n_classes
    uint32_t first_vector, n_vectors
    uint32_t first_key, n_keys
    uint32_t first_coefficient, first_intercept


cdef class KernelMachines(FeatureScorer):
    cdef readonly double gamma
    cdef readonly double coef0
    cdef readonly dict arrays           # by name, as a model file has them; they keep memory alive
    cdef vector[Machine] machines
    cdef const uint16_t[::1] classes        # per machine: the classes it tells apart
    cdef const uint16_t[::1] class_of       # per support vector: which of its machine's classes
    cdef const uint64_t[::1] keys           # per machine, ascending: features of its vectors
    cdef const uint32_t[::1] first_posting  # per key and one more: where its postings begin
    cdef const uint32_t[::1] postings       # per key: the vectors that have it, in its machine
    cdef const float[::1] coefficients      # per vector: one for each class but its own
    cdef const float[::1] intercepts        # per pair of classes

    cdef const Machine* machine_for(self, const uint64_t* keys, int n_keys) noexcept nogil
    cdef int count_shared(self, const Machine* machine, const uint64_t* keys, int n_keys,
                          int* shared) except -1 nogil
    cdef int vote(self, const Machine* machine, const double* sums, int16_t* scores) except -1 nogil
