"""Base classes of graph systems and their states, with several heads per word."""
from dodona.core.transitions.gold cimport GoldC, LinkC
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport MoveCost, State, System


cdef class GraphState(State):
    pass


cdef class GraphSystem(System):
    cdef readonly bint acyclic

    cdef bint can_link(self, const StateC* state, int head, int dependent) except -1 nogil
    cdef void arc_cost(self, const GoldC* gold, int head, int dependent,
                       MoveCost* cost) noexcept nogil
