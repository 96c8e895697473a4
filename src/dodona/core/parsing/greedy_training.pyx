"""Online training of the greedy parser (Goldberg & Nivre 2012, Algorithms 2 and 3).

In each state that `Follower` leads to, the weights are updated if the prediction is not what should
have been learned.
"""
from collections import Counter

from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.string cimport memset

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport N_PARTS
from dodona.core.parsing.actions cimport Actions
from dodona.core.parsing.actions import missing_arcs
from dodona.core.parsing.following cimport FORBIDDEN, STATIC
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport StateC, lay_out, state_size
from dodona.core.transitions.system cimport MANY_REPAIRS, System
from dodona.core.weights.linear cimport MAX_KEYS
from dodona.core.weights.shuffle cimport shuffle_with

LEARNERS = ("perceptron", "pa")       # those that learn online
# of the memory for scores, which lasts until the next update: words in front, the top of the stack
# and, in graphs alone, tags of both, and all words
LOG_LEARNED = 4, 6, 4, 4


cdef class GreedyTrainer(Follower):
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
        if not self.passive_aggressive:      # only whole numbers sum up to the same in any order
            self.memo = Memo(actions.n_padded * sizeof(float),
                             LOG_LEARNED if self.system.builds_graphs else LOG_LEARNED[:2])

    def train(self, order, bint exploring):
        """Learn from the sentences of these numbers, in this order."""
        cdef int sentence
        if self.memo is not None:
            self.memo.forget()               # weights may have changed since the last call
        for sentence in order:
            if not 0 <= sentence < <int> self.corpus.n_words.size():
                raise IndexError(f"no sentence {sentence}")
            with nogil:
                self.train_sentence(sentence, exploring)

    def shuffled(self, int n):
        """The numbers 0 … n - 1 in random order."""
        return shuffle_with(&self.random, n)

    def __getstate__(self):
        return self.random, self.time

    def __setstate__(self, state):
        self.random, self.time = state

    cdef int train_sentence(self, int sentence, bint exploring) except -1 nogil:
        cdef WordsC words = self.corpus.words(sentence)
        cdef int predicted
        self.begin(sentence)
        while not self.system.final(&self.state):
            predicted = self.learn(&words)
            if predicted == NONE:        # nothing that is valid can be learned
                break
            self.take(self.follow(predicted, exploring))

    cdef int learn(self, const WordsC* words) except -2 nogil:
        """Predict, compare with the oracle, update; returns the prediction."""
        cdef int ends[N_PARTS]
        cdef int n_keys, predicted, target, rival
        cdef double amount = 1
        if self.memo is None:
            n_keys = self.features.fill(&self.state, words, self.keys.data())
        else:
            n_keys = self.features.fill_parts(&self.state, words, self.keys.data(), ends)
        self.weights.expect(self.keys.data(), n_keys)
        memset(self.scores.data(), 0, self.scores.size() * sizeof(float))
        if not self.system.takes_notes:      # costs first: weights are on their way meanwhile
            self.set_costs()
        self.score_expected(n_keys, ends)
        if self.system.takes_notes:
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
        if amount > 0 and not self.is_fine(rival, target):
            self.weights.update(self.keys.data(), n_keys, target, rival, amount, self.time)
            self.n_updates += 1
            if self.memo is not None:
                self.memo.forget()
        self.n_steps += 1
        self.time += 1
        return predicted

    cdef void score_expected(self, int n_keys, const int* ends) noexcept nogil:
        if self.memo is None:
            self.weights.score_expected(self.keys.data(), n_keys, self.scores.data())
        else:
            self.weights.score_parts(
                self.keys.data(), n_keys, ends, self.memo, self.scores.data())

    cdef bint is_fine(self, int rival, int target) noexcept nogil:
        return rival == target if self.mode == STATIC else self.costs[rival] == self.cheapest

    # Cost-sensitive passive-aggressive updates, max-loss variant (Crammer et al. 2006, section 8):
    # the margin asked of a wrong action is the root of its cost.
    cdef double margin(self, int c) noexcept nogil:
        return sqrt(<double> (self.costs[c] - self.cheapest) / MANY_REPAIRS)

    cdef int worst_violation(self) noexcept nogil:
        """The class whose score comes highest when its margin is added."""
        cdef int c, chosen = NONE
        for c in range(self.actions.n_classes):
            if self.costs[c] < FORBIDDEN and (chosen == NONE or (
                    self.scores[c] + self.margin(c) > self.scores[chosen] + self.margin(chosen))):
                chosen = c
        return chosen

    cdef double pa_amount(self, int target, int rival, int n_keys) noexcept nogil:
        """PA-I: just enough to restore the margin, but not more than C."""
        cdef double loss = self.scores[rival] - self.scores[target] + self.margin(rival)
        return min(self.aggressiveness, loss / (2.0 * max(n_keys, 1)))


cdef bint is_partial(const GoldC* gold) noexcept nogil:
    """Whether some head or label is not annotated."""
    cdef int word
    if gold.head == NULL:                # a graph: it leaves nothing open but labels
        return False
    for word in range(1, gold.n_words + 1):
        if gold.head[word] == NONE or gold.label[word] == NONE:
            return True
    return False


def seen_actions(System system, Corpus corpus, order):
    """The actions of the static oracle's derivations of these sentences, most frequent first.

    Frequent classes stand together, so that most rows of weights need only a few blocks. Where a
    tree is annotated in part, there is no derivation, and its arcs are counted instead. What was
    not seen, but without which longer sentences could not be parsed, is added.
    """
    cdef StateC state
    cdef GoldC gold
    cdef vector[uint64_t] state_block
    cdef vector[int32_t] gold_block
    cdef int sentence, n, move, label, word
    cdef bint under_root
    counts = {(move, NONE): [0, 0] for move, labelled in enumerate(system.labelled) if not labelled}
    for sentence in order:
        n = corpus.n_words[sentence]
        state_block.resize(state_size(n, system.max_arcs(n)) // sizeof(uint64_t))
        lay_out(&state, state_block.data(), n, system.max_arcs(n))
        corpus.set_gold(system, sentence, &gold, gold_block)
        system.start_state(&state)
        if is_partial(&gold):
            for word in range(1, n + 1):
                move = system.left_arc if gold.head[word] > word else system.right_arc
                under_root = gold.head[word] == state.root
                if gold.label[word] >= 0 and (gold.head[word] > 0 or under_root):
                    counts.setdefault((move, gold.label[word]), [0, 0])[under_root] += 1
            continue
        while not system.final(&state):
            move = system.static_move(&state, &gold)
            label = NONE
            if system.labelled[move]:
                label = system.gold_label(&state, &gold, move)
            if label != NONE or not system.labelled[move]:      # else: not gold, nothing to learn
                under_root = label != NONE and system.arc_head(&state, move) == state.root
                counts.setdefault((move, label), [0, 0])[under_root] += 1
            system.take(&state, move, label)
    if system.labels:
        for moves, under_root in missing_arcs(system, _pairs(counts)):
            label = _usual_label(system, counts, under_root)
            counts.setdefault((moves[0], label), [0, 0])[under_root] += 1
    return sorted(_pairs(counts), key=lambda pair: (-sum(counts[pair[:2]]), pair))


def _pairs(counts):
    return [(move, label, bool(under), bool(elsewhere))
            for (move, label), (elsewhere, under) in counts.items()]


def _usual_label(System system, counts, bint under_root):
    """The label of an arc that was never seen, but without which the parser may get stuck."""
    seen = Counter()
    for (_, label), numbers in counts.items():
        if label != NONE and numbers[under_root]:
            seen[label] += numbers[under_root]
    if under_root and system.root_label_id != NONE:
        return system.root_label_id
    return min(seen, key=lambda label: (-seen[label], label), default=0)
