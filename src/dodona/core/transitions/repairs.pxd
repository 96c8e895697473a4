from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport StateC


cdef struct After:
    const StateC* state       # before a move …
    const GoldC* gold
    bint unshifts             # 2015: a headless word can be put back; 2013: it cannot
    int moved                 # … that brings this word …
    int place                 # … to this place …
    int head                  # … with this head, or NONE


cdef int fewest_repairs(const After* after) noexcept nogil
