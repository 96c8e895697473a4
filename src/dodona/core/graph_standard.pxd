from .graph cimport GraphSystem


cdef class GraphStandard(GraphSystem):
    pass
