"""Sentences in CoNLL-U inside a string of JSON, as web services answer: written in one pass.

Of MISC, what nobody asked for is left out on the way: a segmenter tells where each token was, and
what white space was around it. To cut this out of the text by patterns, and to have the rest quoted
by `json`, takes a tenth of the time of parsing; this a fiftieth.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memchr, memcmp, memcpy
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport Sentence

cdef enum:
    LONGEST_QUOTED = 6      # bytes of one that was quoted: \u001f

cdef const char* HEX = "0123456789abcdef"

# of each byte: how it is written, or how that begins, and how many bytes that takes
cdef char QUOTED[256][2]
cdef unsigned char SIZES[256]


def _fill():
    cdef int byte
    short = {ord("\t"): c"t", ord("\n"): c"n", ord("\r"): c"r", ord("\b"): c"b", ord("\f"): c"f",
             ord('"'): c'"', ord("\\"): c"\\"}
    for byte in range(256):
        QUOTED[byte][0], QUOTED[byte][1], SIZES[byte] = <char> byte, 0, 1
        if byte in short or byte < 0x20:
            QUOTED[byte][0], QUOTED[byte][1] = c"\\", short.get(byte, c"u")
            SIZES[byte] = 2 if byte in short else LONGEST_QUOTED


_fill()


def quote_conllu(list sentences not None, *, bint ranges, bint spaces):
    """What stands between the quotes; TokenRange and Spaces… of MISC only where they are wanted.

    >>> ask = Sentence.from_columns(["Ask"], misc=["SpacesAfter=\\\\n|TokenRange=0:3"])
    >>> quote_conllu([ask], ranges=False, spaces=False)[-7:]
    b'\\\\t_\\\\n\\\\n'
    """
    cdef vector[char] written
    cdef size_t size = 0
    cdef Sentence sentence
    cdef const char* line
    cdef const char* end
    cdef const char* line_end
    for sentence in sentences:
        line, end = sentence.raw, sentence.raw + sentence.size
        while line < end:
            line_end = <const char*> memchr(line, c"\n", end - line)
            line_end = end if line_end == NULL else line_end + 1
            # and a "_" where there is nothing left
            need_room(written, size + LONGEST_QUOTED * <size_t>(line_end - line) + 1)
            if (ranges and spaces) or line[0] == c"#" or line[0] == c"\n":
                size = quote(line, line_end, written.data(), size)
            else:
                size = quote_word(line, line_end, written.data(), size, ranges, spaces)
            line = line_end
    return PyBytes_FromStringAndSize(written.data(), <Py_ssize_t> size)


cdef int need_room(vector[char]& written, size_t size) except -1:
    if written.size() < size:
        written.resize(2 * size)
    return 0


cdef size_t quote(const char* at, const char* end, char* out, size_t size) noexcept nogil:
    """The bytes, behind `size` that there are already; how many there are then.

    Two bytes are written for each, whether both count or not: there is a tab or a line's end every
    few bytes, and no branch for the processor to guess.
    """
    cdef unsigned char byte
    while at < end:
        byte = <unsigned char> at[0]
        at += 1
        memcpy(out + size, QUOTED[byte], 2)
        if SIZES[byte] == LONGEST_QUOTED:
            out[size + 2] = out[size + 3] = c"0"
            out[size + 4] = HEX[byte >> 4]
            out[size + 5] = HEX[byte & 15]
        size += SIZES[byte]
    return size


cdef size_t quote_word(
    const char* line, const char* line_end, char* out, size_t size, bint ranges, bint spaces,
) noexcept nogil:
    """The line of a word, a range or an empty node, without what is not wanted of its MISC."""
    cdef const char* end = line_end
    cdef const char* misc
    cdef const char* bar
    cdef bint is_empty = True
    if line < end and end[-1] == c"\n":
        end -= 1
    misc = end
    while misc > line and misc[-1] != c"\t":
        misc -= 1
    size = quote(line, misc, out, size)
    while misc < end:
        bar = <const char*> memchr(misc, c"|", end - misc)
        if bar == NULL:
            bar = end
        if not is_left_out(misc, bar, ranges, spaces):
            if not is_empty:
                out[size] = c"|"
                size += 1
            size = quote(misc, bar, out, size)
            is_empty = False
        misc = bar + 1
    if is_empty:
        out[size] = c"_"
        size += 1
    return quote(end, line_end, out, size)


cdef bint is_left_out(const char* at, const char* end, bint ranges, bint spaces) noexcept nogil:
    if not ranges and begins_with(at, end, "TokenRange=", 11):
        return True
    return not spaces and (
        begins_with(at, end, "SpacesAfter=", 12)
        or begins_with(at, end, "SpacesBefore=", 13)
        or begins_with(at, end, "SpacesInToken=", 14))


cdef bint begins_with(
    const char* at, const char* end, const char* name, Py_ssize_t size
) noexcept nogil:
    return end - at >= size and memcmp(at, name, size) == 0
