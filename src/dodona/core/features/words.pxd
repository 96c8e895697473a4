"""The words of a sentence as feature templates see them: columns of integers."""
from libc.stdint cimport int16_t, int32_t

from dodona.core.base.nodes cimport n_nodes

# Values that all columns share: at no node, at the artificial root, and for a string that was not
# seen in training.
cdef enum:
    ID_MISSING, ID_ROOT, ID_UNKNOWN, N_RESERVED

cdef struct WordsC:
    int32_t n_words
    int32_t n_columns
    const int32_t* values     # column c of node i: values[c * n_nodes + i + 1]
    const char* packed        # per word: its row as packed by a network, or NULL
    const int16_t* products   # per word: its contribution to states in each slot, or NULL
    const int32_t* kinds      # by word, for constraints on arcs, or NULL


cdef inline const int32_t* word_column(const WordsC* words, int column) noexcept nogil:
    """Return the values of a column by node."""
    return words.values + <size_t> column * n_nodes(words.n_words) + 1
