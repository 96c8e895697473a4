"""Online training of what ends at a place: a perceptron whose history is its own answers.

The right label of a place does not depend on what was answered before, so that the walk goes where
the model leads it and still learns everywhere. A place is learned from unless its label wins by a
margin.
"""
from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.segmenting.characters cimport CodePoints, is_space
from dodona.core.segmenting.lexicon cimport Lexicon
from dodona.core.segmenting.patterns cimport N_PATTERNS, Stretch, recognised
from dodona.core.segmenting.place_features cimport MAX_PLACE_KEYS, fill_place
from dodona.core.segmenting.places cimport ASK, N_LABELS, N_PAIRS, SAME, TOKEN, Walk
from dodona.core.weights.cutoff cimport count_keys, start_counting
from dodona.core.weights.linear cimport BLOCK, Weights
from dodona.core.weights.margin cimport MarginPerceptron


cdef class PlaceTrainer(MarginPerceptron):
    """Trains on a text; labels[i] tells what begins at character i (see `places`)."""
    cdef Walk walk
    cdef vector[uint8_t] labels

    def __init__(self, CodePoints text, bytes certain, const uint8_t[::1] labels, *,
                 float margin, int cutoff, Lexicon lexicon=None):
        if labels.shape[0] != len(text):
            raise ValueError(f"{labels.shape[0]} labels for {len(text)} characters")
        self.weights = Weights(N_LABELS)
        self.walk = Walk(text, certain, lexicon=lexicon)
        self.margin = margin
        start_counting(&self.cutoff, cutoff)
        for label in labels:
            if label >= N_LABELS:
                raise ValueError(f"label {label}, but there are {N_LABELS}")
            self.labels.push_back(label)

    def count(self, Py_ssize_t start, Py_ssize_t end):
        """Count the features from here to there, with the right answers; once, before training."""
        cdef uint64_t keys[MAX_PLACE_KEYS]
        self.check(start, end)
        with nogil:
            if self.walk.begin(start, <Py_ssize_t> self.labels.size()):
                while self.walk.next_place() and self.walk.at < end:
                    count_keys(&self.cutoff, keys, fill_place(self.walk, keys))
                    self.walk.take(self.labels[self.walk.at])

    def train(self, Py_ssize_t start, Py_ssize_t end):
        """Learn from the text from here to there; here, a sentence begins."""
        self.check(start, end)
        with nogil:
            if self.walk.begin(start, <Py_ssize_t> self.labels.size()):
                while self.walk.next_place() and self.walk.at < end:
                    self.walk.take(self.learn_place(self.labels[self.walk.at]))

    cdef int check(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if not 0 <= start <= end <= <Py_ssize_t> self.labels.size():
            raise IndexError(f"{start} to {end}, but there are {self.labels.size()} characters")
        return 0

    cdef int learn_place(self, int gold) except -1 nogil:
        """Predict the label of a place and update; returns the prediction."""
        cdef uint64_t keys[MAX_PLACE_KEYS]
        cdef float scores[BLOCK]
        cdef int label, n = fill_place(self.walk, keys), rival = NONE
        for label in range(BLOCK):
            scores[label] = 0
        self.weights.score(keys, n, scores)
        for label in range(N_LABELS):
            if label == SAME and gold != SAME and not self.walk.may_join():
                continue
            if label != gold and (rival == NONE or scores[label] > scores[rival]):
                rival = label
        return self.learn(keys, n, scores, gold, rival)


def count_pairs(CodePoints text not None, const uint8_t[::1] labels, Lexicon lexicon=None):
    """How often each label was seen between two kinds of characters, for `certain_pairs`."""
    cdef vector[long] counts
    cdef Walk walk = Walk(text, bytes([ASK]) * N_PAIRS, lexicon=lexicon)
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


def count_patterns(CodePoints text not None, const uint8_t[::1] labels):
    """For each pattern, by its number: how many are one token, or part of one; and how many not."""
    cdef Py_ssize_t n = labels.shape[0], i = 0, k
    cdef bint is_parted
    cdef Stretch found
    counts = [[0, 0] for _ in range(N_PATTERNS)]
    if n != len(text):
        raise ValueError(f"{n} labels for {len(text)} characters")
    while i < n:
        if labels[i] != SAME:
            found = recognised(text.low.data(), text.kind.data(), i, n,
                               i == 0 or is_space(text.kind[i - 1]))
            if found.pattern:
                is_parted = False
                for k in range(i + 1, found.end):
                    is_parted = is_parted or labels[k] != SAME
                counts[found.pattern][is_parted] += 1
                i = found.end
                continue
        i += 1
    return counts
