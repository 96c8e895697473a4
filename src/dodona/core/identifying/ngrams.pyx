"""Character n-grams of a text, and the score of each language: sums of integers.

A word is a run of letters in lower case. Its features are all n-grams of one to four letters, where
the ends of the word count as a letter, and the word itself. The telling ones have a row of weights;
all others of one length and script share a row, so that a text of unknown n-grams in a known script
is recognised as one of another language. Only the beginning of a text is read. What looks like an
address, a path or code is passed over, since its letters say nothing about the language around it.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
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
    MAX_USED = 200       # letters of a text; longer texts gain nothing
    MAX_RUN = 40         # letters of a word; a longer run is cut, as in languages without spaces
    LONGEST_GRAM = 4
    EDGE = 32            # stands for the beginning and the end of a word
    WORD_SEED = 7        # keeps a word apart from the n-gram of the same letters
    FIRST_WIDE = 0x2E80  # from here on scripts are written without spaces
    N_SCRIPTS = 16
    N_LENGTHS = LONGEST_GRAM + 1  # of n-grams, and one for words
    WIDTH = 48           # classes, padded: a fixed number of sums is vectorised, 3x faster
    MAX_ADDED = 255      # weights of eight bits whose sum has sixteen
    BACKED_OFF = 3       # weight of the mean of a word's n-grams, in place of the word

N_SHARED = N_LENGTHS * N_SCRIPTS  # rows of n-grams without their own


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


cdef inline int script_of(Py_UCS4 c) noexcept nogil:
    """Return the number of a script, or of a group of scripts that no known language uses."""
    if c < 0x530:
        return 0 if c < 0x80 else 1 if c < 0x250 else 2 if c < 0x370 else 3 if c < 0x400 else 4
    if c < 0x700:
        return 5 if c < 0x590 else 6 if c < 0x600 else 7
    if c < FIRST_WIDE:
        return 8 if 0x900 <= c < 0x980 else 3 if 0x1F00 <= c < 0x2000 else 9
    if c < 0xA000:
        return 10 if 0x3040 <= c < 0x3100 else 11
    return 12 if 0xAC00 <= c < 0xD7B0 else 13


cdef struct Features:
    vector[uint32_t] keys
    vector[uint8_t] shared  # the row of an n-gram without its own


cdef inline int add_feature(Features* found, uint64_t hash, int length,
                            Py_UCS4 letter) except -1 nogil:
    found.keys.push_back(<uint32_t> (mixed(hash) >> 32) | 1)  # 0 marks an empty slot
    found.shared.push_back(<uint8_t> ((length - 1) * N_SCRIPTS + script_of(letter)))
    return 0


cdef int add_word(const Py_UCS4* letters, int n, Features* found) except -1 nogil:
    """Append the features of a word of n letters, which stand between two edges."""
    cdef uint64_t hash
    cdef int first, i
    cdef Py_UCS4 letter
    for first in range(n + 1):
        hash, letter = 0, letters[max(first, 1)]
        for i in range(first, min(first + LONGEST_GRAM, n + 2)):
            hash = hashed_on(hash, letters[i])
            if i > 0:  # an edge alone is no n-gram
                add_feature(found, hash, i - first + 1, letter)
    hash = WORD_SEED
    for i in range(1, n + 1):
        hash = hashed_on(hash, letters[i])
    return add_feature(found, hash, N_LENGTHS, letters[1])


cdef int add_token(const Reading* text, Py_ssize_t start, Py_ssize_t end,
                   Features* found) except -1 nogil:
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
            add_word(letters, n, found)
            n_used += n
            n = 0
    return n_used


cdef int add_text(str text, Features* found) except -1:
    """Append the features of the beginning of a text, and return the number of letters read."""
    cdef Reading reading
    cdef Py_ssize_t start = 0, i
    cdef int n_used = 0
    reading.kind, reading.data = PyUnicode_KIND(text), PyUnicode_DATA(text)
    reading.n = min(len(text), MAX_READ)
    for i in range(reading.n + 1):
        if i < reading.n and not Py_UNICODE_ISSPACE(
                PyUnicode_READ(reading.kind, reading.data, i)) and i - start < MAX_USED:
            continue
        if i > start and is_text(&reading, start, i):
            n_used += add_token(&reading, start, i, found)
            if n_used >= MAX_USED:
                break
        start = i if i < reading.n and i - start >= MAX_USED else i + 1
    return n_used


def ngram_keys(str text):
    """Return the features of a text, as the scorer reads them: keys of 32 bits, and shared rows.

    >>> [len(part) for part in ngram_keys("An oak: https://example.org/oak")]
    [88, 22]
    >>> ngram_keys("an OAK") == ngram_keys("An oak: https://example.org/oak")
    True
    """
    cdef Features found
    add_text(text, &found)
    cdef Py_ssize_t n = found.keys.size()
    if n == 0:
        return b"", b""
    return (<char*> found.keys.data())[:4 * n], (<char*> found.shared.data())[:n]


cdef class NgramScorer:
    """Weights of n-grams, eight bits per class: rows that n-grams share, then a row per key.

    A score is the sum over all n-grams and words or, `by_words`, over words: a word without a row
    counts as the mean of its n-grams, so that long words weigh no more than short ones (Jauhiainen,
    Lindén & Jauhiainen 2016). This halves the confusions of Danish, Bokmål and Nynorsk.
    """

    cdef vector[int8_t] weights      # rows of WIDTH
    cdef vector[uint32_t] slots      # keys, by open addressing
    cdef vector[uint16_t] rows       # of these keys
    cdef uint32_t mask
    cdef readonly int n_classes
    cdef readonly bint by_words

    def __init__(self, const uint32_t[::1] keys, const int8_t[::1] weights, int n_classes,
                 bint by_words=False):
        cdef size_t n_rows = N_SHARED + keys.shape[0], n_slots = 16, i
        cdef uint32_t slot
        cdef int j
        if not 1 <= n_classes <= WIDTH or n_rows >= 1 << 16 or (
                <size_t> weights.shape[0] != n_rows * n_classes):
            raise ValueError(f"{weights.shape[0]:,} weights, but {n_rows:,} rows of {n_classes}")
        self.n_classes, self.by_words = n_classes, by_words
        self.weights.resize(n_rows * WIDTH)
        for i in range(n_rows):
            for j in range(n_classes):
                self.weights[i * WIDTH + j] = weights[i * n_classes + j]
        while 2 * n_slots < 3 * <size_t> keys.shape[0]:
            n_slots *= 2
        self.slots.resize(n_slots)
        self.rows.resize(n_slots)
        self.mask = n_slots - 1
        for i in range(<size_t> keys.shape[0]):
            if keys[i] == 0:
                raise ValueError("no n-gram has the key 0")
            slot = keys[i] >> 1 & self.mask
            while self.slots[slot]:
                slot = (slot + 1) & self.mask
            self.slots[slot], self.rows[slot] = keys[i], N_SHARED + i

    cdef inline uint32_t row_of(self, uint32_t key, uint8_t shared) noexcept nogil:
        cdef uint32_t slot = key >> 1 & self.mask
        while self.slots[slot]:
            if self.slots[slot] == key:
                return self.rows[slot]
            slot = (slot + 1) & self.mask
        return shared

    cdef void add_up(self, const Features* found, int32_t* total) noexcept nogil:
        """Add the rows of all features; a block of them has sums of sixteen bits."""
        cdef int16_t[WIDTH] sums
        cdef const int8_t* row
        cdef size_t i = 0, end, n = found.keys.size()
        cdef int j
        while i < n:
            for j in range(WIDTH):
                sums[j] = 0
            end = min(i + MAX_ADDED, n)
            while i < end:
                row = &self.weights[<size_t> self.row_of(found.keys[i], found.shared[i]) * WIDTH]
                for j in range(WIDTH):
                    sums[j] += row[j]
                i += 1
            for j in range(WIDTH):
                total[j] += sums[j]

    cdef void add_words(self, const Features* found, int32_t* total) noexcept nogil:
        """Add the row of each word, or a multiple of the mean of those of its n-grams."""
        cdef int32_t[WIDTH] sums
        cdef const int8_t* row
        cdef size_t i, k, first = 0
        cdef uint32_t at
        cdef int j, n
        for i in range(found.keys.size()):
            if found.shared[i] < (N_LENGTHS - 1) * N_SCRIPTS:
                continue  # an n-gram; the word comes after its n-grams
            at = self.row_of(found.keys[i], 0)
            if at > 0:
                row = &self.weights[<size_t> at * WIDTH]
                for j in range(WIDTH):
                    total[j] += row[j]
            else:
                n = 0
                for j in range(WIDTH):
                    sums[j] = 0
                for k in range(first, i):
                    at = self.row_of(found.keys[k], 0)
                    if at > 0:
                        n += 1
                        row = &self.weights[<size_t> at * WIDTH]
                        for j in range(WIDTH):
                            sums[j] += row[j]
                for j in range(WIDTH if n else 0):
                    total[j] += BACKED_OFF * sums[j] / n
            first = i + 1

    def scores(self, str text):
        """Return the score of every class, and the number of letters that were read."""
        cdef Features found
        cdef int32_t[WIDTH] total
        cdef int j, n_letters = add_text(text, &found)
        for j in range(WIDTH):
            total[j] = 0
        with nogil:
            if self.by_words:
                self.add_words(&found, total)
            else:
                self.add_up(&found, total)
        return [total[j] for j in range(self.n_classes)], n_letters
