"""Scores of a network as logarithms of probabilities, so that beams can add them up.

A network has learned to distinguish the classes of one state; the level of their scores means
nothing. `normalise` subtracts the logarithm of the sum of the exponentials of all allowed scores
(log-sum-exp), in whole numbers, from tables made by multiplications alone: the same on every
machine.
"""
from libcpp.algorithm cimport upper_bound

cdef enum:
    SCORE_UNITS = 256         # a score of 256 is 1 (core/network)
    FARTHEST = 16 * SCORE_UNITS       # larger differences do not count: e^-16
    ONE = 1 << 30             # the exponential of the highest score
    LEAST_SCORE = -(1 << 13)  # above those of masked classes
    MOST_UNITS_ABOVE = 10 * SCORE_UNITS       # the logarithm of the largest number of classes

cdef double E_TO_THE_UNIT = 1.0039138893383475734436096039034     # e^(1/256)


cdef class LogScores:
    """Tables for scores in units of 1/256."""

    def __init__(self):
        cdef double power = ONE, bound = ONE
        for _ in range(FARTHEST):
            self.power.push_back(<int64_t> (power + 0.5))
            power /= E_TO_THE_UNIT
        bound *= 1.00195503359100972       # e^(1/512): halfway to the next unit
        for _ in range(MOST_UNITS_ABOVE):
            self.bound.push_back(<int64_t> (bound + 0.5))
            bound *= E_TO_THE_UNIT

    def normalised(self, scores):
        """Return scores minus the logarithm of the sum of their exponentials.

        >>> LogScores().normalised([0, 0]), LogScores().normalised([2560, 0])
        ([-177, -177], [0, -2560])
        """
        cdef vector[int16_t] row, masks
        cdef int score
        for score in scores:
            row.push_back(<int16_t> score)
        masks.resize(row.size())
        self.normalise(row.data(), masks.data(), <int> row.size())
        return list(row)

    cdef void normalise(self, int16_t* scores, const int16_t* masks,
                        int n_classes) noexcept nogil:
        """Subtract the log-sum-exp from all scores; masked classes do not count."""
        cdef int c, highest = -(1 << 15)
        cdef int64_t total = 0
        cdef int taken
        for c in range(n_classes):
            if masks[c] == 0 and scores[c] > highest:
                highest = scores[c]
        for c in range(n_classes):
            if masks[c] == 0 and highest - scores[c] < FARTHEST:
                total += self.power[highest - scores[c]]
        taken = highest + <int> (
            upper_bound(self.bound.begin(), self.bound.end(), total) - self.bound.begin())
        for c in range(n_classes):
            if masks[c] == 0:
                scores[c] = <int16_t> max(scores[c] - taken, LEAST_SCORE)
