"""Ranges (3-4), the lines of multiword tokens, and the offsets of words in the text.

A range has no offsets in a sentence's arrays; its line is right above its first word.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, strlen

from dodona.treebank.sentence cimport (
    FORM, MISC, STRIDE, Fields, Sentence, Text, field, fields_of, named_value)

cdef const char* BYTE_ORDER_MARK = "\xef\xbb\xbf"


def word_offsets(Sentence sentence not None):
    """Return the start and the end of each word in the text, as two lists.

    >>> from dodona import Sentence
    >>> word_offsets(Sentence.from_columns(["Oaks", "speak"], misc=["TokenRange=0:4", "_"]))
    ([0, None], [4, None])
    """
    cdef int i = 0, last
    cdef Text line
    cdef list found = []
    while i < sentence.n_words:
        line = range_before(fields_of(sentence), i, &last)
        if line.size:
            found += range_offsets(sentence, line, i, last)
            i = last + 1
        else:
            found.append(offsets_in(field(sentence, i, MISC)))
            i += 1
    found = [each or (None, None) for each in found]
    return [start for start, _ in found], [end for _, end in found]


def ranges(Sentence sentence not None):
    """Return the multiword tokens: id of the first word, id of the last, form, MISC.

    >>> from dodona import Sentence
    >>> ranges(Sentence.from_columns(["Oaks", "speak"]))
    []
    """
    cdef int i, last
    cdef Text line
    cdef list found = []
    for i in range(sentence.n_words):
        line = range_before(fields_of(sentence), i, &last)
        if line.size:
            columns = decoded(line).split("\t")
            found.append((i + 1, last + 1, columns[FORM], columns[MISC]))
    return found


cdef Text range_around(Sentence sentence, int position, int* last) noexcept nogil:
    """Return the line of the range around a word, and set its last word; empty if there is none."""
    cdef Text line
    cdef int first = position
    while first >= 0:
        line = range_before(fields_of(sentence), first, last)
        if line.size:
            if last[0] >= position:
                return line
            break       # ranges do not overlap: earlier ones end before this one
        first -= 1
    return Text(sentence.raw, 0)


cdef Text range_before(Fields sentence, int position, int* last) noexcept nogil:
    """Return the line of the range that begins at a word, and set its last word; empty if none.

    The line is right above the word, and the reader has checked its numbers.
    """
    cdef const char* begin = sentence.raw
    cdef const char* end = sentence.raw + sentence.start[<Py_ssize_t> STRIDE * position]
    cdef const char* line
    cdef const char* at
    cdef int number = 0
    if position > 0:
        begin += sentence.start[<Py_ssize_t> STRIDE * position - 1] - 1
    if end - begin <= 2:        # only a line end: the line above is the previous word
        return Text(begin, 0)
    end -= 1                    # the end of the line above
    if end[-1] == c"\r":
        end -= 1
    line = end
    while line > begin and line[-1] != c"\n":
        line -= 1
    if line == sentence.raw and end - line > 3 and memcmp(line, BYTE_ORDER_MARK, 3) == 0:
        line += 3
    at = line
    while at < end and c"0" <= at[0] <= c"9":
        at += 1
    if at == line or at == end or at[0] != c"-":
        return Text(begin, 0)
    at += 1
    while at < end and c"0" <= at[0] <= c"9":
        number = 10 * number + (at[0] - c"0")
        at += 1
    last[0] = number - 1
    return Text(line, end - line)


cdef int first_of(Text line):
    """Return the first word of a range, from 0."""
    return int(decoded(line).partition("-")[0]) - 1


cdef tuple offsets_in(Text misc):
    """Return the start and end of TokenRange in MISC, or None."""
    numbers = decoded(named_value(misc, "TokenRange", strlen("TokenRange")))
    start, _, end = numbers.partition(":")
    return (int(start), int(end)) if start.isdecimal() and end.isdecimal() else None


cdef list range_offsets(Sentence sentence, Text line, int first, int last):
    """Return the offsets of each word of a range, or of the token if it is not its words joined."""
    cdef int i
    cdef tuple offsets = offsets_in(last_column(line))
    if offsets is None:
        return [None] * (last + 1 - first)
    start, end = offsets
    forms = [decoded(field(sentence, i, FORM)) for i in range(first, last + 1)]
    joined = "".join(forms)
    if len(joined) != end - start or joined.lower() != decoded(line).split("\t")[FORM].lower():
        return [offsets] * len(forms)
    found = []
    for form in forms:
        found.append((start, start + len(form)))
        start += len(form)
    return found


cdef Text last_column(Text line) noexcept nogil:
    cdef const char* at = line.text + line.size
    while at > line.text and at[-1] != c"\t":
        at -= 1
    return Text(at, line.text + line.size - at)


cdef str decoded(Text text):
    return PyUnicode_DecodeUTF8(text.text, text.size, NULL)
