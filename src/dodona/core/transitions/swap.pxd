from dodona.core.transitions.arc_standard cimport ArcStandard


cdef class Swap(ArcStandard):
    pass
