"""The hypotheses of a beam: their states, their features, and how actions extend them."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.features cimport N_SECTIONS, Features
from dodona.core.features.words cimport WordsC
from dodona.core.search.actions cimport Actions
from dodona.core.transitions.state cimport StateC

cdef enum:
    WIDEST = 1000

ctypedef const int16_t* Mask

cdef struct Step:                 # one action of a derivation, a list linked backwards
    int32_t before                # the previous step; NONE for the first
    int32_t klass
    int32_t note                  # what the system noted about the scores before the action

cdef struct Hypothesis:
    double score                  # the sum over its actions
    int32_t slot                  # index of its state
    int32_t last                  # its last step; NONE before the first
    int32_t note                  # of its next step
    uint64_t arcs                 # a hash of its arcs
    bint is_final
    bint is_correct               # in training: the best tree reachable at the start still is

cdef struct Candidate:
    double score
    int32_t parent                # a hypothesis …
    int32_t klass                 # … and its next action; NONE: it is final and stays
    bint is_correct


cdef class Agenda:
    cdef readonly int width
    cdef bint keeps_correct             # a correct hypothesis is not merged into a better one
    cdef int n_open                     # hypotheses that are not final
    cdef double floor                   # a score that every survivor will exceed
    cdef vector[Hypothesis] hypotheses  # best first
    cdef vector[Hypothesis] parents     # those of the previous step
    cdef vector[Candidate] candidates   # best first, at most `width`
    cdef vector[Step] steps             # of all derivations since `begin`
    cdef vector[StateC] states          # one per slot
    cdef vector[uint64_t] block         # memory behind the states
    cdef vector[uint64_t] signatures    # per hypothesis, as everything down to `duplicate_of`
    cdef vector[int32_t] n_keys
    cdef vector[uint64_t] keys          # n_templates of them
    cdef vector[int] ends               # of the sections of its keys, N_SECTIONS of them
    cdef vector[Mask] masks
    cdef vector[int32_t] duplicate_of   # an earlier hypothesis with the same signature, or NONE
    cdef vector[int32_t] slots          # scratch for `share_states`
    cdef int n_templates

    cdef int reserve(self, int n_words, int n_templates) except -1 nogil
    cdef int begin(self, const StateC* start, bint is_correct) except -1 nogil
    cdef int length(self, int hypothesis) noexcept nogil
    cdef int find_path(self, int last, vector[Step]& path) except -1 nogil
    cdef StateC* state(self, int hypothesis) noexcept nogil
    cdef int describe(self, int hypothesis, Features features, Actions actions,
                      const WordsC* words) except -1 nogil
    cdef int find_duplicate(self, int hypothesis) noexcept nogil
    cdef int offer(self, double score, int parent, int klass, bint is_correct) except -1 nogil
    cdef int advance(self, Actions actions) except -1 nogil
    cdef int share_states(self) except -1 nogil
    cdef int extend(self, Hypothesis* hypothesis, int klass, Actions actions) except -1 nogil
    cdef int merge(self) except -1 nogil
    cdef int correct(self) noexcept nogil

    cdef inline double threshold(self) noexcept nogil:
        """Return the score that a candidate must exceed."""
        return self.floor if <int> self.candidates.size() < self.width else (
            self.candidates.back().score)

    cdef inline int original(self, int hypothesis) noexcept nogil:
        """Return the hypothesis that holds the keys of this one: itself, or what it duplicates."""
        return hypothesis if self.duplicate_of[hypothesis] == NONE else (
            self.duplicate_of[hypothesis])
