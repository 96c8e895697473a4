"""Feature keys of a word and its neighbours."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.words cimport WordsC

cdef enum:
    REACH = 2                 # largest distance of a word in a template
    N_OFFSETS = 2 * REACH + 1

cdef struct TagAtom:
    int32_t offset            # 0 … N_OFFSETS - 1; the word itself is at REACH
    int32_t column
    uint64_t multiplier


cdef class TagFeatures:
    cdef readonly int n_templates
    cdef readonly int n_static          # templates without the task's own tags
    cdef readonly int n_alone           # leading static templates of the word alone
    cdef vector[TagAtom] atoms
    cdef vector[uint64_t] seeds         # of each template
    cdef vector[int32_t] ends           # end of each template in `parts`
    cdef vector[int32_t] parts          # atoms of all templates

    cdef void fill_static(self, const WordsC* words, int word, uint64_t* keys) noexcept nogil
    cdef void fill_history(self, const WordsC* words, int word, uint64_t* keys) noexcept nogil
    cdef void fill(self, const WordsC* words, int word, int first, int last,
                   uint64_t* keys) noexcept nogil
