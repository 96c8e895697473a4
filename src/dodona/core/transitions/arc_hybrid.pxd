from dodona.core.transitions.system cimport System


cdef class ArcHybrid(System):
    cdef bint _root_last
