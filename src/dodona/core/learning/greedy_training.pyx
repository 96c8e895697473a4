"""Online training of the greedy parser (Goldberg & Nivre 2012, Algorithms 2 and 3).

`train` learns from sentences, `train_sentence` follows one derivation, and `learn` compares the
prediction in one state with the oracle and updates the weights where it is wrong.
"""
from libc.math cimport sqrt
from libc.string cimport memset

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport N_SECTIONS
from dodona.core.learning.oracle_guide cimport FORBIDDEN, STATIC
from dodona.core.search.actions cimport Actions
from dodona.core.transitions.system cimport MANY_REPAIRS
from dodona.core.weights.linear cimport MAX_KEYS
from dodona.core.weights.shuffle cimport shuffle_with

LEARNERS = ("perceptron", "pa")       # those that learn online
# Logarithms of the sizes of the score cache, which lasts until the next update: words in front, the
# top of the stack and, for graphs only, tags of both, and all words.
LOG_LEARNED = 4, 6, 4, 4


cdef class GreedyTrainer(OracleGuide):
    """Trains weights on a corpus, sentence by sentence.

    `aggressiveness` bounds a passive-aggressive update (C in Crammer et al. 2006).
    """

    def __init__(self, Corpus corpus, Features features, Actions actions, Weights weights, *,
                 str mode="explore", str learner="perceptron", double explore_rate=0.9,
                 double aggressiveness=0.1, uint64_t seed=1):
        if features.n_templates > MAX_KEYS:
            raise ValueError(f"{features.n_templates} templates; at most {MAX_KEYS} are possible")
        if corpus.n_columns != len(features.columns):
            raise ValueError(f"{corpus.n_columns} columns, but features look at {features.columns}")
        super().__init__(corpus, actions, mode=mode, explore_rate=explore_rate, seed=seed)
        features.check(self.system)
        self.features, self.weights = features, weights
        self.passive_aggressive = LEARNERS.index(learner) == 1
        self.aggressiveness, self.time = aggressiveness, 1
        self.keys.resize(features.n_templates)
        if not self.passive_aggressive:      # only sums of whole numbers are exact in any order
            self.cache = ScoreCache(actions.n_padded * sizeof(float),
                                    LOG_LEARNED if self.system.builds_graphs else LOG_LEARNED[:2])

    def train(self, order, bint exploring):
        """Learn from the sentences of these numbers, in this order."""
        cdef int sentence
        if self.cache is not None:
            self.cache.clear()               # weights may have changed since the last call
        for sentence in order:
            if not 0 <= sentence < <int> self.corpus.n_words.size():
                raise IndexError(f"no sentence {sentence}")
            with nogil:
                self.train_sentence(sentence, exploring)

    cdef int train_sentence(self, int sentence, bint exploring) except -1 nogil:
        """Learn in every state of a derivation that `choose_next` leads through."""
        cdef WordsC words = self.corpus.words(sentence)
        cdef int predicted
        self.begin(sentence)
        while not self.system.final(&self.state):
            predicted = self.learn(&words)
            if predicted == NONE:        # no valid class can be learned
                break
            self.take(self.choose_next(predicted, exploring))
        return 0

    cdef int learn(self, const WordsC* words) except -2 nogil:
        """Predict, compare with the oracle, update; return the prediction."""
        cdef int ends[N_SECTIONS]
        cdef int n_keys, predicted, target, rival
        cdef double amount = 1
        memset(self.scores.data(), 0, self.scores.size() * sizeof(float))
        if self.cache is None:
            n_keys = self.features.fill(&self.state, words, self.keys.data())
            self.weights.score(self.keys.data(), n_keys, self.scores.data())
        else:
            n_keys = self.features.fill_sections(&self.state, words, self.keys.data(), ends)
            self.weights.prefetch(self.keys.data(), n_keys)
            self.weights.score_cached(
                self.keys.data(), n_keys, ends, self.cache, self.scores.data())
        self.note_scores()
        self.set_costs()
        predicted = self.best(False)
        if predicted == NONE:
            return NONE
        self.target = target = self.static_class() if self.mode == STATIC else self.best(True)
        rival = predicted
        if self.passive_aggressive:
            rival = self.worst_violation()
            amount = self.pa_amount(target, rival, n_keys)
        if amount > 0 and (rival != target if self.mode == STATIC
                           else self.costs[rival] != self.cheapest):
            self.weights.update(self.keys.data(), n_keys, target, rival, amount, self.time)
            self.n_updates += 1
            if self.cache is not None:
                self.cache.clear()
        self.n_steps += 1
        self.time += 1
        return predicted

    # Cost-sensitive passive-aggressive updates, max-loss variant (Crammer et al. 2006, section 8):
    # the margin asked of a wrong action is the root of its cost.
    cdef double margin(self, int c) noexcept nogil:
        return sqrt(<double> (self.costs[c] - self.cheapest) / MANY_REPAIRS)

    cdef int worst_violation(self) noexcept nogil:
        """Return the class whose score plus margin is highest."""
        cdef int c, chosen = NONE
        for c in range(self.actions.n_classes):
            if self.costs[c] < FORBIDDEN and (chosen == NONE or (
                    self.scores[c] + self.margin(c) > self.scores[chosen] + self.margin(chosen))):
                chosen = c
        return chosen

    cdef double pa_amount(self, int target, int rival, int n_keys) noexcept nogil:
        """Return the PA-I step: just enough to restore the margin, but not more than C."""
        cdef double loss = self.scores[rival] - self.scores[target] + self.margin(rival)
        return min(self.aggressiveness, loss / (2.0 * max(n_keys, 1)))

    def shuffled(self, int n):
        """Return the numbers 0 … n - 1 in random order."""
        return shuffle_with(&self.random, n)

    def __getstate__(self):
        return self.random, self.time

    def __setstate__(self, state):
        self.random, self.time = state
