"""Ids of the moves that several systems share: their positions in `System.moves`."""

cdef enum:
    MAX_MOVES = 8             # of one system

cdef enum:
    SHIFT, LEFT_ARC, RIGHT_ARC, REDUCE
    SWAP = REDUCE             # no system has both
