"""Decoding of the graphs of a parser into the DEPS column.

Equivalent to `graphs.deplanarise`, `lexical_labels.lexicalise` and `enhanced.with_graph`, in
compiled code (15x faster); tests compare the two.
"""
from libc.stdint cimport int32_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.transitions.gold cimport GoldArc
from dodona.treebank.sentence cimport DEPS, FEATS, FORM, LEMMA, Sentence, Text, field, named_value
from dodona.treebank.graphs.lifted_arcs cimport (
    LabelledArc, index_by_head, is_written_before, restore_lifted)

# Python modules of the package are imported on demand: parsers of trees start without them.

cdef enum MarkerRelation:     # relations of words that mark a phrase
    OTHER, CASE, MARK, CC, CONJ, FIXED

cdef enum:
    LITERAL = -1              # a part of a label that is text
    MORPHOLOGY = -2           # {Case}; any other part is the MarkerRelation of a marker

RELATIONS = {"case": CASE, "mark": MARK, "cc": CC, "conj": CONJ, "fixed": FIXED}

cdef struct LabelPiece:
    int32_t kind              # LITERAL, MORPHOLOGY, CASE, MARK or CC
    int32_t start             # of its text, if literal
    int32_t end

cdef struct PlainLabel:       # a label of one arc in DEPS
    int32_t first_piece
    int32_t end_piece
    int32_t relation
    bint passes_nodes         # passes through empty nodes

cdef struct LabelPart:        # one of the arcs that a label of the parser stands for
    bint is_back              # the arc has the opposite direction
    int32_t plain
    int32_t wanted            # label of the head that the arc was lifted from, or NONE
    int32_t rank              # of its text, in alphabetical order


cdef class GraphDecoder:
    """A decoder of graphs with these labels into the DEPS column of sentences."""
    cdef vector[vector[LabelPart]] parts     # per label of the parser
    cdef vector[bint] is_lifted         # per label of the parser: has a lifted part
    cdef vector[PlainLabel] plain
    cdef vector[int32_t] plain_ranks    # as in LabelPart
    cdef vector[LabelPiece] pieces
    cdef bytes texts                    # of literal pieces, concatenated

    # of the current sentence
    cdef vector[LabelledArc] arcs               # by dependent
    cdef vector[int32_t] first_into     # the first arc into each word, and the end of the last
    cdef vector[int32_t] first_from     # the first arc from each node …
    cdef vector[int32_t] next_from      # … and the next from the same node
    cdef vector[char] out
    cdef vector[int32_t] starts         # start of the DEPS of each word in `out`
    cdef bint passes_nodes

    def __init__(self, labels):
        from dodona.treebank.graphs.graphs import UP

        numbers, ranks = {}, {}
        split = [_split(label) for label in labels]
        texts = {text for parts in split for _, text in parts}
        for rank, text in enumerate(sorted(texts | {text.partition(UP)[0] for text in texts})):
            ranks[text] = rank
        self.texts = b""
        self.parts.resize(len(split))
        self.is_lifted.resize(len(split))
        for i, parts in enumerate(split):
            for is_back, text in parts:
                name, _, wanted = text.partition(UP)
                for each in (name, wanted):
                    if each not in numbers:
                        numbers[each] = self.plain.size()
                        self._add_plain(each, ranks.get(each, 0))
                self.parts[<size_t> i].push_back(
                    LabelPart(is_back, numbers[name], numbers[wanted] if wanted else NONE,
                              ranks[text]))
                self.is_lifted[<size_t> i] = self.is_lifted[<size_t> i] or bool(wanted)

    def _add_plain(self, str label, int rank):
        from dodona.treebank.graphs.empty_nodes import THROUGH
        from dodona.treebank.graphs.lexical_labels import MARKERS, MORPHOLOGICAL

        first = self.pieces.size()
        for text in label.split(":"):
            kind = LITERAL
            if text == MORPHOLOGICAL:
                kind = MORPHOLOGY
            elif text[1:-1] in MARKERS and text == f"{{{text[1:-1]}}}":
                kind = RELATIONS[text[1:-1]]
            start = len(self.texts)
            self.texts += text.encode()
            self.pieces.push_back(LabelPiece(kind, start, len(self.texts)))
        self.plain.push_back(PlainLabel(first, self.pieces.size(),
                                        RELATIONS.get(label.partition(":")[0], OTHER),
                                        THROUGH in label))
        self.plain_ranks.push_back(rank)

    def decode(self, Corpus corpus, sentences):
        """Return the sentences with the graphs of the corpus in their DEPS column."""
        cdef Sentence sentence
        cdef vector[Text] texts
        cdef int column = DEPS
        cdef size_t i = 0
        cdef int word
        result = []
        for sentence in sentences:
            if i == corpus.n_words.size() or sentence.n_words != corpus.n_words[i]:
                raise ValueError("these are not the sentences of the corpus")
            self.take(corpus, i)
            self.write(sentence)
            texts.resize(sentence.n_words)
            for word in range(sentence.n_words):
                texts[word] = Text(self.out.data() + self.starts[word],
                                   self.starts[word + 1] - self.starts[word])
            made = sentence.with_fields(&column, 1, texts.data())
            if self.passes_nodes or has_empty_node(sentence):
                from dodona.treebank.graphs.empty_nodes import with_empty_nodes

                made = with_empty_nodes(made)
            result.append(made)
            i += 1
        return result

    cdef int take(self, Corpus corpus, size_t sentence) except -1 nogil:
        """Split merged arcs of a sentence and restore lifted ones."""
        cdef size_t i, j
        cdef bint some_lifted = False
        cdef const GoldArc* arc
        cdef const LabelPart* part
        self.arcs.clear()
        for i in range(corpus.first_arc[sentence], corpus.end_arc[sentence]):
            arc = &corpus.arcs[i]
            some_lifted = some_lifted or self.is_lifted[arc.label]
            for j in range(self.parts[arc.label].size()):
                part = &self.parts[arc.label][j]
                self.arcs.push_back(LabelledArc(
                    arc.dependent if part.is_back else arc.head,
                    arc.head if part.is_back else arc.dependent,
                    part.plain, part.wanted, part.rank))
        if some_lifted:
            restore_lifted(self.arcs, self.plain_ranks, corpus.n_words[sentence])
        sort(self.arcs.begin(), self.arcs.end(), is_written_before)
        index_by_head(self.arcs, corpus.n_words[sentence], self.first_from, self.next_from)
        self.first_into.clear()
        self.first_into.resize(corpus.n_words[sentence] + 2)
        for i in range(self.arcs.size()):
            self.first_into[self.arcs[i].dependent + 1] += 1
        for i in range(1, self.first_into.size()):
            self.first_into[i] += self.first_into[i - 1]

    cdef void write(self, Sentence sentence):
        """Write the DEPS of every word."""
        cdef size_t i = 0, end
        cdef int word
        self.out.clear()
        self.starts.clear()
        self.passes_nodes = False
        for word in range(1, sentence.n_words + 1):
            self.starts.push_back(<int32_t> self.out.size())
            while i < self.arcs.size() and self.arcs[i].dependent == word:
                end = i + 1
                while end < self.arcs.size() and (self.arcs[end].dependent == word
                                                  and self.arcs[end].head == self.arcs[i].head):
                    end += 1
                if end > i + 1:
                    self.put_several(sentence, i, end)
                else:
                    self.put_arc(sentence, &self.arcs[i])
                i = end
            if self.starts.back() == <int32_t> self.out.size():
                self.out.push_back(c"_")
            else:
                self.out.pop_back()                  # the last separator
        self.starts.push_back(<int32_t> self.out.size())

    cdef void put_arc(self, Sentence sentence, const LabelledArc* arc):
        """Write an arc and a separator."""
        self.put_number(arc.head)
        self.put_label(sentence, arc.dependent, &self.plain[arc.plain])
        self.out.push_back(c"|")
        self.passes_nodes = self.passes_nodes or self.plain[arc.plain].passes_nodes

    cdef void put_several(self, Sentence sentence, size_t start, size_t end):
        """Write the arcs between two words, sorted by label, each label once."""
        cdef size_t i, before = self.out.size()
        texts = set()
        for i in range(start, end):
            self.put_arc(sentence, &self.arcs[i])
            texts.add((self.out.data() + before)[:self.out.size() - before - 1])
            self.out.resize(before)
        self.put_text(b"|".join(sorted(texts)) + b"|")

    cdef int put_number(self, int number) except -1 nogil:
        cdef char digits[12]
        cdef int n = 0
        while number > 0 or n == 0:
            digits[n] = <char> (c"0" + number % 10)
            number //= 10
            n += 1
        while n > 0:
            n -= 1
            self.out.push_back(digits[n])

    cdef void put_label(self, Sentence sentence, int word, const PlainLabel* label):
        """Write a colon and the label; placeholders without a word are dropped."""
        cdef const char* texts = self.texts
        cdef const LabelPiece* piece
        cdef size_t start = self.out.size() + 1
        cdef int i
        for i in range(label.first_piece, label.end_piece):
            piece = &self.pieces[i]
            self.out.push_back(c":")
            if piece.kind == LITERAL:
                self.out.insert(self.out.end(), texts + piece.start, texts + piece.end)
            else:
                found = (case_of(sentence, word) if piece.kind == MORPHOLOGY
                         else self.marker(sentence, word, piece.kind))
                if not found:
                    self.out.pop_back()
                self.put_text(found)
        if not is_plain(self.out.data() + start, self.out.size() - start):
            self.make_legal(start)

    cdef void make_legal(self, size_t start):
        """Drop what UD does not allow from the label that begins at `start`."""
        from dodona.treebank.graphs.legal_labels import legal_label

        cdef bytes label = (self.out.data() + start)[:self.out.size() - start]
        self.out.resize(start)
        self.put_text(legal_label(label.decode()).encode())

    cdef void put_text(self, bytes text):
        cdef const char* data = text
        self.out.insert(self.out.end(), data, data + len(text))

    cdef bytes marker(self, Sentence sentence, int word, int relation):
        """Return the words that mark the phrase of a word, or of a conjunct, by this relation."""
        cdef vector[int32_t] near, found
        cdef size_t i
        self.words_below(word, relation, found)
        if found.empty():
            self.conjuncts_of(word, relation == CC, near)
            for i in range(near.size()):
                self.words_below(near[i], relation, found)
                if not found.empty():
                    break
        names = []
        for i in range(found.size()):
            names.append(name_of(sentence, found[i]))
            near.clear()
            self.words_below(found[i], FIXED, near)
            for j in range(near.size()):
                names.append(name_of(sentence, near[<size_t> j]))
        return b"_".join(names)

    cdef int words_below(self, int head, int relation, vector[int32_t]& found) except -1 nogil:
        """Append the dependents of a node by this relation, from left to right."""
        cdef int32_t arc = self.first_from[head]
        while arc != NONE:
            if self.plain[self.arcs[arc].plain].relation == relation:
                found.push_back(self.arcs[arc].dependent)
            arc = self.next_from[arc]

    cdef int conjuncts_of(self, int word, bint is_cc,
                          vector[int32_t]& found) except -1 nogil:
        """Find the neighbours of a word by conj or, for cc, their neighbours to the right of it."""
        cdef vector[int32_t] near, next_to
        cdef size_t i, j
        self.neighbours(word, near)
        if not is_cc:
            found.swap(near)
            return 0
        for i in range(near.size()):
            next_to.clear()
            self.neighbours(near[i], next_to)
            for j in range(next_to.size()):
                if next_to[j] > word:
                    found.push_back(next_to[j])

    cdef int neighbours(self, int word, vector[int32_t]& found) except -1 nogil:
        cdef int i
        for i in range(self.first_into[word + 1] - 1, self.first_into[word] - 1, -1):
            if self.plain[self.arcs[i].plain].relation == CONJ:
                found.push_back(self.arcs[i].head)
        self.words_below(word, CONJ, found)


def _split(str label):
    """Return (whether reversed, text) of every arc that a label of the parser stands for."""
    from dodona.treebank.graphs.graphs import AND, BACK

    there, _, back = label.partition(BACK)
    return [*((False, text) for text in there.split(AND)),
            *((True, text) for text in back.split(AND) if text)]


cdef bint is_plain(const char* label, size_t size) noexcept nogil:
    """Return whether a label is all lower-case ASCII letters, as most are: then UD allows it."""
    cdef size_t i
    cdef int n_colons = 0
    for i in range(size):
        if label[i] == c":":
            n_colons += 1
            if i == 0 or i == size - 1 or label[i - 1] == c":":
                return False
        elif not c"a" <= label[i] <= c"z":
            return False
    return n_colons < 4


cdef bytes name_of(Sentence sentence, int word):
    """Return the lemma of a word, or its form if it has none, in lower case."""
    cdef Text text = field(sentence, word - 1, LEMMA)
    if text.size == 1 and text.text[0] == c"_":
        text = field(sentence, word - 1, FORM)
    return text.text[:text.size].decode().lower().encode()


cdef bytes case_of(Sentence sentence, int word):
    """Return the morphological case of a word, in lower case; empty if it has none."""
    cdef Text case = named_value(field(sentence, word - 1, FEATS), "Case", 4)
    return case.text[:case.size].decode().lower().encode()


cdef bint has_empty_node(Sentence sentence) noexcept nogil:
    """Return whether the sentence has an empty node (8.1)."""
    cdef Py_ssize_t i = 0
    while i < sentence.size:
        while i < sentence.size and c"0" <= sentence.raw[i] <= c"9":
            i += 1
        if i < sentence.size and i > 0 and sentence.raw[i] == c"." and (
                c"0" <= sentence.raw[i - 1] <= c"9"):
            return True
        while i < sentence.size and sentence.raw[i] != c"\n":
            i += 1
        i += 1
    return False
