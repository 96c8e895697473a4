from dodona.core.transitions.graph cimport GraphSystem


cdef class GraphEager(GraphSystem):
    pass
