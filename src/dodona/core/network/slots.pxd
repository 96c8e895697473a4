"""The nodes and the atoms of a state that are the input of a network."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.features.slots cimport Slot
from dodona.core.transitions.state cimport StateC

cdef struct AtomC:
    int32_t what              # see `slots.pyx`
    int32_t left              # one slot, or two
    int32_t right


cdef class Slots:
    cdef readonly str text
    cdef readonly bint for_graphs       # uses features of graph states
    cdef readonly int n_slots           # with words as input
    cdef readonly int n_atoms
    cdef vector[Slot] paths             # slots, and those on the path to them
    cdef vector[int32_t] path_of        # the path of each slot
    cdef vector[AtomC] atoms

    cdef void read_state(self, const StateC* state, int32_t* nodes, int32_t* values) noexcept nogil
