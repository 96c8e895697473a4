"""UTF-8 decoding and encoding, and lower case of code points, for compiled code."""
from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

cdef enum:
    MAX_UTF8 = 4              # bytes of a code point

cdef extern from "Python.h":
    uint32_t Py_UNICODE_TOLOWER(uint32_t c) noexcept nogil
    uint32_t Py_UNICODE_TOTITLE(uint32_t c) noexcept nogil


cdef inline uint32_t next_character(const char* text, Py_ssize_t size,
                                    Py_ssize_t* at) noexcept nogil:
    """Return the code point at an offset, which advances; invalid UTF-8 yields some code point."""
    cdef const unsigned char* byte = <const unsigned char*> text + at[0]
    cdef uint32_t c = byte[0]
    cdef int n = 1 if c < 0xc0 else 2 if c < 0xe0 else 3 if c < 0xf0 else 4
    cdef int i
    if n > size - at[0]:
        n = 1
    if n > 1:
        c &= 0xff >> (n + 1)
        for i in range(1, n):
            c = c << 6 | (byte[i] & 0x3f)
    at[0] += n
    return c if c < 0x110000 else 0xfffd


cdef inline int write_utf8(uint32_t c, char* target) noexcept nogil:
    """Write a code point as UTF-8 and return the number of bytes."""
    cdef int i, n
    if c < 0x80:
        target[0] = <char> c
        return 1
    n = 2 if c < 0x800 else 3 if c < 0x10000 else MAX_UTF8
    for i in range(n - 1, 0, -1):
        target[i] = <char> (0x80 | c & 0x3f)
        c >>= 6
    target[0] = <char> (0xf00 >> n & 0xff | c)      # as many ones as bytes, then a zero
    return n


cdef inline int append(uint32_t c, vector[char]& text) except -1 nogil:
    """Append a code point as UTF-8."""
    cdef char added[MAX_UTF8]
    cdef int i
    for i in range(write_utf8(c, added)):
        text.push_back(added[i])


cdef inline uint32_t lowered(uint32_t c) noexcept nogil:
    """Return the lower case of one code point, as one code point, independent of language."""
    if c < 0x80:
        return c + 32 if c"A" <= c <= c"Z" else c
    return Py_UNICODE_TOLOWER(c)
