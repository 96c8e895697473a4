"""Sentences as columns of integers, one after the other in a few flat arrays; see corpus.pxd."""
from dodona.core.base.nodes cimport NONE, n_nodes
from dodona.core.features.words cimport ID_MISSING, ID_ROOT
from dodona.core.transitions.gold cimport ANY, build_links, gold_size, links_size


cdef class Corpus:
    """A list of encoded sentences, filled by an encoder, and read by search and training."""

    def __init__(self, int n_columns):
        self.n_columns, self.broken, self.with_products = n_columns, [], NONE

    def __len__(self):
        return self.n_words.size()

    @property
    def n_words_total(self):
        """The number of words of all sentences."""
        return self.head.size()

    cdef int32_t* add(self, int n_words):
        """Append a sentence; return its values, column c of word i at [c * n_nodes(n) + i + 1].

        The pointer is valid until the next call.
        """
        cdef size_t stride = n_nodes(n_words), start = self.values.size()
        cdef int c
        self.first_value.push_back(start)
        self.first_word.push_back(self.head.size())
        self.n_words.push_back(n_words)
        self.first_arc.push_back(0)
        self.end_arc.push_back(0)
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
        words.packed = NULL
        words.products = NULL
        if self.packed_size:
            words.packed = self.packed.data() + self.first_word[sentence] * self.packed_size
        if sentence == self.with_products:
            words.products = self.products.data()
        words.kinds = NULL
        if not self.kinds.empty():
            words.kinds = self.kinds.data() + self.first_word[sentence] - 1
        return words

    cdef int32_t* column(self, int sentence, int column) noexcept nogil:
        """Return the values of a column by node, to be filled in."""
        return (self.values.data() + self.first_value[sentence]
                + <size_t> column * n_nodes(self.n_words[sentence]) + 1)

    cdef int set_gold(self, System system, int sentence, GoldC* gold,
                      vector[int32_t]& block) except -1 nogil:
        """Build the gold tree or, for a system of graphs, the gold graph of a sentence."""
        cdef int n = self.n_words[sentence]
        cdef size_t first = self.first_word[sentence]
        cdef size_t start = self.first_arc[sentence], n_arcs = self.end_arc[sentence] - start
        if system.max_arcs(n) > 0:
            block.resize(links_size(n, n_arcs) // sizeof(int32_t))
            build_links(gold, block.data(), n, self.arcs.data() + start, n_arcs)
        else:
            block.resize(gold_size(n) // sizeof(int32_t))
            system.build_tree(gold, block.data(), n, &self.head[first], &self.label[first])

    def _first_word(self, int sentence):
        if not 0 <= sentence < len(self):
            raise IndexError(f"no sentence {sentence} among {len(self)}")
        return self.first_word[sentence]

    def heads(self, int sentence):
        """Return the heads of a sentence's words; None where there is none."""
        cdef size_t i, first = self._first_word(sentence)
        return [None if self.head[i] == NONE else self.head[i]
                for i in range(first, first + self.n_words[sentence])]

    def labels(self, int sentence):
        """Return the label ids of a sentence's words; None where there is none."""
        cdef size_t i, first = self._first_word(sentence)
        return [None if self.label[i] == NONE else self.label[i]
                for i in range(first, first + self.n_words[sentence])]

    def set_tree(self, int sentence, heads, labels):
        """Set the heads and label ids of a sentence (None: not annotated)."""
        cdef size_t i = self._first_word(sentence)
        if not len(heads) == len(labels) == self.n_words[sentence]:
            raise ValueError("every word needs a head and a label")
        for head, label in zip(heads, labels):
            if head is not None and not 0 <= head <= len(heads):
                raise ValueError(f"head {head}, but the sentence has {len(heads)} words")
            self.head[i] = NONE if head is None else head
            self.label[i] = NONE if label is None else label
            i += 1

    def graph(self, int sentence):
        """Return the arcs of a sentence's graph: (head, label id or None, dependent)."""
        self._first_word(sentence)
        return [(self.arcs[i].head, self.arcs[i].label if self.arcs[i].label >= 0 else None,
                 self.arcs[i].dependent)
                for i in range(self.first_arc[sentence], self.end_arc[sentence])]

    def set_graph(self, int sentence, arcs):
        """Set the graph of a sentence: (head, label id, dependent); a label of None matches any."""
        self._first_word(sentence)
        cdef int n_words = self.n_words[sentence]
        arcs = list(arcs)
        if len({(head, dependent) for head, _, dependent in arcs}) < len(arcs):
            raise ValueError("two arcs between the same two words: join their labels into one")
        for head, _, dependent in arcs:
            if not (0 <= head <= n_words and 1 <= dependent <= n_words and head != dependent):
                raise ValueError(
                    f"arc from {head} to {dependent}, but the sentence has {n_words} words")
        self.first_arc[sentence] = self.arcs.size()
        for head, label, dependent in arcs:
            self.arcs.push_back(GoldArc(head, ANY if label is None else label, dependent))
        self.end_arc[sentence] = self.arcs.size()
