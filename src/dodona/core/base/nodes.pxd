"""Nodes of a sentence, and columns by node.

Nodes are small integers: 1 … n are the words, 0 an artificial root before them, n + 1 one behind
them, and NONE is no node at all. A column has a place for each of them, NONE first.
"""

cdef enum:
    NONE = -1


cdef inline size_t n_nodes(size_t n_words) noexcept nogil:
    """How many places a column has, and so how far apart columns lie."""
    return n_words + 3          # NONE, 0, the words, n + 1
