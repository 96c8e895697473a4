"""Words encoded by a network: their predicted tags, and their vectors for parser states."""
from libc.math cimport exp
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport n_nodes
from dodona.core.base.odds cimport log_odds
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport N_RESERVED
from dodona.core.network.network cimport Network, NetworkSpace
from dodona.tagging.word_types cimport N_READ, TYPE_COLUMN, WordTypes

cdef enum:
    # of word types cached between batches, by the width of the network: 8 MB, some 6,000 types,
    # for 256; narrow networks compute types fast
    BYTES_PER_UNIT = 1 << 15
    CUTS = 16                 # the cache is emptied after so many cuts: topics change


cdef class WordReader:
    """A network with a cache of word types; each thread has its own."""
    cdef readonly Network network
    cdef WordTypes types
    cdef NetworkSpace space
    cdef int n_tags           # tag columns; the network fills in the first n_heads
    cdef int n_cuts           # of the cache
    cdef size_t most_bytes    # of the cache

    def __init__(self, Network network not None, WordTypes types not None, int n_tags):
        if network.table_sizes() != list(types.table_sizes):
            raise ValueError(f"the network's tables have {network.table_sizes()} rows, but word "
                             f"types are encoded for {list(types.table_sizes)}")
        if n_tags < network.n_heads:
            raise ValueError(f"{n_tags} tag columns, but the network predicts {network.n_heads}")
        self.network, self.types, self.n_tags = network, types, n_tags
        self.space = NetworkSpace(network)
        self.most_bytes = <size_t> network.width * BYTES_PER_UNIT

    def read(self, sentences):
        """Encode sentences, run the network, and return the corpus with predicted tags."""
        cdef Corpus corpus = self.types.encode(sentences, self.n_tags)
        with nogil:
            self.read_corpus(corpus)
            self.cut_types()
        return corpus

    cdef size_t n_bytes(self) noexcept nogil:
        """Return the memory that word types take."""
        return (self.types.n_bytes()
                + <size_t> self.space.n_types * self.network.width * sizeof(float))

    cdef int cut_types(self) except -1 nogil:
        """Keep the first three quarters of the word types if all take too much memory.

        Frequent words come early in a text. Words may be long: one cut may not be enough.
        """
        cdef int n_types = self.space.n_types
        if self.n_bytes() <= self.most_bytes:
            return 0
        self.n_cuts += 1
        while n_types > 0 and self.n_bytes() > self.most_bytes // 8 * 7:
            n_types = n_types // 4 * 3 if self.n_cuts % CUTS else 0
            self.types.cut(n_types)
            self.space.cut_types(n_types)
        return 0

    def read_scored(self, sentences):
        """Read sentences as `read` does; return the corpus and the scores of all tags."""
        cdef TagScores scores = TagScores()
        cdef int h
        self.space.stages.clear()
        self.space.stages.resize(self.network.n_layers + self.network.n_heads + 1)
        self.space.keeps_stages = True
        try:
            corpus = self.read(sentences)
        finally:
            self.space.keeps_stages = False
        scores.by_head.resize(self.network.n_heads)
        for h in range(self.network.n_heads):
            scores.by_head[h].swap(self.space.stages[self.network.n_layers + h])
        self.space.stages.clear()
        return corpus, scores

    cdef int read_corpus(self, Corpus corpus) except -1 nogil:
        cdef vector[int32_t] types
        cdef const int32_t* column
        cdef size_t s
        cdef int n_heads = self.network.n_heads, h, i, word = 0
        cdef int32_t* tags
        self.add_types()
        types.reserve(corpus.head.size())
        for s in range(corpus.n_words.size()):
            column = corpus.column(<int> s, TYPE_COLUMN)
            types.insert(types.end(), column + 1, column + 1 + corpus.n_words[s])
        self.network.run(self.space, types.data(), corpus.n_words.data(),
                         <int> corpus.n_words.size())
        corpus.packed_size = self.network.packed_size
        corpus.packed.swap(self.space.packed)
        for s in range(corpus.n_words.size()):
            tags = corpus.column(<int> s, N_READ) + 1
            for h in range(n_heads):
                for i in range(corpus.n_words[s]):
                    tags[h * n_nodes(corpus.n_words[s]) + i] = (
                        self.space.tags[(word + i) * n_heads + h] + N_RESERVED)
            word += corpus.n_words[s]
        return 0

    cdef int add_types(self) except -1 nogil:
        """Encode new word types in the network."""
        cdef int n_fields = self.network.n_fields, n_before = self.space.n_types
        cdef int n_types = <int> ((self.types.first.size() - 1) // n_fields)
        cdef const int32_t* first
        cdef vector[int32_t] starts
        cdef int i
        if n_types == n_before:
            return 0
        first = self.types.first.data() + <size_t> n_before * n_fields
        for i in range((n_types - n_before) * n_fields + 1):
            starts.push_back(first[i] - first[0])
        self.space.add(self.types.rows.data() + first[0], starts.data(), n_types - n_before)
        return 0


cdef class TagScores:
    """The network's scores of all tags, for each classifier and word of a corpus."""
    cdef vector[vector[float]] by_head

    def signals(self, Corpus corpus not None, int head, double temperature):
        """Return the log-odds of the class that each word of the corpus has, a list per sentence.

        A word that has none of the classifier's classes has 0.
        """
        cdef size_t n_words = corpus.head.size(), n_classes, s, word = 0
        cdef const int32_t* tags
        cdef int i
        if not 0 <= head < <int> self.by_head.size() or not temperature > 0:
            raise ValueError(f"no tag classifier {head} with a temperature of {temperature}")
        n_classes = self.by_head[head].size() // max(n_words, 1)
        if n_classes * n_words != self.by_head[head].size():
            raise ValueError("this is not the corpus that was read")
        found = []
        for s in range(corpus.n_words.size()):
            tags = corpus.column(<int> s, N_READ + head) + 1
            found.append([
                odds_of(&self.by_head[head][(word + i) * n_classes], <int> n_classes,
                        tags[i] - N_RESERVED, temperature) for i in range(corpus.n_words[s])])
            word += corpus.n_words[s]
        return found


cdef double odds_of(const float* scores, int n_classes, int klass, double temperature) noexcept:
    """Return the log-odds of a class; 0 if it is none of these."""
    cdef float highest = scores[0]
    cdef double rest = 0
    cdef int c
    if not 0 <= klass < n_classes:
        return 0
    for c in range(n_classes):
        highest = max(highest, scores[c])
    for c in range(n_classes):
        if c != klass:
            rest += exp((scores[c] - highest) / temperature)
    return log_odds(exp((scores[klass] - highest) / temperature), rest)
