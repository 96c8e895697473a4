"""How compiled code finds the lines of ranges (3-4), which have no offsets."""

from dodona.treebank.sentence cimport Sentence, Text


# The line of the range that begins with this word, and its last word; empty if none does.
cdef Text range_before(Sentence sentence, int place, int* last) noexcept nogil

cdef Text last_column(Text line) noexcept nogil
