"""Online training of which rule a token has: a perceptron over the rules that it meets.

From a feature that was seen once, such as the word behind this one "its", it would learn that case
by heart, and nothing about words that it does not know: rare features are not learned.
"""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from dodona.core.base.hashing cimport hashed_on
from dodona.core.base.nodes cimport NONE
from dodona.core.segmenting.characters cimport CodePoints
from dodona.core.segmenting.expansion cimport MAX_TOKEN_KEYS, ONE_WORD, RuleIndex, fill_token
from dodona.core.segmenting.places cimport BEGINS_SENTENCE, N_PAIRS, Token, Walk
from dodona.core.weights.cutoff cimport count_keys, start_counting
from dodona.core.weights.linear cimport Weights, padded
from dodona.core.weights.margin cimport MarginPerceptron


cdef class ExpansionTrainer(MarginPerceptron):
    """Trains on the tokens of a text, (start, end, whether a sentence begins); gold has rules."""
    cdef readonly RuleIndex index
    cdef Walk walk
    cdef vector[int] gold
    cdef vector[float] scores

    def __init__(self, CodePoints text, tokens, RuleIndex index, gold, *, float margin,
                 int cutoff=1):
        cdef Py_ssize_t start, end, k
        cdef uint64_t hash
        self.index, self.weights = index, Weights(index.n_rules + 1)
        self.walk, self.margin = Walk(text, bytes(N_PAIRS)), margin
        for start, end, begins in tokens:
            if not 0 <= start < end <= len(text):
                raise ValueError(f"a token from {start} to {end} of {len(text)} characters")
            hash = 0
            for k in range(start, end):
                hash = hashed_on(hash, self.walk.low[k])
            self.walk.tokens.push_back(Token(start, end, hash, BEGINS_SENTENCE if begins else 0))
        if self.walk.tokens.size() and not self.walk.tokens[0].flags & BEGINS_SENTENCE:
            raise ValueError("the first token begins no sentence")
        for rule in gold:
            self.gold.push_back(rule)
        self.scores.resize(padded(self.weights.n_classes))
        if self.gold.size() != self.walk.tokens.size():
            raise ValueError(f"{self.gold.size()} rules for {self.walk.tokens.size()} tokens")
        start_counting(&self.cutoff, cutoff, exactly=True)
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
            self.learn_token(i, found)

    cdef int fill(self, size_t i, uint64_t* keys) noexcept nogil:
        return fill_token(self.walk, i, self.index.has_whole(self.walk.tokens[i].hash), keys)

    cdef int count(self, size_t i) except -1 nogil:
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        count_keys(&self.cutoff, keys, self.fill(i, keys))

    cdef int learn_token(self, size_t i, const vector[int]& found) except -1 nogil:
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        cdef int n = self.fill(i, keys), gold = self.gold[i], rival = NONE
        cdef size_t k
        self.scores.assign(self.scores.size(), 0)
        self.weights.score(keys, n, self.scores.data())
        if gold != ONE_WORD:
            rival = ONE_WORD
        for k in range(found.size()):
            if found[k] != gold and (rival == NONE or self.scores[found[k]] > self.scores[rival]):
                rival = found[k]
        self.learn(keys, n, self.scores.data(), gold, rival)
