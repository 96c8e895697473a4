"""An online perceptron with a margin: it learns unless the correct class wins by the margin.

Features that are too rare are not learned, and so have no weights: scoring need not exclude them.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.weights.cutoff cimport keep_frequent
from dodona.core.weights.linear cimport Weights


cdef class MarginPerceptron:
    """Weights in training, and the number of examples so far."""

    def __cinit__(self):
        self.time = 1

    def resume(self, Weights weights not None, double time, long n_updates):
        """Resume a run from its saved weights and counters."""
        if weights.n_classes != self.weights.n_classes:
            raise ValueError(
                f"weights of {weights.n_classes} classes, not {self.weights.n_classes}")
        self.weights, self.time, self.n_updates = weights, time, n_updates

    cdef int learn(self, uint64_t* keys, int n_keys, const float* scores, int gold,
                   int rival) except -1 nogil:
        """Learn from one example, and return the prediction; drops the keys of rare features.

        The rival is the best of the wrong classes, or NONE if there is none.
        """
        self.time += 1
        if rival == NONE or scores[gold] > scores[rival] + self.margin:
            return gold
        n_keys = keep_frequent(&self.cutoff, keys, n_keys)
        self.weights.update(keys, n_keys, gold, rival, 1, self.time)
        self.n_updates += 1
        return gold if scores[gold] > scores[rival] else rival
