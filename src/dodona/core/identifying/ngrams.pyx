"""Character n-grams of a text, and the score of each language: sums of integers.

A word is a run of letters in lower case. Its features are all n-grams of one to four letters, where
the ends of the word count as a letter, and the word itself; each is hashed to a row of weights.
Only the beginning of a text is read. What looks like an address, a path or code is passed over,
since its letters say nothing about the language around it.
"""
from libc.stdint cimport int8_t, int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.hashing cimport hashed_on, mixed

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 ch) nogil
    bint Py_UNICODE_ISNUMERIC(Py_UCS4 ch) nogil
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 ch) nogil
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t index) nogil

cdef enum:
    MAX_READ = 2000      # characters of a text
    MAX_USED = 240       # letters of a text; longer texts gain nothing
    MAX_RUN = 40         # letters of a word; a longer run is cut, as in languages without spaces
    LONGEST_GRAM = 4
    EDGE = 32            # stands for the beginning and the end of a word
    WORD_SEED = 7        # keeps a word apart from the n-gram of the same letters
    FIRST_WIDE = 0x2E80  # from here on scripts are written without spaces

MOST_LETTERS = MAX_USED


cdef inline bint is_mark(Py_UCS4 c) noexcept nogil:
    """Whether a character that is no letter belongs to the word before it: accents, vowel signs."""
    if c < 0x300:
        return False
    return (c < 0x370 or 0x591 <= c <= 0x5C7 or 0x610 <= c <= 0x61A or 0x64B <= c <= 0x65F
            or c == 0x670 or (0x900 <= c < 0xE00 and c != 0x964 and c != 0x965
                              and not Py_UNICODE_ISNUMERIC(c)))


cdef inline bint is_technical(Py_UCS4 c) noexcept nogil:
    """Whether a character marks a token as an address, a path or code."""
    if c >= 128:
        return False
    return (c == c'/' or c == c'\\' or c == c'@' or c == c'_' or c == c'=' or c == c'<'
            or c == c'>' or c == c'{' or c == c'}' or c == c'|' or c == c'#' or c == c'$'
            or c == c'[' or c == c']' or c == c'~' or c == c'^' or c == c'`')


cdef struct Reading:
    int kind
    void* data
    Py_ssize_t n


cdef bint is_text(const Reading* text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a token between spaces is written language."""
    cdef Py_ssize_t i
    cdef Py_UCS4 c, before = 0
    for i in range(start, end):
        c = PyUnicode_READ(text.kind, text.data, i)
        if c >= FIRST_WIDE:
            return True
        if is_technical(c):
            return False
        if (c == c'.' or c == c'(' or c == c':') and Py_UNICODE_ISALPHA(before) and i + 1 < end:
            # "www.example", "call(x)" and "std::swap"; not "word." nor "e.g."
            if i - start > 1 and Py_UNICODE_ISALPHA(PyUnicode_READ(text.kind, text.data, i + 1)):
                return False
            if c != c'.' and PyUnicode_READ(text.kind, text.data, i + 1) in (c':', c')'):
                return False
        before = c
    return True


cdef int add_word(const Py_UCS4* letters, int n, uint32_t n_rows,
                  vector[uint32_t]& rows) except -1 nogil:
    """Append the rows of a word's features; the word stands between two edges."""
    cdef uint64_t hash
    cdef int first, i
    cdef int last = n + 2
    for first in range(last):
        hash = 0
        for i in range(first, min(first + LONGEST_GRAM, last)):
            hash = hashed_on(hash, letters[i])
            if i > 0 and (first > 0 or i > first) and not (i == first and i == last - 1):
                rows.push_back(<uint32_t> ((mixed(hash) >> 32) * n_rows >> 32))
    hash = WORD_SEED
    for i in range(1, n + 1):
        hash = hashed_on(hash, letters[i])
    rows.push_back(<uint32_t> ((mixed(hash) >> 32) * n_rows >> 32))
    return 0


cdef int add_token(const Reading* text, Py_ssize_t start, Py_ssize_t end, uint32_t n_rows,
                   vector[uint32_t]& rows) except -1 nogil:
    """Append the features of the words of a token, and return the number of their letters."""
    cdef Py_UCS4[MAX_RUN + 2] letters
    cdef int n = 0, n_used = 0
    cdef Py_ssize_t i
    cdef Py_UCS4 c
    letters[0] = EDGE
    for i in range(start, end + 1):
        c = PyUnicode_READ(text.kind, text.data, i) if i < end else EDGE
        if c == 0x2019 and n > 0:
            c = c"'"
        if Py_UNICODE_ISALPHA(c) or (n > 0 and (is_mark(c) or (
                c == c"'" and i + 1 < end
                and Py_UNICODE_ISALPHA(PyUnicode_READ(text.kind, text.data, i + 1))))):
            n += 1
            letters[n] = Py_UNICODE_TOLOWER(c)
            if n < MAX_RUN:
                continue
        elif c == 0x200C or c == 0x200D or c == 0xAD or c == 0x640:
            continue  # joiners, soft hyphens and the stroke that stretches Arabic words
        if n > 0:
            letters[n + 1] = EDGE
            add_word(letters, n, n_rows, rows)
            n_used += n
            n = 0
    return n_used


cdef int add_text(str text, uint32_t n_rows, vector[uint32_t]& rows) except -1:
    """Append the features of the beginning of a text, and return the number of letters read."""
    cdef Reading reading
    cdef Py_ssize_t start = 0, i
    cdef int n_used = 0
    reading.kind, reading.data = PyUnicode_KIND(text), PyUnicode_DATA(text)
    reading.n = min(len(text), MAX_READ)
    rows.reserve(6 * min(<size_t> reading.n, <size_t> MAX_USED) + 16)
    for i in range(reading.n + 1):
        if i < reading.n and not Py_UNICODE_ISSPACE(
                PyUnicode_READ(reading.kind, reading.data, i)) and i - start < MAX_USED:
            continue
        if i > start and is_text(&reading, start, i):
            n_used += add_token(&reading, start, i, n_rows, rows)
            if n_used >= MAX_USED:
                break
        start = i if i < reading.n and i - start >= MAX_USED else i + 1
    return n_used


def ngram_rows(str text, uint32_t n_rows):
    """Return the rows of a text's features among `n_rows`, and the number of letters read.

    >>> rows, n_letters = ngram_rows("An oak: https://example.org/oak", 1000)
    >>> n_letters, len(rows) == len(ngram_rows("an OAK", 1000)[0])
    (5, True)
    """
    cdef vector[uint32_t] rows
    n_letters = add_text(text, n_rows, rows)
    return list(rows), n_letters


cdef class NgramScorer:
    """Weights of hashed n-grams, eight bits each, with a row for all classes."""

    cdef vector[int8_t] weights
    cdef readonly int n_classes
    cdef uint32_t n_rows

    def __init__(self, const int8_t[::1] weights, int n_classes):
        cdef Py_ssize_t i
        if n_classes < 1 or weights.shape[0] < 1 or weights.shape[0] % n_classes:
            raise ValueError(f"{weights.shape[0]:,} weights do not make rows of {n_classes}")
        self.n_classes, self.n_rows = n_classes, weights.shape[0] // n_classes
        self.weights.resize(weights.shape[0])
        for i in range(weights.shape[0]):
            self.weights[i] = weights[i]

    def scores(self, str text):
        """Return the score of every class, and the number of letters that were read."""
        cdef vector[uint32_t] rows
        cdef vector[int32_t] sums
        cdef int n_letters = add_text(text, self.n_rows, rows)
        cdef const int8_t* row
        cdef int32_t* total
        cdef uint32_t at
        cdef int j
        sums.resize(self.n_classes)
        total = sums.data()
        with nogil:
            for at in rows:
                row = self.weights.data() + <size_t> at * self.n_classes
                for j in range(self.n_classes):
                    total[j] += row[j]
        return list(sums), n_letters
