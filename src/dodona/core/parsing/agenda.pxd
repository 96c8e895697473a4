"""The hypotheses of a beam: their states, their features, and how they grow by one action."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.features cimport N_PARTS, Features
from dodona.core.features.words cimport WordsC
from dodona.core.parsing.actions cimport Actions
from dodona.core.transitions.state cimport StateC

cdef enum:
    WIDEST = 1000

ctypedef const int16_t* Barriers

cdef struct Step:                 # one action of a derivation, which is told backwards
    int32_t before                # the step before it; NONE: it is the first
    int32_t klass
    int32_t note                  # what the system noted of the scores before it

cdef struct Hypothesis:
    double score                  # the sum over its actions
    int32_t slot                  # where its state is
    int32_t last                  # its last step; NONE: none has been taken
    int32_t note                  # … before its next one
    uint64_t arcs                 # a hash of its arcs
    bint is_final
    bint is_correct               # in training: the best tree in reach at the start still is

cdef struct Candidate:
    double score
    int32_t parent                # a hypothesis …
    int32_t klass                 # … and its next action; NONE: it is final and waits
    bint is_correct


cdef class Agenda:
    cdef readonly int width
    cdef bint keeps_correct             # a correct hypothesis is not merged into a better one
    cdef int n_open                     # hypotheses that are not final
    cdef double floor                   # a score that every candidate will exceed
    cdef vector[Hypothesis] hypotheses  # best first
    cdef vector[Hypothesis] parents     # those of the step before
    cdef vector[Candidate] candidates   # best first, `width` at most
    cdef vector[Step] steps             # of all derivations since `begin`
    cdef vector[StateC] states          # one per slot
    cdef vector[uint64_t] block         # behind the states
    cdef vector[uint64_t] looks         # hashes, per hypothesis, as all up to `near`
    cdef vector[int32_t] n_keys
    cdef vector[uint64_t] keys
    cdef vector[int] ends               # of the parts of its keys, N_PARTS of them
    cdef vector[Barriers] barriers
    cdef vector[int32_t] twin           # an earlier one that looks the same, or NONE
    cdef vector[int32_t] near           # its twin, or one that has nearly the same keys, or NONE
    cdef int n_changed                  # so many of the next two:
    cdef vector[uint64_t] added         # keys of the hypothesis compared last that its nearest …
    cdef vector[uint64_t] removed       # … does not have, and the other way round
    cdef vector[int32_t] slots          # those to give away
    cdef int n_templates

    cdef int reserve(self, int n_words, int n_templates) except -1 nogil
    cdef int begin(self, const StateC* start, bint is_correct) except -1 nogil
    cdef int length(self, int hypothesis) noexcept nogil
    cdef int find_path(self, int last, vector[Step]& path) except -1 nogil
    cdef StateC* state(self, int hypothesis) noexcept nogil
    cdef int describe(self, int hypothesis, Features features, Actions actions,
                      const WordsC* words) except -1 nogil
    cdef int compare(self, int hypothesis) except -1 nogil
    cdef int find_twin(self, int hypothesis) noexcept nogil
    cdef int find_near(self, int hypothesis) noexcept nogil
    cdef int offer(self, double score, int parent, int klass, bint is_correct) except -1 nogil
    cdef int advance(self, Actions actions) except -1 nogil
    cdef int share_states(self) except -1 nogil
    cdef int grow(self, Hypothesis* hypothesis, int klass, Actions actions) except -1 nogil
    cdef int merge(self) except -1 nogil
    cdef int correct(self) noexcept nogil


cdef inline double bar(Agenda agenda) noexcept nogil:
    """The score that a candidate must exceed."""
    if <int> agenda.candidates.size() < agenda.width:
        return agenda.floor
    return agenda.candidates.back().score


cdef inline int first_twin(Agenda agenda, int hypothesis) noexcept nogil:
    """The hypothesis that has the keys of this one: itself, or the first that looks the same."""
    return hypothesis if agenda.twin[hypothesis] == NONE else agenda.twin[hypothesis]
