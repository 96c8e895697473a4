from dodona.core.transitions.graph cimport GraphSystem


cdef class GraphStandard(GraphSystem):
    pass
