"""Upper-bound sketches of scores: scores of frequent classes, bounds of the others."""
from libc.stdint cimport int8_t, int16_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    unsigned int dodona_above(const int16_t* scores, int16_t threshold) noexcept nogil
    int dodona_lowest_bit(unsigned int x) noexcept nogil
    int dodona_highest_bit(unsigned int x) noexcept nogil


cdef class Sketch:
    cdef readonly int n_lanes           # scores and bounds
    cdef readonly int n_exact           # classes, the first, with exact scores …
    cdef readonly int exact_lane        # … from this lane on
    cdef readonly int bound_lane        # the first lane with a bound …
    cdef readonly int n_bounds          # … and how many there are
    cdef vector[int] first              # per bound: its first class, up to that of the next
    cdef vector[int] lane               # per class

    cdef void write(self, const int8_t* row, int8_t* lanes) noexcept nogil
    cdef void put(self, int c, int8_t weight, int8_t* lanes) noexcept nogil

    cdef inline bint find_inconclusive(self, const int16_t* lanes, int score, int* first,
                                       int* last) noexcept nogil:
        """Return whether some bound exceeds a score, and the blocks of classes, first … last - 1,
        that hold all classes of such bounds."""
        cdef int threshold = (score - (score & 1)) // 2       # halved like the bounds, rounded down
        cdef int at = 0, low = NONE, high = NONE
        cdef unsigned int above
        while at < self.n_bounds:
            above = dodona_above(lanes + self.bound_lane + at, <int16_t> threshold)
            if above:
                low = at + dodona_lowest_bit(above) if low == NONE else low
                high = at + dodona_highest_bit(above)
            at += BLOCK
        if low == NONE:
            return False
        first[0] = self.first[low] // BLOCK * BLOCK
        last[0] = (self.first[high + 1] + BLOCK - 1) // BLOCK * BLOCK
        return True
