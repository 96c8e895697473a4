"""Walks through states as a network in training chooses them, written down for it to learn from."""
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from dodona.core.network.slots cimport Slots
from dodona.core.parsing.following cimport Follower
from dodona.core.transitions.gold cimport GoldC

cdef struct Step32:           # the network's last two layers, in float32
    int hidden
    const float* products     # per row of the batch, slot and unit: see `Walker`
    const float* atoms        # per atom, value and unit
    const float* bias         # per unit
    const float* weights      # per unit and class
    const float* class_bias


cdef class Walker(Follower):
    cdef readonly Slots slots
    cdef readonly long n_words          # of all sentences walked through …
    cdef readonly long n_attached       # … and those that got their heads there
    cdef readonly long n_labelled       # … with their labels
    cdef vector[int32_t] first_atom     # per atom: where its values begin among those of all
    cdef vector[float] units
    cdef vector[int32_t] nodes
    cdef vector[int32_t] values
    cdef vector[int32_t] rows           # written down: per state and slot
    cdef vector[int32_t] atom_rows      # per state and atom
    cdef vector[uint8_t] verdicts       # per state and class
    cdef readonly tuple others          # corpora with other trees of the same sentences
    cdef vector[GoldC] other_golds      # of the sentence at hand
    cdef vector[vector[int32_t]] other_blocks

    cdef int walk_sentence(self, int sentence, int32_t first_row, const Step32* step,
                           bint exploring) except -1 nogil
    cdef int see(self, int32_t first_row) except -1 nogil
    cdef void predict(self, const Step32* step) noexcept nogil
    cdef int judge(self) except -1 nogil
    cdef int set_others(self, int sentence) except -1
    cdef int judge_by_others(self) except -1 nogil
    cdef void tally(self) noexcept nogil
