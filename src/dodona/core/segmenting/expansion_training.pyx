"""Online training of which rule a token has: a perceptron over the rules that it meets."""
from libc.stdint cimport uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport CodePoints
from dodona.core.segmenting.expansion cimport MAX_TOKEN_KEYS, ONE_WORD, RuleIndex, fill_token
from dodona.core.segmenting.places cimport BEGINS_SENTENCE, N_PAIRS, Token, Walk, hashed_on
from dodona.core.weights.linear cimport Weights, padded


cdef class ExpansionTrainer:
    """Trains on the tokens of a text, (start, end, whether a sentence begins); gold has rules."""
    cdef readonly RuleIndex index
    cdef readonly Weights weights
    cdef readonly double time           # tokens learned from so far
    cdef readonly long n_updates
    cdef Walk walk
    cdef float margin
    cdef int cutoff
    cdef unordered_map[uint64_t, int] counts    # of the features of the tokens that meet a rule
    cdef vector[int] gold
    cdef vector[float] scores

    def __init__(self, CodePoints text, tokens, RuleIndex index, gold, *, float margin,
                 int cutoff=1):
        cdef Py_ssize_t start, end, k
        cdef uint64_t hash
        self.index, self.weights = index, Weights(index.n_rules + 1)
        self.walk, self.margin, self.time = Walk(text, bytes(N_PAIRS)), margin, 1
        self.cutoff = cutoff
        for start, end, begins in tokens:
            if not 0 <= start < end <= len(text):
                raise ValueError(f"a token from {start} to {end} of {len(text)} characters")
            hash = 0
            for k in range(start, end):
                hash = hashed_on(hash, self.walk.low[k])
            self.walk.tokens.push_back(Token(start, end, hash, BEGINS_SENTENCE if begins else 0))
        if self.walk.tokens.size() and not self.walk.tokens[0].flags & BEGINS_SENTENCE:
            raise ValueError("the first token begins no sentence")
        self.gold = gold
        if self.gold.size() != self.walk.tokens.size():
            raise ValueError(f"{self.gold.size()} rules for {self.walk.tokens.size()} tokens")
        for i in self.met():
            self.count(i)

    def met(self):
        """The numbers of the tokens to learn from: those that meet a rule.

        Tokens that are certain are among them: they tell what to do with others that end alike.
        """
        cdef vector[int] found
        cdef size_t i
        numbers = []
        for i in range(self.walk.tokens.size()):
            self.index.candidates(self.walk, &self.walk.tokens[i], found)
            if found.size():
                numbers.append(i)
        return numbers

    def train(self, order):
        """Learn from the tokens of these numbers, in this order."""
        cdef vector[int] found
        cdef size_t i
        for i in order:
            if i >= self.walk.tokens.size():
                raise IndexError(f"no token {i}")
            self.index.candidates(self.walk, &self.walk.tokens[i], found)
            self.learn(i, found)

    def go_on(self, Weights weights not None, double time, long n_updates):
        """Take up a run that had come so far."""
        if weights.n_classes != self.weights.n_classes:
            raise ValueError(
                f"weights of {weights.n_classes} classes, not {self.weights.n_classes}")
        self.weights, self.time, self.n_updates = weights, time, n_updates

    cdef bint by_form(self, size_t i) noexcept nogil:
        return self.index.has_whole(self.walk.tokens[i].hash)

    cdef void count(self, size_t i) noexcept nogil:
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        cdef int n = fill_token(self.walk, i, self.by_form(i), keys), k
        for k in range(n):
            self.counts[keys[k]] += 1

    cdef int frequent(self, size_t i, uint64_t* keys) noexcept nogil:
        """Write the keys of a token that are seen often enough; returns how many.

        From what was seen once, such as the word behind this one "its", a perceptron would learn
        that case by heart, and nothing about words that it does not know.
        """
        cdef int n = fill_token(self.walk, i, self.by_form(i), keys), k, n_kept = 0
        for k in range(n):
            if self.counts[keys[k]] >= self.cutoff:
                keys[n_kept] = keys[k]
                n_kept += 1
        return n_kept

    cdef void learn(self, size_t i, const vector[int]& found) noexcept nogil:
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        cdef int n = self.frequent(i, keys), gold = self.gold[i], rival = -1
        cdef size_t k
        self.scores.assign(padded(self.weights.n_classes), 0)
        self.weights.score(keys, n, self.scores.data())
        if gold != ONE_WORD:
            rival = ONE_WORD
        for k in range(found.size()):
            if found[k] != gold and (rival < 0 or self.scores[found[k]] > self.scores[rival]):
                rival = found[k]
        self.time += 1
        if rival >= 0 and self.scores[gold] <= self.scores[rival] + self.margin:
            self.weights.update(keys, n, gold, rival, 1, self.time)
            self.n_updates += 1
