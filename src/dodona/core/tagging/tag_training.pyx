"""Online training of a tagging task: a perceptron for greedy search, or a structured one.

Greedy: the history consists of the tagger's own predictions; weights are updated unless the gold
class wins by a margin (on en_ewt 0.1 points of XPOS better than updates on errors alone).
Structured: the update is at the word where the best wrong hypothesis exceeds the gold tags most
(max-violation, Huang, Fayong & Guo 2012); there is none if it never does.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport N_RESERVED, WordsC
from dodona.core.tagging.tag_beam cimport TagBeam
from dodona.core.tagging.tag_beam import OnlineTagScorer
from dodona.core.tagging.tag_features cimport REACH
from dodona.core.tagging.tag_task cimport TagTask
from dodona.core.weights.cutoff cimport count_keys, keep_frequent, start_counting
from dodona.core.weights.linear cimport Weights
from dodona.core.weights.margin cimport MarginPerceptron


cdef class TagTrainer(MarginPerceptron):
    """Trainer of a task's weights, sentence by sentence; `gold` has the class of every word.

    Predictions stay in the corpus for later tasks. Features that occur less often than `cutoff`
    with gold tags are not learned: half of them on en_ewt, without loss. With a cutoff of 1 all are
    learned, also those that occur only after a wrong tag.
    """
    cdef readonly Corpus corpus
    cdef readonly TagTask task
    cdef int width
    cdef TagBeam beam
    cdef vector[int32_t] gold
    cdef vector[int32_t] wanted         # per node: gold tags, but fixed classes where there are
    cdef vector[int32_t] guessed
    cdef vector[uint64_t] keys
    cdef vector[float] scores
    cdef int32_t* own                   # the task's column of the current sentence

    def __init__(self, Corpus corpus, TagTask task, Weights weights, const uint32_t[::1] gold, *,
                 int width=1, float margin=0, int cutoff=1):
        if corpus.n_columns != task.n_columns or gold.shape[0] != corpus.n_words_total:
            raise ValueError("the corpus does not fit the task's columns or the gold words")
        self.corpus, self.task, self.weights = corpus, task, weights
        self.width, self.margin = width, margin
        self.beam = TagBeam(task, OnlineTagScorer(weights), width)
        self.keys.resize(task.features.n_templates)
        self.scores.resize(task.n_padded)
        for klass in gold:
            if klass >= <uint32_t> task.n_all_classes:
                raise ValueError(f"class {klass}, but there are {task.n_all_classes}")
            self.gold.push_back(klass)
        start_counting(&self.cutoff, cutoff if cutoff > 1 else 0)
        for sentence in range(len(corpus)):
            self.count(sentence)

    def train(self, order):
        """Learn from the sentences with these indices, in this order."""
        cdef int sentence
        for sentence in order:
            if not 0 <= sentence < <int> self.corpus.n_words.size():
                raise IndexError(f"there is no sentence {sentence}")
            with nogil:
                self.own = self.task.own(self.corpus, sentence)
                if self.width == 1:
                    self.train_greedily(sentence)
                else:
                    self.train_structured(sentence)

    def __getstate__(self):
        return self.time, self.n_updates

    def __setstate__(self, state):
        self.time, self.n_updates = state

    cdef int train_greedily(self, int sentence) except -1 nogil:
        cdef WordsC words = self.corpus.words(sentence)
        cdef const int32_t* gold = self.gold.data() + self.corpus.first_word[sentence] - 1
        cdef int i, predicted
        for i in range(1, words.n_words + 1):
            predicted = self.task.fixed_class(&words, i)
            if predicted == NONE:
                predicted = self.learn_word(&words, i, gold[i])
            self.own[i] = predicted + N_RESERVED

    cdef int learn_word(self, const WordsC* words, int word, int gold) except -1 nogil:
        """Predict the class of a word, update the weights, return the prediction.

        Classes that only words with fixed classes have are not learned.
        """
        cdef int c, rival = NONE, n_keys = self.task.features.n_templates
        self.task.features.fill(words, word, 0, n_keys, self.keys.data())
        self.scores.assign(self.scores.size(), 0)
        self.weights.score(self.keys.data(), n_keys, self.scores.data())
        for c in range(self.task.n_classes):
            if c != gold and (rival == NONE or self.scores[c] > self.scores[rival]):
                rival = c
        if gold >= self.task.n_classes:
            self.time += 1
            return rival
        return self.learn(self.keys.data(), n_keys, self.scores.data(), gold, rival)

    cdef int count(self, int sentence) except -1 nogil:
        """Count the features of a sentence, given gold tags."""
        cdef WordsC words = self.corpus.words(sentence)
        cdef const int32_t* gold = self.gold.data() + self.corpus.first_word[sentence] - 1
        cdef int32_t* own = self.task.own(self.corpus, sentence)
        cdef int i
        for i in range(1, words.n_words + 1):
            own[i] = gold[i] + N_RESERVED
            if self.task.fixed_class(&words, i) == NONE:
                self.task.features.fill(&words, i, 0, self.task.features.n_templates,
                                        self.keys.data())
                count_keys(&self.cutoff, self.keys.data(), self.task.features.n_templates)

    cdef int train_structured(self, int sentence) except -1 nogil:
        cdef WordsC words = self.corpus.words(sentence)
        cdef const int32_t* gold = self.gold.data() + self.corpus.first_word[sentence] - 1
        cdef int i, fixed, worst = 0
        cdef float violation, most = 0, gold_score = 0
        self.wanted.resize(words.n_words + 1)
        self.beam.start(words.n_words, self.own)
        for i in range(1, words.n_words + 1):
            fixed = self.task.fixed_class(&words, i)
            self.wanted[i] = gold[i] if fixed == NONE else fixed
            self.beam.extend(&words, i, self.wanted[i])
            if fixed == NONE:
                self.put_history(i, self.wanted)
                self.beam.score_history(&words, i)
                gold_score += self.beam.scores[gold[i]]
            violation = self.beam.item(i, 0).score - gold_score
            if not self.beam.item(i, 0).is_gold and violation >= most:
                most, worst = violation, i
        if worst:
            self.guessed.resize(worst + 1)
            self.beam.write_best(worst, self.guessed.data(), 0)
            for i in range(1, worst + 1):
                self.move_towards(&words, i)
            self.n_updates += 1
        self.beam.write_best(words.n_words, self.own, N_RESERVED)
        self.time += words.n_words

    cdef void put_history(self, int word, const vector[int32_t]& tags) noexcept nogil:
        cdef int i
        for i in range(max(word - REACH, 1), word):
            self.own[i] = tags[i] + N_RESERVED

    cdef int move_towards(self, const WordsC* words, int word) except -1 nogil:
        """Raise the wanted tag with the wanted history, lower the guessed tag with its own."""
        cdef int n_static = self.task.features.n_static
        cdef int n_history = self.task.features.n_templates - n_static
        cdef int i
        cdef bint differs = False
        for i in range(max(word - REACH, 1), word + 1):
            differs = differs or self.wanted[i] != self.guessed[i]
        if not differs or self.task.fixed_class(words, word) != NONE:
            return 0
        if self.wanted[word] != self.guessed[word]:
            self.task.features.fill_static(words, word, self.keys.data())
            self.add(n_static, self.wanted[word], 1)
            self.task.features.fill_static(words, word, self.keys.data())
            self.add(n_static, self.guessed[word], -1)
        self.put_history(word, self.wanted)
        self.task.features.fill_history(words, word, self.keys.data())
        self.add(n_history, self.wanted[word], 1)
        self.put_history(word, self.guessed)
        self.task.features.fill_history(words, word, self.keys.data())
        self.add(n_history, self.guessed[word], -1)

    cdef int add(self, int n_keys, int klass, double amount) except -1 nogil:
        n_keys = keep_frequent(&self.cutoff, self.keys.data(), n_keys)
        self.weights.add(self.keys.data(), n_keys, klass, amount, self.time)
