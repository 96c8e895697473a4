"""Online training of boundary labels: a perceptron whose history is its own predictions.

The gold label of a boundary does not depend on earlier predictions, so the scanner follows the
model's labels and learns at every boundary whose gold label does not win by a margin.
"""
from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.segmenting.characters cimport CodePoints, is_space
from dodona.core.segmenting.lexicon_index cimport LexiconIndex
from dodona.core.segmenting.patterns cimport N_PATTERNS, PatternMatch, recognised
from dodona.core.segmenting.boundary_features cimport MAX_BOUNDARY_KEYS, fill_boundary
from dodona.core.segmenting.text_scanner cimport ASK, N_LABELS, N_PAIRS, SAME, TOKEN, TextScanner
from dodona.core.weights.cutoff cimport count_keys, start_counting
from dodona.core.weights.linear cimport BLOCK, Weights
from dodona.core.weights.margin cimport MarginPerceptron


cdef class BoundaryTrainer(MarginPerceptron):
    """Trainer on a text; labels[i] is the gold label of the boundary before character i."""
    cdef TextScanner scanner
    cdef vector[uint8_t] labels

    def __init__(self, CodePoints text, bytes pair_table, const uint8_t[::1] labels, *,
                 float margin, int cutoff, LexiconIndex lexicon=None):
        if labels.shape[0] != len(text):
            raise ValueError(f"{labels.shape[0]} labels for {len(text)} characters")
        self.weights = Weights(N_LABELS)
        self.scanner = TextScanner(text, pair_table, lexicon=lexicon)
        self.margin = margin
        start_counting(&self.cutoff, cutoff)
        for label in labels:
            if label >= N_LABELS:
                raise ValueError(f"label {label}, but there are {N_LABELS}")
            self.labels.push_back(label)

    def count(self, Py_ssize_t start, Py_ssize_t end):
        """Count the features from start to end, along gold labels; call it before training."""
        cdef uint64_t keys[MAX_BOUNDARY_KEYS]
        self.check(start, end)
        with nogil:
            if self.scanner.begin(start, <Py_ssize_t> self.labels.size()):
                while self.scanner.next_boundary() and self.scanner.at < end:
                    count_keys(&self.cutoff, keys, fill_boundary(self.scanner, keys))
                    self.scanner.take(self.labels[self.scanner.at])

    def train(self, Py_ssize_t start, Py_ssize_t end):
        """Learn from start to end; a sentence must begin at `start`."""
        self.check(start, end)
        with nogil:
            if self.scanner.begin(start, <Py_ssize_t> self.labels.size()):
                while self.scanner.next_boundary() and self.scanner.at < end:
                    self.scanner.take(self.learn_boundary(self.labels[self.scanner.at]))

    cdef int check(self, Py_ssize_t start, Py_ssize_t end) except -1:
        if not 0 <= start <= end <= <Py_ssize_t> self.labels.size():
            raise IndexError(f"characters {start} to {end} of {self.labels.size()}")
        return 0

    cdef int learn_boundary(self, int gold) except -1 nogil:
        """Predict the label of the current boundary, update the weights, return the prediction."""
        cdef uint64_t keys[MAX_BOUNDARY_KEYS]
        cdef float scores[BLOCK]
        cdef int label, n = fill_boundary(self.scanner, keys), rival = NONE
        for label in range(BLOCK):
            scores[label] = 0
        self.weights.score(keys, n, scores)
        for label in range(N_LABELS):
            if label == SAME and gold != SAME and not self.scanner.may_join():
                continue
            if label != gold and (rival == NONE or scores[label] > scores[rival]):
                rival = label
        return self.learn(keys, n, scores, gold, rival)


def count_pairs(CodePoints text not None, const uint8_t[::1] labels, LexiconIndex lexicon=None):
    """Count the labels between each two kinds of characters, for `make_pair_table`."""
    cdef vector[long] counts
    cdef TextScanner scanner = TextScanner(text, bytes([ASK]) * N_PAIRS, lexicon=lexicon)
    cdef Py_ssize_t n = labels.shape[0]
    cdef uint8_t label
    if n != len(text):
        raise ValueError(f"{n} labels for {len(text)} characters")
    counts.resize(<size_t> N_PAIRS * N_LABELS)
    if scanner.begin(0, n):
        while scanner.next_boundary():
            label = labels[scanner.at]
            if label < N_LABELS:
                counts[scanner.pair() * N_LABELS + label] += 1
            scanner.take(label if label < N_LABELS else TOKEN)
    return list(counts)


def count_patterns(CodePoints text not None, const uint8_t[::1] labels):
    """Return for each pattern id how many matches lie in one token, and how many are split."""
    cdef Py_ssize_t n = labels.shape[0], i = 0, k
    cdef bint is_split
    cdef PatternMatch found
    counts = [[0, 0] for _ in range(N_PATTERNS)]
    if n != len(text):
        raise ValueError(f"{n} labels for {len(text)} characters")
    while i < n:
        if labels[i] != SAME:
            found = recognised(text.low.data(), text.kind.data(), i, n,
                               i == 0 or is_space(text.kind[i - 1]))
            if found.pattern:
                is_split = False
                for k in range(i + 1, found.end):
                    is_split = is_split or labels[k] != SAME
                counts[found.pattern][is_split] += 1
                i = found.end
                continue
        i += 1
    return counts
