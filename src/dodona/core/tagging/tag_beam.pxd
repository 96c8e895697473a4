"""Beam search over the tag sequences of a sentence."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.tagging.tag_task cimport TagTask
from dodona.core.weights.linear cimport Weights
from dodona.core.weights.packed cimport PackedWeights

cdef enum:
    MAX_WIDTH = 1000

cdef struct TagHypothesis:
    float score               # of all tags so far
    int32_t klass
    int32_t back              # rank of the hypothesis that it extends
    bint is_gold              # all tags so far are gold


cdef class TagScorer:
    cdef int score(self, const uint64_t* keys, int n_keys, float* scores) except -1 nogil


cdef class PackedTagScorer(TagScorer):
    cdef PackedWeights weights
    cdef vector[int16_t] sums


cdef class OnlineTagScorer(TagScorer):
    cdef Weights weights


cdef class TagBeam:
    cdef readonly TagTask task
    cdef TagScorer scorer
    cdef int width
    cdef int32_t* own                   # the task's column of the corpus for the sentence
    cdef vector[TagHypothesis] items    # `width` for each node, best first; node 0 is the start
    cdef vector[int32_t] n_items        # hypotheses of each node
    cdef vector[uint64_t] keys
    cdef vector[float] static_scores
    cdef vector[float] scores

    cdef int start(self, int n_words, int32_t* own) except -1 nogil
    cdef int extend(self, const WordsC* words, int word, int gold) except -1 nogil
    cdef int score_history(self, const WordsC* words, int word) except -1 nogil
    cdef void insert(self, int word, TagHypothesis item) noexcept nogil
    cdef const TagHypothesis* item(self, int word, int rank) noexcept nogil
    cdef void put_history(self, int word, int rank) noexcept nogil
    cdef void write_best(self, int word, int32_t* tags, int32_t first_class) noexcept nogil
