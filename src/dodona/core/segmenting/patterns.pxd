"""Stretches of text that have a form of their own in any language."""
from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    NO_PATTERN = 0
    ADDRESS             # URL or e-mail address
    DOMAIN              # a host without a scheme, or the name of a file
    MENTION             # @name
    HASHTAG
    DATE                # 2024-05-01, 1/2/2024, 2024-05-01T10:30Z
    TIME                # 10:30, 10:30:15
    NUMBER              # 1,000.50, 3.5
    VERSION             # v1.2.3, 192.168.0.1
    PATH                # /usr/bin/env, C:\\Temp
    EMOTICON            # :-)
    INITIAL             # the J of "J. Doe", J.R.R, U.S
    DOTTED              # p.m, Ph.D: without the last period, which may end the sentence, too
    N_PATTERNS = 16     # room to grow

cdef enum:
    MAX_ATOM = 2048     # characters of a stretch

cdef struct Stretch:
    Py_ssize_t end      # the beginning, if there is no pattern
    uint8_t pattern


cdef Stretch address_at(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                        Py_ssize_t end) noexcept nogil
cdef Stretch recognised(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                        Py_ssize_t end, bint after_space) noexcept nogil
