"""Beam search over the tag sequences of a sentence, for tagging and for training.

The score of a tag depends on the two preceding tags, so of several hypotheses with the same last
two tags only the best is kept, as in Viterbi's algorithm.
"""
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.features.words cimport N_RESERVED
from dodona.core.weights.linear cimport padded


cdef class TagScorer:
    """Interface that adds the weights of features to the scores of classes."""

    cdef int score(self, const uint64_t* keys, int n_keys, float* scores) except -1 nogil:
        return 0


cdef class PackedTagScorer(TagScorer):
    """Scorer with packed weights, after training."""

    def __init__(self, PackedWeights weights):
        self.weights = weights
        self.sums.resize(padded(weights.n_classes))

    cdef int score(self, const uint64_t* keys, int n_keys, float* scores) except -1 nogil:
        cdef size_t c
        self.sums.assign(self.sums.size(), 0)
        self.weights.score(keys, n_keys, self.sums.data())
        for c in range(self.sums.size()):
            scores[c] += self.sums[c]


cdef class OnlineTagScorer(TagScorer):
    """Scorer with the weights of a running training."""

    def __init__(self, Weights weights):
        self.weights = weights

    cdef int score(self, const uint64_t* keys, int n_keys, float* scores) except -1 nogil:
        self.weights.score(keys, n_keys, scores)


cdef class TagBeam:
    """The beam of one thread, with at most `width` hypotheses for each word."""

    def __init__(self, TagTask task, TagScorer scorer, int width):
        if not 1 <= width <= MAX_WIDTH:
            raise ValueError(f"the beam width must be from 1 to {MAX_WIDTH}, not {width}")
        self.task, self.scorer, self.width = task, scorer, width
        self.keys.resize(task.features.n_templates)
        self.static_scores.resize(task.n_padded)
        self.scores.resize(task.n_padded)

    cdef int start(self, int n_words, int32_t* own) except -1 nogil:
        """Start a sentence; `own` is the task's column, into which histories are written."""
        self.own = own
        self.items.resize(<size_t> (n_words + 1) * self.width)
        self.n_items.clear()
        self.n_items.resize(n_words + 1)
        self.items[0] = TagHypothesis(0, NONE, NONE, True)
        self.n_items[0] = 1

    cdef int extend(self, const WordsC* words, int word, int gold) except -1 nogil:
        """Extend the hypotheses of the preceding word; `gold` is the gold class, or NONE."""
        cdef int rank, c, fixed = self.task.fixed_class(words, word)
        cdef float score
        cdef const TagHypothesis* before
        cdef const TagHypothesis* last = self.item(word, self.width - 1)
        if fixed == NONE:
            self.static_scores.assign(self.static_scores.size(), 0)
            self.task.features.fill_static(words, word, self.keys.data())
            self.scorer.score(self.keys.data(), self.task.features.n_static,
                              self.static_scores.data())
        for rank in range(self.n_items[word - 1]):
            before = self.item(word - 1, rank)
            if fixed != NONE:
                self.insert(word, TagHypothesis(before.score, fixed, rank, before.is_gold))
                continue
            self.put_history(word, rank)
            self.score_history(words, word)
            for c in range(self.task.n_classes):
                score = before.score + self.scores[c]
                if self.n_items[word] < self.width or score > last.score:
                    self.insert(word, TagHypothesis(score, c, rank, before.is_gold and c == gold))

    cdef int score_history(self, const WordsC* words, int word) except -1 nogil:
        """Score all classes, given the preceding tags in the task's column."""
        cdef int n_static = self.task.features.n_static
        memcpy(self.scores.data(), self.static_scores.data(), self.scores.size() * sizeof(float))
        self.task.features.fill_history(words, word, self.keys.data())
        self.scorer.score(self.keys.data(), self.task.features.n_templates - n_static,
                          self.scores.data())

    cdef void insert(self, int word, TagHypothesis item) noexcept nogil:
        """Insert a hypothesis by rank, unless a better one has the same last two tags."""
        cdef TagHypothesis* row = &self.items[<size_t> word * self.width]
        cdef int klass_before = self.item(word - 1, item.back).klass
        cdef int i, n = self.n_items[word]
        for i in range(n):
            if (row[i].klass == item.klass
                    and self.item(word - 1, row[i].back).klass == klass_before):
                if row[i].score >= item.score:
                    return
                n -= 1
                while i < n:
                    row[i] = row[i + 1]
                    i += 1
                break
        if n == self.width:
            n -= 1
        self.n_items[word] = n + 1
        while n > 0 and row[n - 1].score < item.score:
            row[n] = row[n - 1]
            n -= 1
        row[n] = item

    cdef const TagHypothesis* item(self, int word, int rank) noexcept nogil:
        return &self.items[<size_t> word * self.width + rank]

    cdef void put_history(self, int word, int rank) noexcept nogil:
        """Write the last two tags of a hypothesis of the preceding word into the task's column."""
        cdef const TagHypothesis* last = self.item(word - 1, rank)
        if word > 1:
            self.own[word - 1] = last.klass + N_RESERVED
        if word > 2:
            self.own[word - 2] = self.item(word - 2, last.back).klass + N_RESERVED

    cdef void write_best(self, int word, int32_t* tags, int32_t first_class) noexcept nogil:
        """Write the classes of a word's best hypothesis, plus `first_class`, to tags[1 … word]."""
        cdef int rank = 0
        while word > 0:
            tags[word] = self.item(word, rank).klass + first_class
            rank = self.item(word, rank).back
            word -= 1
