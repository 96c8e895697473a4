"""Online training of what ends at a place: a perceptron whose history is its own answers.

The right label of a place does not depend on what was answered before, so that the walk goes where
the model leads it and still learns everywhere. A place is learned from unless its label wins by a
margin.
"""
from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport CodePoints
from dodona.core.segmenting.place_features cimport MAX_PLACE_KEYS, fill_place
from dodona.core.segmenting.places cimport ASK, N_LABELS, N_PAIRS, SAME, TOKEN, Walk
from dodona.core.weights.linear cimport Weights

cdef enum:
    N_COUNTERS = 1 << 22      # a rare feature seldom shares one with another


cdef class PlaceTrainer:
    """Trains on a text; labels[i] tells what begins at character i (see `places`)."""
    cdef readonly Weights weights
    cdef readonly double time           # places learned from so far
    cdef readonly long n_updates
    cdef Walk walk
    cdef float margin
    cdef int cutoff
    cdef vector[uint8_t] labels
    cdef vector[uint8_t] seen           # how often features occur, by the high half of their keys

    def __init__(self, CodePoints text, bytes certain, const uint8_t[::1] labels, *,
                 float margin, int cutoff):
        if labels.shape[0] != len(text):
            raise ValueError(f"{labels.shape[0]} labels for {len(text)} characters")
        self.walk, self.weights = Walk(text, certain), Weights(N_LABELS)
        self.margin, self.cutoff, self.time = margin, cutoff, 1
        for label in labels:
            if label >= N_LABELS:
                raise ValueError(f"label {label}, but there are {N_LABELS}")
            self.labels.push_back(label)
        self.seen.resize(N_COUNTERS)

    def count(self, Py_ssize_t start, Py_ssize_t end):
        """Count the features from here to there, with the right answers; once, before training."""
        cdef uint64_t keys[MAX_PLACE_KEYS]
        cdef uint8_t* counter
        cdef int k, n
        self.check(start, end)
        with nogil:
            if self.walk.begin(start, <Py_ssize_t> self.labels.size()):
                while self.walk.next_place() and self.walk.at < end:
                    n = fill_place(self.walk, keys)
                    for k in range(n):
                        counter = &self.seen[keys[k] >> 32 & (N_COUNTERS - 1)]
                        counter[0] = min(counter[0] + 1, self.cutoff)
                    self.walk.take(self.labels[self.walk.at])

    def train(self, Py_ssize_t start, Py_ssize_t end):
        """Learn from the text from here to there; here, a sentence begins."""
        self.check(start, end)
        with nogil:
            if self.walk.begin(start, <Py_ssize_t> self.labels.size()):
                while self.walk.next_place() and self.walk.at < end:
                    self.walk.take(self.learn(self.labels[self.walk.at]))

    def go_on(self, Weights weights not None, double time, long n_updates):
        """Take up a run that had come so far."""
        if weights.n_classes != N_LABELS:
            raise ValueError(f"weights of {weights.n_classes} classes, not {N_LABELS}")
        self.weights, self.time, self.n_updates = weights, time, n_updates

    cdef int check(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if not 0 <= start <= end <= <Py_ssize_t> self.labels.size():
            raise IndexError(f"{start} to {end}, but there are {self.labels.size()} characters")
        return 0

    cdef int learn(self, int gold) noexcept nogil:
        """Predict the label of a place and update; returns the prediction."""
        cdef uint64_t keys[MAX_PLACE_KEYS]
        cdef float scores[8]
        cdef int label, k, n = fill_place(self.walk, keys), n_kept = 0, rival = -1
        for label in range(8):
            scores[label] = 0
        self.weights.score(keys, n, scores)
        for label in range(N_LABELS):
            if label == SAME and gold != SAME and not self.walk.may_join():
                continue
            if label != gold and (rival < 0 or scores[label] > scores[rival]):
                rival = label
        self.time += 1
        if scores[gold] > scores[rival] + self.margin:
            return gold
        for k in range(n):
            if self.seen[keys[k] >> 32 & (N_COUNTERS - 1)] >= self.cutoff:
                keys[n_kept] = keys[k]
                n_kept += 1
        self.weights.update(keys, n_kept, gold, rival, 1, self.time)
        self.n_updates += 1
        return gold if scores[gold] > scores[rival] else rival


def count_pairs(CodePoints text not None, const uint8_t[::1] labels):
    """How often each label was seen between two kinds of characters, for `certain_pairs`."""
    cdef vector[long] counts
    cdef Walk walk = Walk(text, bytes([ASK]) * N_PAIRS)
    cdef Py_ssize_t n = labels.shape[0]
    cdef uint8_t label
    if n != len(text):
        raise ValueError(f"{n} labels for {len(text)} characters")
    counts.resize(<size_t> N_PAIRS * N_LABELS)
    if walk.begin(0, n):
        while walk.next_place():
            label = labels[walk.at]
            if label < N_LABELS:
                counts[walk.pair() * N_LABELS + label] += 1
            walk.take(label if label < N_LABELS else TOKEN)
    return list(counts)
