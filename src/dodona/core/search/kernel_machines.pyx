"""Support vector machines with a polynomial kernel (Nivre et al. 2006; MaltParser), for parsing.

A state is a set of features, so the kernel of two states, (γ·n + r)², needs only n, the number of
features that they share. It is counted for all support vectors at once, with a list of the vectors
that have a feature (Kudo & Matsumoto 2003). Each pair of classes has one decision; a class scores
by the decisions in its favour, with ties broken by their margins.

There may be several machines, each for the states with a certain feature (the tag of a word), as
MaltParser splits its training data; the last is for all others.
"""
from math import isfinite

from libc.math cimport fabs, lrint
from libcpp.algorithm cimport lower_bound

from dodona.core.weights.linear cimport check_classes, check_keys
from dodona.core.weights.packed cimport MASKED

# the numbers that describe a machine: see `Machine`
FIELDS = ("split", "first_class", "n_classes", "first_vector", "n_vectors", "first_key", "n_keys",
          "first_coefficient", "first_intercept")

cdef enum:
    DEGREE_SUMS = 64              # the most that a decision in favour is worth


cdef class KernelMachines(FeatureScorer):
    """Machines from the arrays of a model; made by `dodona.parsing.svm`.

    The array `machines` has the numbers of FIELDS for each machine.
    """

    def __init__(self, int n_classes, double gamma, double coef0, dict arrays):
        check_classes(n_classes)
        self.n_classes, self.gamma, self.coef0, self.arrays = n_classes, gamma, coef0, arrays
        self.classes, self.class_of = arrays["classes"], arrays["class_of"]
        self.keys, self.first_posting = arrays["keys"], arrays["first_posting"]
        self.postings, self.coefficients = arrays["postings"], arrays["coefficients"]
        self.intercepts = arrays["intercepts"]
        numbers = list(arrays["machines"])
        if not numbers or len(numbers) % len(FIELDS):
            raise ValueError(f"machines are described by {len(FIELDS)} numbers each")
        for i in range(0, len(numbers), len(FIELDS)):
            self.machines.push_back(dict(zip(FIELDS, numbers[i:i + len(FIELDS)])))
        self._check()

    def _check(self):
        """Refuse numbers that point outside the arrays: a model may come from anywhere.

        The slices of machines follow each other, so that checking takes no longer than reading.
        """
        cdef Machine machine
        first_class = first_vector = first_key = first_coefficient = first_intercept = 0
        fits = (isfinite(self.gamma) and isfinite(self.coef0)
                and all(c < self.n_classes for c in self.classes)
                and all(isfinite(x) for x in self.coefficients)
                and all(isfinite(x) for x in self.intercepts))
        for machine in self.machines:
            n, m, k = machine.n_classes, machine.n_vectors, machine.n_keys
            fits = fits and (
                n > 0
                and (machine.first_class, machine.first_vector, machine.first_key,
                     machine.first_coefficient, machine.first_intercept)
                == (first_class, first_vector, first_key, first_coefficient, first_intercept)
                and first_class + n <= self.classes.shape[0]
                and first_vector + m <= self.class_of.shape[0]
                and all(c < n for c in self.class_of[first_vector:first_vector + m])
                and self._postings_fit(first_key, k, m)
                and first_coefficient + m * (n - 1) <= self.coefficients.shape[0]
                and first_intercept + n * (n - 1) // 2 <= self.intercepts.shape[0])
            if not fits:
                raise ValueError("the arrays of a support vector machine do not fit together")
            first_class, first_vector, first_key = first_class + n, first_vector + m, first_key + k
            first_coefficient += m * (n - 1)
            first_intercept += n * (n - 1) // 2

    def _postings_fit(self, first_key, n_keys, n_vectors):
        """Return whether the lists of vectors of these keys are consecutive and in bounds."""
        if first_key + n_keys > self.keys.shape[0]:
            return False
        ends = list(self.first_posting[first_key:first_key + n_keys + 1])
        return (len(ends) == n_keys + 1 and ends == sorted(ends)
                and ends[-1] <= self.postings.shape[0]
                and all(v < n_vectors for v in self.postings[ends[0]:ends[-1]]))

    @property
    def n_rows(self):
        """The number of features of all support vectors."""
        return self.keys.shape[0]

    @property
    def n_vectors(self):
        """The number of support vectors of all machines."""
        return self.class_of.shape[0]

    def scores(self, keys):
        """Return the score of each class for the features of these keys."""
        cdef vector[uint64_t] sought
        cdef vector[int16_t] scores
        check_keys(keys, sought)
        scores.resize(self.n_classes)
        self.score(sought.data(), <int> sought.size(), scores.data())
        return list(scores)

    cdef int score(self, const uint64_t* keys, int n_keys, int16_t* scores) except -1 nogil:
        cdef const Machine* machine = self.machine_for(keys, n_keys)
        cdef int n_others = machine.n_classes - 1, v, r
        cdef vector[int] shared
        cdef vector[double] sums
        cdef double kernel
        cdef double* sum_
        cdef const float* coefficient
        shared.resize(machine.n_vectors)
        sums.resize(machine.n_classes * machine.n_classes)
        self.count_shared(machine, keys, n_keys, shared.data())
        if n_others > 0:
            for v in range(<int> machine.n_vectors):
                kernel = self.gamma * shared[v] + self.coef0
                kernel *= kernel
                coefficient = &self.coefficients[machine.first_coefficient + v * n_others]
                sum_ = &sums[self.class_of[machine.first_vector + v] * n_others]
                for r in range(n_others):
                    sum_[r] += coefficient[r] * kernel
        return self.vote(machine, sums.data(), scores)

    cdef const Machine* machine_for(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Return the first machine whose feature the state has, or the last."""
        cdef size_t m
        cdef int i
        for m in range(self.machines.size() - 1):
            for i in range(n_keys):
                if keys[i] == self.machines[m].split:
                    return &self.machines[m]
        return &self.machines.back()

    cdef int count_shared(self, const Machine* machine, const uint64_t* keys, int n_keys,
                          int* shared) except -1 nogil:
        """Count how many of these features each support vector has."""
        cdef const uint64_t* begin
        cdef const uint64_t* end
        cdef const uint64_t* found
        cdef uint32_t p
        cdef size_t at
        cdef int i
        if machine.n_keys == 0:
            return 0
        begin = &self.keys[machine.first_key]
        end = begin + machine.n_keys
        for i in range(n_keys):
            found = lower_bound(begin, end, keys[i])
            if found != end and found[0] == keys[i]:
                at = machine.first_key + (found - begin)
                for p in range(self.first_posting[at], self.first_posting[at + 1]):
                    shared[self.postings[p]] += 1

    # sums[i][r] belongs to the pair of class i and the r-th of the other classes, as libsvm has it:
    # the vectors of both classes of a pair decide it
    cdef int vote(self, const Machine* machine, const double* sums,
                  int16_t* scores) except -1 nogil:
        cdef int n = machine.n_classes, i, j, pair = machine.first_intercept
        cdef double worth = min(<double> DEGREE_SUMS, <double> -MASKED / (2 * (n + 1))), decision
        cdef vector[double] votes, margins
        votes.resize(n)
        margins.resize(n)
        for i in range(n):
            for j in range(i + 1, n):
                decision = (sums[i * (n - 1) + j - 1] + sums[j * (n - 1) + i]
                            + self.intercepts[pair])
                pair += 1
                votes[i if decision > 0 else j] += 1
                margins[i] += decision
                margins[j] -= decision
        for i in range(self.n_classes):
            scores[i] -= <int16_t> worth                 # below every class of this machine
        for i in range(n):                               # margins never outweigh a vote
            decision = votes[i] + margins[i] / (3 * (fabs(margins[i]) + 1))
            scores[self.classes[machine.first_class + i]] += <int16_t> lrint(
                worth * (decision + 1))
