"""Upper-bound sketches of scores: scores of the frequent classes, bounds of the others.

Classes are sorted by frequency. Most of a hundred or two are labels that few arcs have; yet to find
the best class, a search must rule them out. So the sketch of a row of weights has those of the
frequent classes and, for each group of the others, the largest of their weights. These add up like
any weights, to a number that no class of the group can exceed: where it is below the best score of
the frequent classes, the others need not be scored. Groups are small where classes are frequent.

A narrow sketch takes one cache line, where all weights of the English model take three; in 19 of 20
states its bounds are conclusive. A beam needs more than the best class, so that it has a wide
sketch of two lines, of which the first is the narrow one:

    bounds of groups of 48 … | scores of 0 … 47 || scores of 48 … 95 | bounds of groups of 96 …

Bounds are halved, and rounded up, so that they are bytes like weights and their sums do not
overflow: to do so they would have to be 64 times the largest weight, where sums of weights are
within 16 times (MASKED, packed.pxd).
"""
from libc.string cimport memcpy

from dodona.core.weights.linear cimport check_classes, padded
from dodona.core.weights.packed_format cimport CELL, DENSE, WORD, word_at

cdef enum:
    LANES = 64                # of a cache line
    BOUNDS = 16               # among them


cdef inline int8_t halved(int weight) noexcept nogil:
    """Return half of a weight, rounded up."""
    return <int8_t> ((weight + 129) // 2 - 64)       # of what is not negative


def group_sizes(int n_classes):
    """Return the number of classes of each bound, for `n_classes` in all.

    A quarter of the bounds each have groups of two, of four, of eight, and of as many as are left.

    >>> group_sizes(128)
    [2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 18, 18, 18, 18]
    """
    quarter = BOUNDS // 4
    sizes = [2] * quarter + [4] * quarter + [8] * quarter
    return sizes + [max(-(-(n_classes - sum(sizes)) // quarter), 0)] * quarter


cdef inline int largest_of(const int8_t* weights, int first, int last) noexcept nogil:
    """Return the largest of the weights first … last - 1; 0 if there are none."""
    cdef int c, most = weights[first] if first < last else 0
    for c in range(first + 1, last):
        most = max(most, weights[c])
    return most


cdef class Sketch:
    """The layout of a narrow or a wide sketch: which classes its lanes stand for.

    >>> narrow, wide = Sketch(176), Sketch(176, is_wide=True)
    >>> narrow.n_lanes, narrow.n_exact, wide.n_lanes, wide.n_exact
    (64, 48, 128, 96)
    >>> Sketch(50).n_lanes, Sketch(50).n_exact, Sketch(50).n_bounds
    (56, 56, 0)
    """

    def __init__(self, int n_classes, *, bint is_wide=False):
        cdef int n_padded = padded(n_classes)
        check_classes(n_classes)
        self.n_exact = self.n_lanes = n_padded
        if n_padded > LANES:
            self.n_lanes = 2 * LANES if is_wide else LANES
            self.n_exact = min(self.n_lanes // LANES * (LANES - BOUNDS), n_padded)
            self.exact_lane, self.n_bounds = BOUNDS, BOUNDS
            self.bound_lane = self.n_lanes - BOUNDS if is_wide else 0
            self._group(n_padded)
        for lane in range(self.n_lanes):
            for c in self.classes(lane):
                self.lane.resize(max(self.lane.size(), <size_t> c + 1))
                self.lane[c] = lane

    def _group(self, int n_padded):
        """Set the classes of each bound."""
        self.first.push_back(self.n_exact)
        for size in group_sizes(n_padded - self.n_exact):
            self.first.push_back(min(self.first.back() + <int> size, n_padded))

    def classes(self, int lane):
        """Return the classes of a lane; none for an unused lane."""
        cdef int bound = lane - self.bound_lane, c = lane - self.exact_lane
        if 0 <= bound < self.n_bounds:
            return range(self.first[bound], self.first[bound + 1])
        return range(c, c + 1) if 0 <= c < self.n_exact else range(0)

    cdef void write(self, const int8_t* row, int8_t* lanes) noexcept nogil:
        """Write the sketch of a row (packed_format.pxd) into lanes that are 0."""
        cdef const int8_t* weights = row + WORD
        cdef int bound, c, j, n_cells = word_at(row) & DENSE
        if n_cells == DENSE:
            memcpy(lanes + self.exact_lane, weights, self.n_exact)
            for bound in range(self.n_bounds):
                lanes[self.bound_lane + bound] = halved(
                    largest_of(weights, self.first[bound], self.first[bound + 1]))
            return
        for j in range(n_cells):
            c = word_at(weights + j * CELL)
            self.put(c, weights[j * CELL + WORD], lanes)

    cdef void put(self, int c, int8_t weight, int8_t* lanes) noexcept nogil:
        """Write the weight of a class into its lane, which has 0 or the group's bound so far."""
        cdef int lane = self.lane[c]
        if c < self.n_exact:
            lanes[lane] = weight
        else:
            lanes[lane] = max(lanes[lane], halved(weight))
