"""Sentences from tokens in Arrow's layout: bytes, and the offset of each token's end.

The sentences are like those of the segmenter, but without positions in a text.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int32_t
from libc.string cimport memchr, memcpy
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport NO_HEAD, STRIDE, make_sentence

cdef enum:
    LINE_BYTES = 30     # of a line without its form, and of the space in the comment


def sentence_of_tokens(
    const int32_t[::1] ends, const unsigned char[::1] data, Py_ssize_t first, Py_ssize_t last,
    Py_ssize_t number,
):
    """Make a sentence of the tokens first ≤ i < last, where token i is data[ends[i]:ends[i+1]].

    >>> from array import array
    >>> sentence = sentence_of_tokens(array("i", [0, 4, 9]), b"Oaksspeak", 0, 2, 1)
    >>> sentence.forms, sentence.sent_id, sentence.text
    (['Oaks', 'speak'], '1', 'Oaks speak')
    """
    cdef Py_ssize_t n_words = last - first, i, n, size, written
    cdef vector[int32_t] start, heads
    cdef const char* form
    cdef const char* base
    cdef bytes comments = b"# sent_id = %d\n# text = " % number
    if not 0 <= first < last < ends.shape[0]:
        raise ValueError("a sentence has at least one token")
    if data.shape[0] < ends[last]:
        raise ValueError("the bytes end before the last token does")
    if data.shape[0] == 0:
        raise ValueError("all tokens are empty")
    base = <const char*> &data[0]
    size = len(comments) + 2 * (ends[last] - ends[first]) + LINE_BYTES * n_words + 2
    if size > INT32_MAX:
        raise ValueError("a sentence has at most 2 GiB")
    cdef bytes lines = PyBytes_FromStringAndSize(NULL, size)
    cdef char* out = PyBytes_AS_STRING(lines)
    memcpy(out, <const char*> comments, len(comments))
    written = len(comments)
    for i in range(first, last):
        form = base + ends[i]
        n = ends[i + 1] - ends[i]
        check_token(form, n, i - first + 1)
        memcpy(out + written, form, n)
        written += n
        out[written] = c" " if i + 1 < last else c"\n"
        written += 1
    start.resize(<size_t> n_words * STRIDE)
    heads.resize(n_words, NO_HEAD)
    for i in range(n_words):
        form = base + ends[first + i]
        n = ends[first + i + 1] - ends[first + i]
        written = write_line(out, written, i, form, n, start.data() + i * STRIDE)
    out[written] = c"\n"
    return make_sentence(
        lines[:written + 1], <int> n_words, start.data(), heads.data(), "<tokens>", 1, "conllu")


cdef Py_ssize_t write_line(
    char* out, Py_ssize_t at, Py_ssize_t index, const char* form, Py_ssize_t n, int32_t* start,
) noexcept nogil:
    """Write a word and its empty columns; return the offset of the next line."""
    cdef char[20] digits
    cdef int k = 20
    cdef Py_ssize_t number = index + 1
    start[0] = <int32_t> at
    while number:
        k -= 1
        digits[k] = <char> (c"0" + number % 10)
        number //= 10
    memcpy(out + at, digits + k, 20 - k)
    at += 20 - k
    out[at] = c"\t"
    start[1] = <int32_t> (at + 1)
    memcpy(out + at + 1, form, n)
    at += 1 + n
    for k in range(2, STRIDE - 1):
        out[at] = c"\t"
        out[at + 1] = c"_"
        start[k] = <int32_t> (at + 1)
        at += 2
    start[STRIDE - 1] = <int32_t> (at + 1)
    out[at] = c"\n"
    return at + 1


cdef int check_token(const char* form, Py_ssize_t n, Py_ssize_t number) except -1:
    if (
        n <= 0 or memchr(form, c"\t", n) != NULL or memchr(form, c"\n", n) != NULL
        or memchr(form, c"\r", n) != NULL
    ):
        raise ValueError(f"token {number} is empty or holds a tab or a line end")
    return 0
