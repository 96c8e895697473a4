"""Online training of beam search with static and dynamic oracles."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.parsing.agenda cimport Agenda, Barriers, Candidate, Step
from dodona.core.parsing.greedy_training cimport GreedyTrainer
from dodona.core.transitions.state cimport StateC

cdef enum Update:
    EARLY, MAX_VIOLATION, FULL

cdef enum Restart:
    NEVER, GOOD, BAD

cdef struct Reference:            # the positive example: a derivation, and the state it leads to
    double score
    int32_t last
    bint is_lost                  # none of the beam is correct: it goes on by itself
    bint is_final


cdef class BeamTrainer(GreedyTrainer):
    cdef Agenda agenda
    cdef Update kind
    cdef Restart restart
    cdef bint is_dynamic
    cdef StateC origin                  # the configuration that decoding starts from
    cdef StateC replayed
    cdef vector[uint64_t] origin_block
    cdef vector[uint64_t] replayed_block
    cdef vector[float] rows             # scores per hypothesis
    cdef Candidate best_correct         # of all candidates, whether they survive or not
    cdef Reference reference
    cdef int reference_class            # the static oracle's action
    cdef double violation               # the largest so far
    cdef int32_t good                   # last steps of the two derivations to learn from
    cdef int32_t bad
    cdef vector[Step] path
    cdef vector[Step] other_path

    cdef void begin_sentence(self, int sentence) noexcept nogil
    cdef void go_on_from(self, Agenda agenda, int last) noexcept nogil
    cdef bint decode(self, Agenda agenda, const WordsC* words) noexcept nogil
    cdef void expand(self, Agenda agenda, const WordsC* words) noexcept nogil
    cdef void score_hypothesis(self, Agenda agenda, int hypothesis,
                               const WordsC* words) noexcept nogil
    cdef void offer_all(self, Agenda agenda, int hypothesis) noexcept nogil
    cdef void propose(self, double score, int parent, int klass) noexcept nogil
    cdef bint is_free(self, int klass) noexcept nogil
    cdef int best_free(self) noexcept nogil
    cdef void find_reference(self, Agenda agenda) noexcept nogil
    cdef void continue_reference(self, Agenda agenda, const WordsC* words) noexcept nogil
    cdef void learn_difference(self, Agenda agenda, const WordsC* words) noexcept nogil
    cdef void reinforce(self, const vector[Step]& path, int start, double amount,
                        const WordsC* words) noexcept nogil
    cdef void find_path(self, Agenda agenda, int last, vector[Step]& path) noexcept nogil
    cdef void replay(self, Agenda agenda, int last) noexcept nogil
    cdef void take_step(self, StateC* state, const Step* step) noexcept nogil
