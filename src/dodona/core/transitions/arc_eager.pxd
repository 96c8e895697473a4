from dodona.core.transitions.system cimport System


cdef class ArcEager(System):
    cdef int _root            # ROOT_FIRST, ROOT_LAST or ROOT_NONE
