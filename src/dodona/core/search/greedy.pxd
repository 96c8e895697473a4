"""Greedy search, for trees and for graphs."""
from dodona.core.search.search cimport Search


cdef class Greedy(Search):
    pass
