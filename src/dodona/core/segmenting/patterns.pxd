"""Patterns of characters that mean the same in every language: addresses, dates, numbers."""
from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    NO_PATTERN = 0
    ADDRESS             # URL or e-mail address
    DOMAIN              # a host without a scheme, or a file name
    MENTION             # @name
    HASHTAG
    DATE                # 2024-05-01, 1/2/2024, 2024-05-01T10:30Z
    TIME                # 10:30, 10:30:15
    NUMBER              # 1,000.50, 3.5
    VERSION             # v1.2.3, 192.168.0.1
    PATH                # /usr/bin/env, C:\\Temp
    EMOTICON            # :-)
    INITIAL             # the J of "J. Doe", J.R.R, U.S
    DOTTED              # p.m, Ph.D: without the last period, which may also end the sentence
    N_PATTERNS = 16     # with spare ids

cdef enum:
    MAX_ATOM = 2048     # characters of a match

cdef struct PatternMatch:
    Py_ssize_t end      # the start, if nothing matches
    uint8_t pattern


cdef PatternMatch address_at(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                             Py_ssize_t end) noexcept nogil
cdef PatternMatch recognised(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                             Py_ssize_t end, bint after_space) noexcept nogil
