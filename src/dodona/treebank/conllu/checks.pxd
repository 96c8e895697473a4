"""Checks of every byte and every head, in plain C without allocation."""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.string cimport memcpy

ctypedef const unsigned char* Bytes

cdef enum:
    NOT_A_NUMBER = -2


cdef inline int word_on_a_cycle(const int32_t* head, int n, int32_t* mark) noexcept nogil:
    """Return the first word on a cycle of heads, or 0. Each word is marked once: O(n)."""
    cdef int i, word, first
    for i in range(1, n + 1):
        word = i
        while word > 0 and mark[word - 1] == 0:
            mark[word - 1] = i
            word = head[word - 1]
        if word > 0 and mark[word - 1] == i:    # back on the path that started at i
            first = word
            i = head[word - 1]
            while i != word:
                first = min(first, i)
                i = head[i - 1]
            return first
    return 0


cdef inline int32_t number(Bytes* p) noexcept nogil:
    """Return the decimal number at p, which advances; NOT_A_NUMBER, with p unmoved, if none.

    A leading zero is a number of its own; numbers too large for int32 become its maximum.
    """
    cdef Bytes q = p[0]
    cdef int64_t value = 0
    if q[0] == c"0":
        p[0] = q + 1
        return 0
    while c"0" <= q[0] <= c"9":
        value = min(10 * value + (q[0] - c"0"), <int64_t>INT32_MAX)
        q += 1
    if q == p[0]:
        return NOT_A_NUMBER
    p[0] = q
    return <int32_t>value


cdef inline Bytes first_bad_byte(Bytes p, Bytes stop) noexcept nogil:
    """Return the first byte that is not well-formed UTF-8 (Unicode, table 3-7), or NULL."""
    cdef uint64_t eight
    cdef unsigned char lead, least, most
    cdef int n_more
    while p < stop:
        lead = p[0]
        if lead < 0x80:
            p += 1
            if stop - p >= 8:
                memcpy(&eight, p, 8)
                if not eight & 0x8080808080808080ULL:
                    p += 8
            continue
        n_more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
        if lead < 0xC2 or lead > 0xF4 or stop - p <= n_more:
            return p
        # the second byte excludes overlong forms, surrogates and code points beyond U+10FFFF
        least = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        most = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        if p[1] < least or p[1] > most:
            return p
        if n_more > 1 and p[2] & 0xC0 != 0x80:
            return p
        if n_more > 2 and p[3] & 0xC0 != 0x80:
            return p
        p += n_more + 1
    return NULL
