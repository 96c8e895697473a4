"""Candidate arcs of a sentence and their features."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.enhancing.path_table cimport MAX_STEPS, N_MARKERS, PathTable
from dodona.treebank.sentence cimport Fields

cdef struct TreeWord:
    int32_t head
    int32_t label             # a number in PathTable.labels
    int32_t relation          # its number in patterns, or NONE
    int32_t first_child       # the leftmost; 0: none
    int32_t next_sibling      # to the right; 0: none
    uint64_t label_hash
    uint64_t lemma
    uint64_t upos
    uint64_t xpos
    uint64_t feats
    uint64_t pron_type        # of pronouns, determiners, adverbs; 0: none
    uint64_t children         # the set of labels of its children, as bits
    uint64_t pronouns         # labels and types of children with a PronType
    uint64_t markers[N_MARKERS]     # lemmas of children by case, mark, cc and fixed

cdef struct Candidate:
    int32_t dependent
    int32_t head
    int32_t top               # where the path turns downwards
    int32_t pattern
    int32_t n_steps
    int32_t step[MAX_STEPS]   # the words whose arcs from their heads the path follows


cdef class PathWalker:
    cdef PathTable table
    cdef vector[TreeWord] words         # by node; 0 is the root
    cdef vector[Candidate] found
    cdef Candidate path                 # from the current dependent
    cdef int n_scanned                  # children seen on the way
    cdef int n_found                    # candidates of the current dependent

    cdef int read(self, const Fields& sentence) except -1 nogil
    cdef void add_marker(self, int word, bint is_fixed) noexcept nogil
    cdef int walk(self) except -1 nogil
    cdef int visit(self, int32_t word, int32_t node, int32_t below, bint is_up) except -1 nogil
    cdef int fill_keys(self, const Candidate& arc, uint64_t* keys) noexcept nogil
    cdef int add_children(self, const TreeWord* word, int template, int pattern, int32_t other,
                          uint64_t* keys, int n) noexcept nogil
