"""Tagging with packed weights: greedy, from left to right, or with a beam."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport N_RESERVED, WordsC
from dodona.core.tagging.tag_beam cimport TagBeam
from dodona.core.tagging.tag_beam import PackedTagScorer
from dodona.core.tagging.tag_task cimport TagTask
from dodona.core.weights.linear cimport BLOCK
from dodona.core.weights.packed cimport PackedWeights

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


cdef class Tagging:
    """Fills in the column of a task; a width of 1 is greedy search. Threads may share it."""
    cdef readonly TagTask task
    cdef readonly PackedWeights weights
    cdef readonly int width

    def __init__(self, TagTask task, PackedWeights weights, int width=1):
        if weights.n_classes != task.n_classes:
            raise ValueError(
                f"weights for {weights.n_classes} classes, but there are {task.n_classes}")
        TagBeam(task, PackedTagScorer(weights), width)      # or say that it is too wide
        self.task, self.weights, self.width = task, weights, width

    def tag(self, Corpus corpus, const unsigned char[::1] kept=None):
        """Tag all sentences of the corpus but those that are `kept`: not 0 there."""
        cdef vector[uint64_t] keys
        cdef vector[int16_t] scores
        cdef TagBeam beam = TagBeam(self.task, PackedTagScorer(self.weights), self.width)
        cdef WordsC words
        cdef int32_t* own
        cdef int i
        if corpus.n_columns != self.task.n_columns:
            raise ValueError(
                f"{corpus.n_columns} columns, but the task looks at {self.task.n_columns}")
        if kept is not None and kept.shape[0] != len(corpus):
            raise ValueError(f"{kept.shape[0]} marks for {len(corpus)} sentences")
        keys.resize(self.task.features.n_templates)
        scores.resize(self.task.n_padded)
        with nogil:
            for i in range(<int> corpus.n_words.size()):
                if kept is not None and kept[i]:
                    continue
                words, own = corpus.words(i), self.task.own(corpus, i)
                if self.width == 1:
                    self.tag_greedily(&words, own, keys.data(), scores.data())
                else:
                    self.tag_with_beam(&words, own, beam)

    cdef int tag_greedily(self, const WordsC* words, int32_t* own, uint64_t* keys,
                          int16_t* scores) except -1 nogil:
        cdef int i, best, n_static = self.task.features.n_static
        for i in range(1, words.n_words + 1):
            best = self.task.certain(words, i)
            if best == NONE:
                self.task.features.fill_static(words, i, keys)
                self.task.features.fill_history(words, i, keys + n_static)
                memcpy(scores, self.task.blank.data(), self.task.n_padded * sizeof(int16_t))
                self.weights.score(keys, self.task.features.n_templates, scores)
                best = dodona_best(scores, self.task.n_padded // BLOCK)
                if best >= self.task.n_classes:   # weights out of bounds: all below the padding
                    best = 0
            own[i] = best + N_RESERVED

    cdef int tag_with_beam(self, const WordsC* words, int32_t* own,
                           TagBeam beam) except -1 nogil:
        cdef int i
        beam.start(words.n_words, own)
        for i in range(1, words.n_words + 1):
            beam.extend(words, i, NONE)
        beam.write_best(words.n_words, own, N_RESERVED)
