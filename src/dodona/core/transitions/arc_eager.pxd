from dodona.core.transitions.system cimport System


cdef class ArcEager(System):
    pass
