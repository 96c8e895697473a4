"""Paths of trees that candidate arcs follow, in compiled form."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.treebank.encoding.vocabulary cimport Vocabulary

cdef enum:
    UP = 0                    # a step from a word to its head
    DOWN = 1                  # a step from a head to its dependent
    MAX_STEPS = 4
    NO_ARC = 0                # the class of candidates that are no arcs

cdef struct LabelFacts:       # of a label of trees
    uint64_t hash
    int32_t relation          # its number in patterns, or NONE
    int32_t marker            # CASE, MARK, CC, FIXED or OTHER_RELATION
    int32_t copied            # the output label that is the same

cdef enum:
    OTHER_RELATION, CASE_MARKER, MARK_MARKER, CC_MARKER, FIXED_PART, N_MARKERS


cdef class PathTable:
    cdef readonly Vocabulary labels     # of trees
    cdef vector[LabelFacts] facts       # per label
    cdef int n_relations
    cdef readonly int n_classes
    cdef vector[int32_t] next           # per node of the trie, direction and relation, or NONE
    cdef vector[char] goes_down         # per node: whether a step down follows
    cdef vector[int32_t] pattern        # per node: the pattern that ends there, or NONE
    cdef vector[vector[int32_t]] choices        # per pattern: classes, the most frequent first
    cdef vector[int32_t] step           # per class: the step whose label it uses, or NONE
    cdef vector[int32_t] outputs        # per class and label of that step: an output label
    cdef vector[char] is_root           # per output label: its relation is root

    cdef int32_t after(self, int32_t node, int direction, int32_t relation) noexcept nogil
    cdef int32_t output(self, int klass, int32_t label) noexcept nogil
