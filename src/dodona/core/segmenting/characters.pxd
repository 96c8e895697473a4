"""Kinds of characters, and a text as columns of numbers."""
from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector

cdef enum:
    OUTSIDE = 0         # before the sentence; what comes after a text looks like white space
    LINE_END
    SPACE               # within a line, may stand in a word
    BLANK               # other white space: tab and the like
    LOWER
    UPPER
    LETTER              # without case
    DIGIT
    MARK                # goes with the character before it: accents, joiners, skin tones
    PERIOD
    COMMA
    TERMINAL            # ! ? and their like
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
    N_KINDS = 32        # room to grow: a power of two


cdef inline bint is_space(uint8_t kind) noexcept nogil:
    return LINE_END <= kind <= BLANK


cdef inline bint is_wordlike(uint8_t kind) noexcept nogil:
    return LOWER <= kind <= MARK


cdef class CodePoints:
    cdef vector[uint32_t] point     # as given; what is no character is U+FFFD
    cdef vector[uint32_t] low       # lower case; every digit is 0, white space a space
    cdef vector[uint8_t] kind
