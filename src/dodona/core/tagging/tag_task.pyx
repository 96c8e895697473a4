"""A tagging task: its features, the column it fills in, and the words that are certain.

A word seen often enough with one class always has it, without a look at the model: half of a text
is settled like this. After other tasks, words are certain given the classes that these have found.
"""
from dodona.core.base.nodes cimport NONE, n_nodes
from dodona.core.features.words cimport N_RESERVED
from dodona.core.weights.linear cimport check_classes, padded
from dodona.core.weights.packed cimport MASKED

cdef uint32_t WHATEVER = 0xffffffff       # in the place of classes of tasks before
ANY = WHATEVER


def join(classes):
    """The number that stands for these classes of tasks before.

    >>> join([]), join([7]), join([7, 1]) == join([1, 7])
    (0, 7, False)
    """
    cdef uint32_t number = 0
    for klass in classes:
        number = joined(number, klass)
    return number


cdef class TagTask:
    """A task over these columns, which fills in `own`; `given` are those of tasks before.

    The column `entry` tells which of the `n_known` known words a word is. Word entries[i] has the
    class fixed[i] for certain where the tasks before have given the classes whose `join` is
    before[i], or in any case if that is ANY. Certain words may have classes from `n_classes` to
    `n_certain`, which no other word can have.
    """

    def __init__(self, TagFeatures features, columns, str own, given, int n_classes,
                 int n_known, const uint32_t[::1] entries, const uint32_t[::1] before,
                 const uint32_t[::1] fixed, int n_certain=0):
        check_classes(n_classes)
        self.features, self.n_classes, self.n_columns = features, n_classes, len(columns)
        self.n_certain = max(n_classes, n_certain)
        self.entry_column, self.own_column = columns.index("entry"), columns.index(own)
        for column in given:
            self.given_columns.push_back(columns.index(column))
        self.n_padded = padded(n_classes)
        self.sketch = Sketch(n_classes)
        for lane in range(self.sketch.n_lanes):
            is_open = any(c < n_classes for c in self.sketch.classes(lane))
            self.blank.push_back(0 if is_open else MASKED)
        self.blank.resize(self.sketch.n_lanes + n_classes, 0)
        self.blank.resize(self.sketch.n_lanes + self.n_padded, MASKED)
        self._set_certain(n_known, entries, before, fixed)

    def _set_certain(self, int n_known, const uint32_t[::1] entries,
                     const uint32_t[::1] before, const uint32_t[::1] fixed):
        cdef Py_ssize_t i
        if not entries.shape[0] == before.shape[0] == fixed.shape[0]:
            raise ValueError("the arrays of certain words differ in length")
        self.start.push_back(0)
        for i in range(entries.shape[0]):
            if entries[i] >= <size_t> n_known:
                raise ValueError(f"the certain word {entries[i]}, but {n_known} are known")
            if entries[i] + 2 < self.start.size():
                raise ValueError(f"the certain word {entries[i]} is out of order")
            if fixed[i] >= <uint32_t> self.n_certain:
                raise ValueError(f"class {fixed[i]}, but there are {self.n_certain}")
            self.start.resize(entries[i] + 2, <int32_t> i)
            self.start[entries[i] + 1] = <int32_t> i + 1
            self.given.push_back(before[i])
            self.fixed.push_back(<int32_t> fixed[i])

    def tags(self, Corpus corpus not None, int sentence):
        """The classes that stand in the corpus for the words of a sentence."""
        cdef const int32_t* own
        cdef int i
        if not 0 <= sentence < len(corpus) or corpus.n_columns != self.n_columns:
            raise ValueError(f"no sentence {sentence} of {self.n_columns} columns")
        own = self.own(corpus, sentence)
        return [own[i] - N_RESERVED for i in range(1, corpus.n_words[sentence] + 1)]

    cdef int certain(self, const WordsC* words, int word) noexcept nogil:
        """The class that the word has for certain, or NONE."""
        cdef const int32_t* column = words.values + word + 1
        cdef size_t stride = n_nodes(words.n_words)
        cdef int32_t i, entry = column[self.entry_column * stride] - N_RESERVED
        cdef uint32_t given = 0
        cdef size_t k
        if entry < 0 or entry + 1 >= <int32_t> self.start.size():
            return NONE
        for k in range(self.given_columns.size()):
            given = joined(given, column[self.given_columns[k] * stride] - N_RESERVED)
        for i in range(self.start[entry], self.start[entry + 1]):
            if self.given[i] == given or self.given[i] == WHATEVER:
                return self.fixed[i]
        return NONE

    cdef int32_t* own(self, Corpus corpus, int sentence) noexcept nogil:
        """The column that the task fills in, by node; values are N_RESERVED + class."""
        return corpus.column(sentence, self.own_column)
