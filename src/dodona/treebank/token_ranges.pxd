"""Lines of ranges (3-4), which have no offsets, for compiled code."""

from dodona.treebank.sentence cimport Fields, Sentence, Text


# The line of the range that begins at a word, and its last word; empty if there is none.
cdef Text range_before(Fields sentence, int position, int* last) noexcept nogil

# The line of the range around a word, and its last word; empty if there is none.
cdef Text range_around(Sentence sentence, int position, int* last) noexcept nogil

cdef Text last_column(Text line) noexcept nogil
cdef int first_of(Text line)
cdef tuple offsets_in(Text misc)
cdef list range_offsets(Sentence sentence, Text line, int first, int last)
cdef str decoded(Text text)
