from .graph cimport GraphSystem


cdef class GraphEager(GraphSystem):
    pass
