"""What keeps the given arcs and labels of a sentence in reach of a search."""
from libc.stdint cimport int16_t, int32_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.search.actions cimport Actions
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.state cimport StateC


cdef class Guard:
    cdef Actions actions
    cdef bint is_on                     # off if nothing is given, and while leftovers are attached
    cdef bint has_heads                 # whether any head is given
    cdef GoldC given                    # heads only
    cdef vector[int32_t] block          # memory behind it
    cdef vector[int32_t] labels         # by node: the given one, or NONE
    cdef vector[int32_t] no_labels
    cdef vector[int16_t] masks          # the result of `narrow`

    cdef int begin(self, Corpus corpus, int sentence) except -1 nogil
    cdef int root_word(self) noexcept nogil
    cdef const int16_t* narrow(self, const StateC* state, const int16_t* masks) except NULL nogil
