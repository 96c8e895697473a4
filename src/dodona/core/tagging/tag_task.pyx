"""A tagging task: its features, the column it fills in, and the words with a fixed class.

A word seen often enough with one class always gets it, without the model: this decides half of the
words of a text. After other tasks, a class is fixed given the classes that those have assigned.
"""
from dodona.core.base.nodes cimport NONE, n_nodes
from dodona.core.features.words cimport N_RESERVED
from dodona.core.weights.linear cimport check_classes, padded
from dodona.core.weights.packed cimport MASKED

cdef uint32_t ANY_CLASSES = 0xffffffff       # instead of the classes of earlier tasks
ANY = ANY_CLASSES


def join(classes):
    """Return the id of the classes that earlier tasks have given a word.

    >>> join([]), join([7]), join([7, 1]) == join([1, 7])
    (0, 7, False)
    """
    cdef uint32_t number = 0
    for klass in classes:
        number = joined(number, klass)
    return number


cdef class TagTask:
    """A task that fills in the column `own`; `given` are columns of earlier tasks.

    The column `entry` has the id of each of the `n_known` known words. Word entries[i] always gets
    the class fixed[i] if the `join` of its given classes is before[i], or if before[i] is ANY. Only
    such words can have classes from `n_classes` to `n_all_classes`.
    """

    def __init__(self, TagFeatures features, columns, str own, given, int n_classes,
                 int n_known, const uint32_t[::1] entries, const uint32_t[::1] before,
                 const uint32_t[::1] fixed, int n_all_classes=0):
        check_classes(n_classes)
        self.features, self.n_classes, self.n_columns = features, n_classes, len(columns)
        self.n_all_classes = max(n_classes, n_all_classes)
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
        self._set_fixed(n_known, entries, before, fixed)

    def _set_fixed(self, int n_known, const uint32_t[::1] entries,
                   const uint32_t[::1] before, const uint32_t[::1] fixed):
        cdef Py_ssize_t i
        if not entries.shape[0] == before.shape[0] == fixed.shape[0]:
            raise ValueError("the arrays of words with fixed classes differ in length")
        self.start.push_back(0)
        for i in range(entries.shape[0]):
            if entries[i] >= <size_t> n_known:
                raise ValueError(f"word {entries[i]} has a fixed class, but {n_known} are known")
            if entries[i] + 2 < self.start.size():
                raise ValueError(f"word {entries[i]} with a fixed class is out of order")
            if fixed[i] >= <uint32_t> self.n_all_classes:
                raise ValueError(f"class {fixed[i]}, but there are {self.n_all_classes}")
            self.start.resize(entries[i] + 2, <int32_t> i)
            self.start[entries[i] + 1] = <int32_t> i + 1
            self.given.push_back(before[i])
            self.fixed.push_back(<int32_t> fixed[i])

    def tags(self, Corpus corpus not None, int sentence):
        """Return the classes that the corpus holds for the words of a sentence."""
        cdef const int32_t* own
        cdef int i
        if not 0 <= sentence < len(corpus) or corpus.n_columns != self.n_columns:
            raise ValueError(f"there is no sentence {sentence} of {self.n_columns} columns")
        own = self.own(corpus, sentence)
        return [own[i] - N_RESERVED for i in range(1, corpus.n_words[sentence] + 1)]

    cdef int fixed_class(self, const WordsC* words, int word) noexcept nogil:
        """Return the fixed class of a word, or NONE."""
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
            if self.given[i] == given or self.given[i] == ANY_CLASSES:
                return self.fixed[i]
        return NONE

    cdef int32_t* own(self, Corpus corpus, int sentence) noexcept nogil:
        """Return the column that the task fills in, by node; values are N_RESERVED + class."""
        return corpus.column(sentence, self.own_column)
