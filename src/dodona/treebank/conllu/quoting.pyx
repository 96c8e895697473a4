"""CoNLL-U as a JSON string, for the answers of the server, written in one pass.

The parts of MISC that record the offsets of tokens and the white space around them are omitted
unless requested. Removing them by regular expressions and quoting by `json` takes a tenth of the
time of parsing; this code takes a fiftieth.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memchr, memcmp, memcpy
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport Sentence

cdef enum:
    LONGEST_QUOTED = 6      # bytes of an escaped byte: \u001f

cdef const char* HEX = "0123456789abcdef"

# for each byte: the first two bytes of its escaped form, and the size of that
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
    """Return the sentences as the content of a JSON string.

    MISC keeps TokenRange only with `ranges`, and Spaces… only with `spaces`.

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
            # one more for the "_" of an empty MISC
            reserve(written, size + LONGEST_QUOTED * <size_t>(line_end - line) + 1)
            if (ranges and spaces) or line[0] == c"#" or line[0] == c"\n":
                size = quote(line, line_end, written.data(), size)
            else:
                size = quote_word(line, line_end, written.data(), size, ranges, spaces)
            line = line_end
    return PyBytes_FromStringAndSize(written.data(), <Py_ssize_t> size)


cdef int reserve(vector[char]& written, size_t size) except -1:
    if written.size() < size:
        written.resize(2 * size)
    return 0


cdef size_t quote(const char* at, const char* end, char* out, size_t size) noexcept nogil:
    """Append the escaped bytes to the `size` bytes of `out`; return the new size.

    Two bytes are written for each byte, whether or not both count, to avoid a branch that is hard
    to predict: every few bytes there is a tab or a line end.
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
    """Append the line of a word, a range or an empty node, without the unwanted parts of MISC."""
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
