from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport MoveCost, System


cdef int search_costs(System system, const StateC* state, const GoldC* gold,
                      MoveCost* costs) except -1 nogil
