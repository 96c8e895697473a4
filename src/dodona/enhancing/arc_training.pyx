"""Training of the weights that choose a class for every candidate arc."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.weights.cutoff cimport count_keys, start_counting
from dodona.core.weights.linear cimport MAX_KEYS, Weights, padded
from dodona.core.weights.margin cimport MarginPerceptron
from dodona.enhancing.path_table cimport PathTable
from dodona.enhancing.path_walker cimport Candidate, PathWalker
from dodona.treebank.sentence cimport Fields, Sentence, fields_of


cdef class ArcTrainer(MarginPerceptron):
    """Trainer of weights, sentence by sentence.

    `gold` has the class of every candidate of each sentence, in the order of
    `PathWalker.candidates`, or -1 where nothing is learned. Features that occur less often than
    `cutoff` are not learned.
    """
    cdef PathWalker walker
    cdef tuple sentences                # own what `fields` points to
    cdef vector[Fields] fields
    cdef vector[vector[int32_t]] gold
    cdef vector[float] scores
    cdef uint64_t keys[MAX_KEYS]

    def __init__(self, PathTable table not None, Weights weights not None, sentences, gold, *,
                 float margin, int cutoff):
        cdef Sentence sentence
        cdef size_t i
        if weights.n_classes != table.n_classes:
            raise ValueError(f"weights of {weights.n_classes} classes, not {table.n_classes}")
        self.walker, self.weights, self.margin = PathWalker(table), weights, margin
        self.sentences, self.gold = tuple(sentences), gold
        self.scores.resize(padded(table.n_classes))
        for sentence in self.sentences:
            self.fields.push_back(fields_of(sentence))
        start_counting(&self.cutoff, cutoff, exactly=True)
        for i in range(self.fields.size()):
            self._pass(i, False)

    def train(self, order):
        """Learn from the sentences with these indices, in this order."""
        for sentence in order:
            self._pass(sentence, True)

    cdef int _pass(self, size_t sentence, bint learns) except -1:
        """Learn from all candidates of a sentence, or count their features."""
        cdef const Candidate* arc
        cdef const vector[int32_t]* choices
        cdef size_t i, j
        cdef int gold, rival, n_keys
        if sentence >= self.fields.size():
            raise IndexError(f"there is no sentence {sentence}")
        self.walker.read(self.fields[sentence])
        self.walker.walk()
        if self.walker.found.size() != self.gold[sentence].size():
            raise ValueError(f"sentence {sentence} has {self.walker.found.size()} candidates, "
                             f"not {self.gold[sentence].size()}")
        for i in range(self.walker.found.size()):
            arc, gold = &self.walker.found[i], self.gold[sentence][i]
            choices = &self.walker.table.choices[arc.pattern]
            if gold == NONE or choices.size() == 1:
                continue
            n_keys = self.walker.fill_keys(arc[0], self.keys)
            if not learns:
                count_keys(&self.cutoff, self.keys, n_keys)
                continue
            self.scores.assign(self.scores.size(), 0)
            self.weights.score(self.keys, n_keys, self.scores.data())
            rival = NONE
            for j in range(choices.size()):
                if choices[0][j] != gold and (
                        rival == NONE or self.scores[choices[0][j]] > self.scores[rival]):
                    rival = choices[0][j]
            self.learn(self.keys, n_keys, self.scores.data(), gold, rival)
        return 0
