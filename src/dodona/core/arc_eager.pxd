from .system cimport System

cdef enum:
    SHIFT, LEFT_ARC, RIGHT_ARC, REDUCE


cdef class ArcEager(System):
    cdef int _root            # ROOT_FIRST, ROOT_LAST or ROOT_NONE
