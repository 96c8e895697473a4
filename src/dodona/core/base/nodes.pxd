"""Nodes of a sentence, and columns by node.

Nodes are small integers: 1 … n are the words, 0 an artificial root before them, n + 1 one after
them, and NONE is no node. A column has an entry for each of them, NONE first.
"""

cdef enum:
    NONE = -1


cdef inline size_t n_nodes(size_t n_words) noexcept nogil:
    """Return the number of entries of a column, which is also the distance between columns."""
    return n_words + 3          # NONE, 0, the words, n + 1
