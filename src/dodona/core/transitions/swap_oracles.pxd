"""Static oracles of swap; see swap_oracles.pyx."""
from libc.stdint cimport int32_t

from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport StateC, top
from dodona.core.transitions.system cimport System

cdef enum SwapOracle:
    EAGER, LAZY
    PATIENT                   # a policy that only MINIMAL uses, beside LAZY
    MINIMAL

cdef int make_plan(const GoldC* gold, int32_t* plan) except -1 nogil
cdef bint is_in_order(const GoldC* gold) noexcept nogil
cdef int planned_move(const StateC* state, const GoldC* gold, int policy) noexcept nogil
cdef bint keeps_all(System system, const StateC* state, const GoldC* gold, int move,
                    int policy) except -1 nogil
cdef int minimal_move(System system, const StateC* state, const GoldC* gold) except -1 nogil


cdef inline const int32_t* order_of(const GoldC* gold) noexcept nogil:
    """Return the position of each node in the projective order."""
    return gold.plan


cdef inline bint can_swap(const StateC* state) noexcept nogil:
    return state.n_stack > 2 and top(state, 1) < top(state, 0)
