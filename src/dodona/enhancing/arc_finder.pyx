"""The arcs of graphs: the best class of every candidate, and what keeps graphs connected."""
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport ID_UNKNOWN
from dodona.core.transitions.gold cimport GoldArc
from dodona.core.weights.linear cimport MAX_KEYS, padded
from dodona.core.weights.packed cimport PackedWeights
from dodona.enhancing.path_table cimport NO_ARC, UP, PathTable
from dodona.enhancing.path_walker cimport Candidate, PathWalker
from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport DEPREL, Fields, Sentence, Text, field, fields_of


def unknown_labels(Vocabulary labels not None, sentences):
    """Return the labels of trees that are not in the vocabulary, in their order."""
    cdef Sentence sentence
    cdef Text text
    cdef int i
    found = {}
    for sentence in sentences:
        for i in range(sentence.n_words):
            text = field(sentence, i, DEPREL)
            if labels.lookup(text.text, text.size) == ID_UNKNOWN:
                found[text.text[:text.size].decode()] = None
    return list(found)


cdef class ArcFinder(PathWalker):
    """A builder of graphs, for one thread.

    Every word can be reached from the root: a word that cannot keeps the arc of its tree, and so
    does one whose relation is in no pattern.
    """
    cdef PackedWeights weights
    cdef vector[int16_t] scores
    cdef uint64_t keys[MAX_KEYS]
    cdef vector[int32_t] first_from     # per node: the first arc from it, and …
    cdef vector[int32_t] next_from      # … per arc the next from the same node
    cdef vector[char] is_reached        # per node
    cdef vector[int32_t] stack

    def __init__(self, PathTable table not None, PackedWeights weights not None):
        super().__init__(table)
        if weights.n_classes != table.n_classes:
            raise ValueError(f"weights of {weights.n_classes} classes, not {table.n_classes}")
        self.weights = weights
        self.scores.resize(padded(table.n_classes))

    def find(self, sentences):
        """Return a corpus with the graphs of the sentences, whose labels are in the table."""
        cdef Corpus corpus = Corpus(0)
        cdef Sentence sentence
        cdef vector[Fields] batch
        cdef size_t i
        sentences = list(sentences)         # they own what `batch` points to
        for sentence in sentences:
            batch.push_back(fields_of(sentence))
            corpus.add(sentence.n_words)
        with nogil:
            for i in range(batch.size()):
                corpus.first_arc[i] = corpus.arcs.size()
                self.read(batch[i])
                self.walk()
                self._choose_all(corpus)
                corpus.end_arc[i] = corpus.arcs.size()
        return corpus

    cdef int _choose_all(self, Corpus corpus) except -1 nogil:
        """Add the arcs of the current sentence to a corpus."""
        cdef size_t i, start = corpus.arcs.size()
        cdef int32_t word = 0
        cdef int klass
        cdef bint is_tree = True            # all arcs of the tree are there
        for i in range(self.found.size()):
            while word < self.found[i].dependent:        # candidates are in the order of words
                word += 1
                self._copy_unknown(corpus, word)
            klass = self._best_class(self.found[i])
            if klass != NO_ARC:
                self._add(corpus, self.found[i], klass)
            elif self.found[i].n_steps == 1 and self.found[i].head == self.words[word].head:
                is_tree = False
        while word + 1 < <int32_t> self.words.size():
            word += 1
            self._copy_unknown(corpus, word)
        if not is_tree:
            self._connect(corpus, start)
        return 0

    cdef int _copy_unknown(self, Corpus corpus, int32_t word) except -1 nogil:
        """Add the arc of the tree if no pattern decides on it."""
        cdef int32_t node = self.table.after(0, UP, self.words[word].relation)
        if node == NONE or self.table.pattern[node] == NONE:
            self._copy(corpus, word)
        return 0

    cdef int _copy(self, Corpus corpus, int32_t word) except -1 nogil:
        corpus.arcs.push_back(GoldArc(
            self.words[word].head, self.table.facts[self.words[word].label].copied, word))
        return 0

    cdef int _best_class(self, const Candidate& arc) except -1 nogil:
        """Return the class with the highest score; of equal ones, the most frequent."""
        cdef const vector[int32_t]* choices = &self.table.choices[arc.pattern]
        cdef int best = choices[0][0], n_keys
        cdef size_t i
        if choices.size() == 1:
            return best
        n_keys = self.fill_keys(arc, self.keys)
        self.scores.assign(self.scores.size(), 0)
        self.weights.score(self.keys, n_keys, self.scores.data())
        for i in range(1, choices.size()):
            if self.scores[choices[0][i]] > self.scores[best]:
                best = choices[0][i]
        return best

    cdef int _add(self, Corpus corpus, const Candidate& arc, int klass) except -1 nogil:
        """Add an arc with the label of its class; only arcs from the root are labelled root."""
        cdef int32_t step = self.table.step[klass]
        cdef int32_t label = 0 if step == NONE else self.words[arc.step[step]].label
        cdef int32_t output = self.table.output(klass, label)
        if output != NONE and self.table.is_root[output] == (arc.head == 0):
            corpus.arcs.push_back(GoldArc(arc.head, output, arc.dependent))
        elif arc.n_steps == 1 and arc.head == self.words[arc.dependent].head:
            self._copy(corpus, arc.dependent)
        return 0

    cdef int _connect(self, Corpus corpus, size_t start) except -1 nogil:
        """Add arcs of the tree, from its root downwards, until every word can be reached."""
        cdef size_t i
        cdef int32_t word
        self.first_from.clear()
        self.first_from.resize(self.words.size(), NONE)
        self.next_from.resize(corpus.arcs.size() - start)
        for i in range(start, corpus.arcs.size()):
            self.next_from[i - start] = self.first_from[corpus.arcs[i].head]
            self.first_from[corpus.arcs[i].head] = <int32_t> (i - start)
        self.is_reached.clear()
        self.is_reached.resize(self.words.size(), False)
        self._reach(corpus, start, 0)
        word = self.words[0].first_child
        while word:                         # the tree, each word before its children
            if not self.is_reached[word]:
                self._copy(corpus, word)
                self._reach(corpus, start, word)
            if self.words[word].first_child:
                word = self.words[word].first_child
                continue
            while word and not self.words[word].next_sibling:
                word = self.words[word].head
            word = self.words[word].next_sibling if word else 0
        return 0

    cdef int _reach(self, Corpus corpus, size_t start, int32_t node) except -1 nogil:
        """Mark a node and all that can be reached from it."""
        cdef int32_t arc, word
        self.is_reached[node] = True
        self.stack.push_back(node)
        while not self.stack.empty():
            arc = self.first_from[self.stack.back()]
            self.stack.pop_back()
            while arc != NONE:
                word = corpus.arcs[start + arc].dependent
                if not self.is_reached[word]:
                    self.is_reached[word] = True
                    self.stack.push_back(word)
                arc = self.next_from[arc]
        return 0
