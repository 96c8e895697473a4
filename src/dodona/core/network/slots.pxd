"""The nodes and the small numbers of a state that a network looks at."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.features.slots cimport Slot
from dodona.core.transitions.state cimport StateC

cdef struct AtomC:
    int32_t what              # see `slots.pyx`
    int32_t left              # its slot, or its two
    int32_t right


cdef class Slots:
    cdef readonly str text
    cdef readonly bint for_graphs       # whether it asks for what only states of graphs have
    cdef readonly int n_slots           # whose words are seen
    cdef readonly int n_atoms
    cdef vector[Slot] paths             # slots, and what leads to them
    cdef vector[int32_t] seen           # the path of each slot
    cdef vector[AtomC] atoms

    cdef void look(self, const StateC* state, int32_t* nodes, int32_t* values) noexcept nogil
