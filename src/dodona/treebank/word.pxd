"""Lines of ranges (3-4), which have no offsets, for compiled code."""

from dodona.treebank.sentence cimport Sentence, Text


# The line of the range that begins at a word, and its last word; empty if there is none.
cdef Text range_before(Sentence sentence, int position, int* last) noexcept nogil

cdef Text last_column(Text line) noexcept nogil
