"""Rollouts of a network in training: the states it meets, recorded for it to learn from."""
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from dodona.core.network.slots cimport Slots
from dodona.core.learning.oracle_guide cimport OracleGuide
from dodona.core.transitions.gold cimport GoldC

cdef struct Step32:           # the network's last two layers, in float32
    int hidden
    const float* products     # per row of the batch, slot and unit: see `roll_out`
    const float* atoms        # per atom, value and unit
    const float* bias         # per unit
    const float* weights      # per unit and class
    const float* class_bias


cdef class RolloutRecorder(OracleGuide):
    cdef readonly Slots slots
    cdef readonly long n_words          # of all sentences …
    cdef readonly long n_attached       # … those that got their gold heads …
    cdef readonly long n_labelled       # … and labels
    cdef vector[int32_t] first_atom     # per atom: where its values begin among those of all
    cdef vector[float] units
    cdef vector[int32_t] nodes
    cdef vector[int32_t] values
    cdef vector[int32_t] rows           # recorded: per state and slot
    cdef vector[int32_t] atom_rows      # per state and atom
    cdef vector[uint8_t] verdicts       # per state and class
    cdef readonly tuple others          # corpora with other trees of the same sentences
    cdef vector[GoldC] other_golds      # of the current sentence
    cdef vector[vector[int32_t]] other_blocks

    cdef int roll_out_sentence(self, int sentence, int32_t first_row, const Step32* step,
                               bint exploring) except -1 nogil
    cdef int record_state(self, int32_t first_row) except -1 nogil
    cdef void predict(self, const Step32* step) noexcept nogil
    cdef int record_verdicts(self) except -1 nogil
    cdef int set_others(self, int sentence) except -1
    cdef int add_other_verdicts(self) except -1 nogil
    cdef void tally(self) noexcept nogil
