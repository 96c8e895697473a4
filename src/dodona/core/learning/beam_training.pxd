"""Online training of beam search with static and dynamic oracles."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC
from dodona.core.search.agenda cimport Agenda, Candidate, Step
from dodona.core.learning.greedy_training cimport GreedyTrainer
from dodona.core.transitions.state cimport StateC

cdef enum Update:
    EARLY, MAX_VIOLATION, FULL

cdef enum Restart:
    NEVER, GOOD, BAD

cdef struct Reference:            # the derivation to be rewarded
    double score
    int32_t last                  # its last step
    bint is_lost                  # no hypothesis of the beam is correct: it continues by itself
    bint is_final


cdef class BeamTrainer(GreedyTrainer):
    cdef Agenda agenda
    cdef Update update
    cdef Update kind                    # for the current sentence
    cdef Restart restart
    cdef bint is_dynamic
    cdef StateC origin                  # the configuration that decoding starts from
    cdef StateC replayed
    cdef vector[uint64_t] origin_block
    cdef vector[uint64_t] replayed_block
    cdef vector[uint64_t] next_keys     # of the state after that of `keys`
    cdef vector[float] rows             # scores per hypothesis
    cdef Candidate best_correct         # of all candidates, before pruning
    cdef Reference reference
    cdef int reference_class            # the static oracle's action
    cdef double violation               # the largest so far
    cdef int32_t good                   # last steps of the derivations to reward …
    cdef int32_t bad                    # … and to punish
    cdef vector[Step] path
    cdef vector[Step] other_path

    cdef int begin_sentence(self, int sentence) except -1 nogil
    cdef int restart_from(self, Agenda agenda, int last) except -1 nogil
    cdef bint decode(self, Agenda agenda, const WordsC* words) except -1 nogil
    cdef int expand(self, Agenda agenda, const WordsC* words) except -1 nogil
    cdef int score_hypothesis(self, Agenda agenda, int hypothesis) except -1 nogil
    cdef int offer_all(self, Agenda agenda, int hypothesis) except -1 nogil
    cdef void propose(self, double score, int parent, int klass) noexcept nogil
    cdef bint is_free(self, int klass) noexcept nogil
    cdef int best_free(self) except -1 nogil
    cdef int find_reference(self, Agenda agenda) except -1 nogil
    cdef int continue_reference(self, Agenda agenda, const WordsC* words) except -1 nogil
    cdef int learn_difference(self, Agenda agenda, const WordsC* words) except -1 nogil
    cdef int reinforce(self, const vector[Step]& path, int start, double amount,
                       const WordsC* words) except -1 nogil
    cdef int replay(self, Agenda agenda, int last) except -1 nogil
    cdef int take_step(self, StateC* state, const Step* step) except -1 nogil
