"""Online training of token expansion: a perceptron over the rules that match a token.

Features below the cutoff are not learned: a word seen once beside "its" would memorise that
occurrence and not generalise to unknown words.
"""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from dodona.core.base.hashing cimport hashed_on
from dodona.core.base.nodes cimport NONE
from dodona.core.segmenting.characters cimport CodePoints
from dodona.core.segmenting.expansion cimport MAX_TOKEN_KEYS, ONE_WORD, RuleIndex, fill_token
from dodona.core.segmenting.lexicon_index cimport LexiconIndex
from dodona.core.segmenting.text_scanner cimport BEGINS_SENTENCE, N_PAIRS, TokenSpan, TextScanner
from dodona.core.weights.cutoff cimport count_keys, start_counting
from dodona.core.weights.linear cimport Weights, padded
from dodona.core.weights.margin cimport MarginPerceptron


cdef class ExpansionTrainer(MarginPerceptron):
    """Trainer on the tokens of a text (see `TextSplitter.tokens`) and their gold rules.

    An index that reads rests needs the lexicon.
    """
    cdef readonly RuleIndex index
    cdef TextScanner scanner
    cdef vector[int] gold
    cdef vector[float] scores

    def __init__(self, CodePoints text, tokens, RuleIndex index, gold, *, float margin,
                 int cutoff=1, LexiconIndex lexicon=None):
        cdef Py_ssize_t start, end, k
        cdef uint64_t hash
        if index.reads_rests and lexicon is None:
            raise ValueError("the rules read the rests of tokens, but there is no lexicon")
        self.index, self.weights = index, Weights(index.n_rules + 1)
        self.scanner, self.margin = TextScanner(text, bytes(N_PAIRS), lexicon=lexicon), margin
        for start, end, begins in tokens:
            if not 0 <= start < end <= len(text):
                raise ValueError(f"a token from {start} to {end} of {len(text)} characters")
            hash = 0
            for k in range(start, end):
                hash = hashed_on(hash, self.scanner.low[k])
            self.scanner.tokens.push_back(
                TokenSpan(start, end, hash, BEGINS_SENTENCE if begins else 0))
        if self.scanner.tokens.size() and not self.scanner.tokens[0].flags & BEGINS_SENTENCE:
            raise ValueError("the first token does not begin a sentence")
        for rule in gold:
            self.gold.push_back(rule)
        self.scores.resize(padded(self.weights.n_classes))
        if self.gold.size() != self.scanner.tokens.size():
            raise ValueError(f"{self.gold.size()} rules for {self.scanner.tokens.size()} tokens")
        start_counting(&self.cutoff, cutoff, exactly=True)
        for i in self.matching():
            self.count(i)

    def matching(self):
        """Return the indices of the tokens that match a rule, from which to learn.

        Tokens with a fixed rule are included: they inform about tokens with the same ending.
        """
        cdef vector[int] found
        cdef size_t i
        numbers = []
        for i in range(self.scanner.tokens.size()):
            self.index.candidates(self.scanner, &self.scanner.tokens[i], found)
            if found.size():
                numbers.append(i)
        return numbers

    def train(self, order):
        """Learn from the tokens with these indices, in this order."""
        cdef vector[int] found
        cdef size_t i
        for i in order:
            if i >= self.scanner.tokens.size():
                raise IndexError(f"no token {i}")
            self.index.candidates(self.scanner, &self.scanner.tokens[i], found)
            self.learn_token(i, found)

    cdef int count(self, size_t i) except -1 nogil:
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        cdef vector[int] found
        self.index.candidates(self.scanner, &self.scanner.tokens[i], found)
        count_keys(&self.cutoff, keys, fill_token(self.scanner, i, self.index, found, keys))

    cdef int learn_token(self, size_t i, const vector[int]& found) except -1 nogil:
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        cdef int n = fill_token(self.scanner, i, self.index, found, keys)
        cdef int gold = self.gold[i], rival = NONE
        cdef size_t k
        self.scores.assign(self.scores.size(), 0)
        self.weights.score(keys, n, self.scores.data())
        if gold != ONE_WORD:
            rival = ONE_WORD
        for k in range(found.size()):
            if found[k] != gold and (rival == NONE or self.scores[found[k]] > self.scores[rival]):
                rival = found[k]
        self.learn(keys, n, self.scores.data(), gold, rival)
