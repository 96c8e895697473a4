"""A tagging task: its features, the column it fills in, and the words that are certain.

A word seen often enough with one class always has it, without a look at the model: half of a text
is settled like this. After another task, words are certain given the class that it has found.
"""
from libc.stdint cimport uint32_t

from .corpus cimport Corpus
from .features cimport N_RESERVED
from .linear cimport padded
from .packed cimport BARRED
from .state cimport NONE


cdef enum:
    MAX_ENTRIES = 1 << 30


cdef class TagTask:
    """A task over these columns, which fills in `own`; `given` is that of the task before, or "".

    The column `entry` tells which known word a word is. Word entries[i] has the class fixed[i] for
    certain where the task before has given the class before[i] (0 if there is none).
    """

    def __init__(self, TagFeatures features, columns, str own, str given, int n_classes,
                 const uint32_t[::1] entries, const uint32_t[::1] before,
                 const uint32_t[::1] fixed):
        self.features, self.n_classes, self.n_columns = features, n_classes, len(columns)
        self.entry_column, self.own_column = columns.index("entry"), columns.index(own)
        self.given_column = columns.index(given) if given else NONE
        self.n_padded = padded(n_classes)
        self.blank.resize(n_classes, 0)
        self.blank.resize(self.n_padded, BARRED)
        self._set_certain(entries, before, fixed)

    def _set_certain(self, const uint32_t[::1] entries, const uint32_t[::1] before,
                     const uint32_t[::1] fixed):
        cdef Py_ssize_t i
        if not entries.shape[0] == before.shape[0] == fixed.shape[0]:
            raise ValueError("the arrays of certain words differ in length")
        self.start.push_back(0)
        for i in range(entries.shape[0]):
            if entries[i] + 2 < self.start.size() or entries[i] >= MAX_ENTRIES:
                raise ValueError(f"the certain word {entries[i]} is out of order")
            if fixed[i] >= <uint32_t> self.n_classes:
                raise ValueError(f"class {fixed[i]}, but there are {self.n_classes}")
            self.start.resize(entries[i] + 2, <int32_t> i)
            self.start[entries[i] + 1] = <int32_t> i + 1
            self.given.push_back(<int32_t> before[i])
            self.fixed.push_back(<int32_t> fixed[i])

    def tags(self, Corpus corpus not None, int sentence):
        """The classes that stand in the corpus for the words of a sentence."""
        cdef WordsC words
        if not 0 <= sentence < len(corpus) or corpus.n_columns != self.n_columns:
            raise ValueError(f"no sentence {sentence} of {self.n_columns} columns")
        words = corpus.words(sentence)
        return [self.own(&words)[i] - N_RESERVED for i in range(1, words.n_words + 1)]

    cdef int certain(self, const WordsC* words, int word) noexcept nogil:
        """The class that the word has for certain, or NONE."""
        cdef const int32_t* column = words.values + word + 1
        cdef size_t stride = <size_t> words.n_words + 3
        cdef int32_t i, given = 0
        cdef int32_t entry = column[self.entry_column * stride] - N_RESERVED
        if entry < 0 or entry + 1 >= <int32_t> self.start.size():
            return NONE
        if self.given_column != NONE:
            given = column[self.given_column * stride] - N_RESERVED
        for i in range(self.start[entry], self.start[entry + 1]):
            if self.given[i] == given:
                return self.fixed[i]
        return NONE

    cdef int32_t* own(self, const WordsC* words) noexcept nogil:
        """The column that the task fills in, from node 0 on; values are N_RESERVED + class."""
        return <int32_t*> words.values + <size_t> self.own_column * (words.n_words + 3) + 1
