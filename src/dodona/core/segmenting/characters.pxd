"""Character kinds, and a text as integer columns."""
from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector

cdef enum:
    OUTSIDE = 0         # before the sentence; positions after the text count as white space
    LINE_END
    SPACE               # within a line; a token may contain it
    BLANK               # other white space: tab and the like
    LOWER
    UPPER
    LETTER              # without case
    DIGIT
    MARK                # belongs to the preceding character: accents, joiners, skin tones
    PERIOD
    COMMA
    TERMINAL            # ! ? and similar
    COLON
    APOSTROPHE
    QUOTE
    OPENING
    CLOSING
    DASH
    SLASH
    SYMBOL
    EMOJI
    PUNCTUATION
    OTHER
    N_KINDS = 32        # a power of two, with spare values

cdef enum:
    PARAGRAPH_END = 0x2029


cdef inline bint is_space(uint8_t kind) noexcept nogil:
    return LINE_END <= kind <= BLANK


cdef inline bint is_wordlike(uint8_t kind) noexcept nogil:
    return LOWER <= kind <= MARK


cdef inline int line_ends_at(const uint32_t* point, const uint8_t* kind,
                             Py_ssize_t i) noexcept nogil:
    """Count the line end at i: CR LF is one, and a paragraph separator counts as two."""
    if kind[i] != LINE_END or point[i] == c"\n" and i > 0 and point[i - 1] == c"\r":
        return 0
    return 2 if point[i] == PARAGRAPH_END else 1


cdef class CodePoints:
    cdef vector[uint32_t] point     # as given; surrogates become U+FFFD
    cdef vector[uint32_t] low       # lower case; every digit is 0, all white space a space
    cdef vector[uint8_t] kind
