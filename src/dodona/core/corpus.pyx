"""Sentences as columns of integers, one after the other in a few flat arrays; see corpus.pxd."""
from .features cimport ID_MISSING, ID_ROOT
from .state cimport NONE


cdef class Corpus:
    """A list of encoded sentences. Whoever encodes fills it; search and training read it."""

    def __init__(self, int n_columns):
        self.n_columns = n_columns

    def __len__(self):
        return self.n_words.size()

    @property
    def n_words_total(self):
        """Words of all sentences together."""
        return self.head.size()

    cdef int32_t* add(self, int n_words):
        """Append a sentence; returns its values, column c of word i at [c * (n + 3) + i + 1].

        The pointer holds until the next call.
        """
        cdef size_t stride = <size_t> n_words + 3, start = self.values.size()
        cdef int c
        self.first_value.push_back(start)
        self.first_word.push_back(self.head.size())
        self.n_words.push_back(n_words)
        self.longest = max(self.longest, n_words)
        self.values.resize(start + self.n_columns * stride)
        self.head.resize(self.head.size() + n_words, NONE)
        self.label.resize(self.label.size() + n_words, NONE)
        for c in range(self.n_columns):
            self.values[start + c * stride] = ID_MISSING
            self.values[start + c * stride + 1] = ID_ROOT
            self.values[start + c * stride + n_words + 2] = ID_ROOT
        return self.values.data() + start

    cdef WordsC words(self, int sentence) noexcept nogil:
        cdef WordsC words
        words.n_words = self.n_words[sentence]
        words.n_columns = self.n_columns
        words.values = self.values.data() + self.first_value[sentence]
        return words

    def _first_word(self, int sentence):
        if not 0 <= sentence < len(self):
            raise IndexError(f"no sentence {sentence} among {len(self)}")
        return self.first_word[sentence]

    def heads(self, int sentence):
        """Heads of a sentence's words; None where there is none."""
        cdef size_t i, first = self._first_word(sentence)
        return [None if self.head[i] == NONE else self.head[i]
                for i in range(first, first + self.n_words[sentence])]

    def labels(self, int sentence):
        """Label ids of a sentence's words; None where there is none."""
        cdef size_t i, first = self._first_word(sentence)
        return [None if self.label[i] == NONE else self.label[i]
                for i in range(first, first + self.n_words[sentence])]

    def set_tree(self, int sentence, heads, labels):
        """Give a sentence heads and label ids (None: not annotated)."""
        cdef size_t i = self._first_word(sentence)
        if not len(heads) == len(labels) == self.n_words[sentence]:
            raise ValueError("a head and a label for every word are needed")
        for head, label in zip(heads, labels):
            if head is not None and not 0 <= head <= len(heads):
                raise ValueError(f"head {head}, but the sentence has {len(heads)} words")
            self.head[i] = NONE if head is None else head
            self.label[i] = NONE if label is None else label
            i += 1
