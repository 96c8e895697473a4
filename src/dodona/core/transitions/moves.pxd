"""The ids of moves that several systems have: the place of a move among its system's own."""

cdef enum:
    MAX_MOVES = 8             # of one system

cdef enum:
    SHIFT, LEFT_ARC, RIGHT_ARC, REDUCE
    SWAP = REDUCE             # no system has both
