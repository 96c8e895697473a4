from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport GONE, StateC


cdef struct After:
    const StateC* state       # before a move …
    const GoldC* gold
    bint unshifts             # 2015: a headless word can be put back; 2013: it cannot
    int moved                 # … that brings this word …
    int place                 # … to this place …
    int head                  # … with this head, or NONE


cdef inline int place_of(const After* after, int word) noexcept nogil:
    return after.place if word == after.moved else after.state.place[word]


cdef inline int head_of(const After* after, int word) noexcept nogil:
    return after.head if word == after.moved else after.state.head[word]


cdef inline int stack_size(const After* after) noexcept nogil:
    """Words on the stack that the move leaves where they are."""
    cdef int n = after.state.n_stack
    return n - (n > 0 and after.state.stack[n - 1] == after.moved)


cdef inline int live_word(const After* after, int i) noexcept nogil:
    """The live words from left to right; NONE behind the last."""
    cdef int n = after.state.n_buffer
    if i < stack_size(after):
        return after.state.stack[i]
    i -= stack_size(after)
    if after.place != GONE:
        if i == 0:
            return after.moved
        i -= 1
    n -= n > 0 and after.state.buffer[n - 1] == after.moved
    return after.state.buffer[n - 1 - i] if i < n else NONE


cdef int fewest_repairs(const After* after) noexcept nogil
