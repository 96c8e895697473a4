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


cdef inline bint is_space(uint8_t kind) noexcept nogil:
    return LINE_END <= kind <= BLANK


cdef inline bint is_wordlike(uint8_t kind) noexcept nogil:
    return LOWER <= kind <= MARK


cdef class CodePoints:
    cdef vector[uint32_t] point     # as given; surrogates become U+FFFD
    cdef vector[uint32_t] low       # lower case; every digit is 0, all white space a space
    cdef vector[uint8_t] kind
