from dodona.core.transitions.arc_eager cimport ArcEager
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport MoveCost


cdef class ArcEagerTree(ArcEager):
    pass


cdef class NonMonotonic(ArcEagerTree):
    cdef void right_arc_cost(self, const StateC* state, const GoldC* gold,
                             MoveCost* cost) noexcept nogil
    cdef void count_repairs(self, const StateC* state, const GoldC* gold,
                            MoveCost* costs) noexcept nogil


cdef class NonMonotonic2013(NonMonotonic):
    pass
