from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport GONE, StateC


cdef struct After:
    const StateC* state       # before a move …
    const GoldC* gold
    bint unshifts             # whether headless words can be put back (2015) or not (2013)
    int moved                 # … that moves this word …
    int place                 # … to this place …
    int head                  # … and gives it this head, or NONE


cdef inline int place_of(const After* after, int word) noexcept nogil:
    return after.place if word == after.moved else after.state.place[word]


cdef inline int head_of(const After* after, int word) noexcept nogil:
    return after.head if word == after.moved else after.state.head[word]


cdef inline int stack_size(const After* after) noexcept nogil:
    """Count the words on the stack that the move does not touch."""
    cdef int n = after.state.n_stack
    return n - (n > 0 and after.state.stack[n - 1] == after.moved)


cdef inline int live_word(const After* after, int i) noexcept nogil:
    """Return the i-th live word from left to right; NONE after the last."""
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
