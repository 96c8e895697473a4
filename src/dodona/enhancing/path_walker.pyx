"""Candidate arcs: for each word, the ends of the paths up and down its tree that fit a pattern.

A candidate is an arc to the word from the other end of the path. "↑nsubj ↓xcomp" leads from a
subject to the open complement of its verb, whose subject it may be as well; "↑obj" is the arc of
the tree itself. A treebank's patterns are few (125 on en_ewt), and a word has 1.3 candidates on
average.
"""
from dodona.core.base.hashing cimport mixed, multiplier, seed
from dodona.core.base.nodes cimport NONE
from dodona.core.features.words cimport N_RESERVED
from dodona.enhancing.path_table cimport DOWN, FIXED_PART, OTHER_RELATION, UP, LabelFacts
from dodona.treebank.encoding.vocabulary cimport hashed
from dodona.treebank.sentence cimport (
    DEPREL, FEATS, LEMMA, NO_HEAD, UPOS, XPOS, Sentence, Text, fields_of, named_value, text_at)

cdef enum:
    # bounds on the time that a word of a contrived tree takes; no sentence of en_ewt reaches them
    MOST_SCANNED = 1000       # children on the paths of a word
    MOST_CANDIDATES = 50      # of a word
    MOST_CHILDREN = 20        # of a word, in features: keeps their number below MAX_KEYS


cdef inline uint64_t hash_of(Text text) noexcept nogil:
    return hashed(text.text, text.size)


cdef inline uint64_t key_of(int template, int pattern, uint64_t a, uint64_t b=0) noexcept nogil:
    """Return the key of a feature: two values, in the context of a pattern."""
    return mixed(seed(template) + multiplier(0) * <uint64_t> pattern + multiplier(1) * a
                 + multiplier(2) * b) | 1


cdef class PathWalker:
    """A reader of trees that finds the candidate arcs of one sentence at a time."""

    def __init__(self, PathTable table not None):
        self.table = table

    def candidates(self, Sentence sentence not None):
        """Return the dependent, head and pattern of every candidate."""
        self.read(fields_of(sentence))
        self.walk()
        return [(arc.dependent, arc.head, arc.pattern) for arc in self.found]

    cdef int read(self, const Fields& sentence) except -1 nogil:
        """Read a tree whose labels are all in the table."""
        cdef LabelFacts facts
        cdef TreeWord* word
        cdef TreeWord* head
        cdef Text text
        cdef int i
        self.words.clear()
        self.words.resize(sentence.n_words + 1)
        for i in range(1, sentence.n_words + 1):
            word = &self.words[i]
            text = text_at(sentence, i - 1, DEPREL)
            word.head = sentence.head[i - 1]
            word.label = self.table.labels.lookup(text.text, text.size) - N_RESERVED
            if word.head == NO_HEAD or word.label < 0:
                with gil:
                    raise ValueError(f"word {i} has no head, or an unexpected label")
            facts = self.table.facts[word.label]
            word.relation, word.label_hash = facts.relation, facts.hash
            word.lemma = hash_of(text_at(sentence, i - 1, LEMMA))
            word.upos = hash_of(text_at(sentence, i - 1, UPOS))
            word.xpos = hash_of(text_at(sentence, i - 1, XPOS))
            text = text_at(sentence, i - 1, FEATS)
            word.feats = hash_of(text)
            text = named_value(text, "PronType", 8)
            word.pron_type = hash_of(text) if text.size else 0
        for i in range(sentence.n_words, 0, -1):
            word = &self.words[i]
            head = &self.words[word.head]
            word.next_sibling, head.first_child = head.first_child, i
            head.children |= <uint64_t> 1 << (word.label_hash & 63)
            if word.pron_type:
                head.pronouns += mixed(word.label_hash + multiplier(0) * word.pron_type)
        for i in range(1, sentence.n_words + 1):         # first the parts of fixed phrases …
            self.add_marker(i, True)
        for i in range(1, sentence.n_words + 1):         # … which belong to the markers
            self.add_marker(i, False)
        return 0

    cdef void add_marker(self, int word, bint is_fixed) noexcept nogil:
        cdef TreeWord* marker = &self.words[word]
        cdef int kind = self.table.facts[marker.label].marker
        if kind != OTHER_RELATION and (kind == FIXED_PART) == is_fixed:
            self.words[marker.head].markers[kind] += mixed(
                marker.lemma + marker.markers[<int> FIXED_PART])

    cdef int walk(self) except -1 nogil:
        """Find all candidates, word by word."""
        cdef size_t i
        self.found.clear()
        for i in range(1, self.words.size()):
            self.path.dependent = self.path.top = <int32_t> i
            self.path.n_steps = 0
            self.n_scanned = self.n_found = 0
            self.visit(<int32_t> i, 0, 0, True)
        return 0

    cdef int visit(self, int32_t word, int32_t node, int32_t below, bint is_up) except -1 nogil:
        """Add the candidate that ends at a word, and follow all steps from there.

        `below` is the child that the path has come up from.
        """
        cdef int32_t after, child
        if self.table.pattern[node] != NONE and self.n_found < MOST_CANDIDATES:
            self.n_found += 1
            self.path.head, self.path.pattern = word, self.table.pattern[node]
            self.found.push_back(self.path)
        if self.path.n_steps == MAX_STEPS:
            return 0
        self.path.n_steps += 1
        if is_up and word:
            after = self.table.after(node, UP, self.words[word].relation)
            if after != NONE:
                self.path.step[self.path.n_steps - 1] = word
                self.path.top = self.words[word].head
                self.visit(self.words[word].head, after, word, True)
                self.path.top = word
        if self.table.goes_down[node]:
            child = self.words[word].first_child
            while child and self.n_scanned < MOST_SCANNED:
                self.n_scanned += 1
                after = self.table.after(node, DOWN, self.words[child].relation)
                if after != NONE and child != below and child != self.path.dependent:
                    self.path.step[self.path.n_steps - 1] = child
                    self.visit(child, after, 0, False)
                child = self.words[child].next_sibling
        self.path.n_steps -= 1
        return 0

    cdef int fill_keys(self, const Candidate& arc, uint64_t* keys) noexcept nogil:
        """Write the feature keys of a candidate, fewer than MAX_KEYS; return their number."""
        cdef const TreeWord* d = &self.words[arc.dependent]
        cdef const TreeWord* h = &self.words[arc.head]
        cdef const TreeWord* top = &self.words[arc.top]
        cdef int p = arc.pattern, n = 0, i
        cdef bint is_left = arc.dependent < arc.head, is_before = arc.dependent < arc.top
        cdef uint64_t order = is_left + 2 * is_before + 4 * (arc.top < arc.head)
        cdef int distance = arc.head - arc.dependent if is_left else arc.dependent - arc.head
        cdef uint64_t labels = 0
        for i in range(arc.n_steps):
            labels = mixed(labels + self.words[arc.step[i]].label_hash)
        keys[0] = key_of(0, p, 0)
        keys[1] = key_of(1, p, labels)
        keys[2] = key_of(2, p, d.upos)
        keys[3] = key_of(3, p, h.upos)
        keys[4] = key_of(4, p, mixed(d.upos + labels), h.upos)
        keys[5] = key_of(5, p, h.lemma)
        keys[6] = key_of(6, p, d.lemma)
        keys[7] = key_of(7, p, top.lemma)
        keys[8] = key_of(8, p, top.lemma, top.children)
        keys[9] = key_of(9, p, d.pron_type)
        keys[10] = key_of(10, p, h.feats, labels)
        keys[11] = key_of(11, p, d.feats, labels)
        keys[12] = key_of(12, p, h.xpos, labels)
        keys[13] = key_of(13, p, d.xpos, h.xpos)
        keys[14] = key_of(14, p, h.children)
        keys[15] = key_of(15, p, d.children, labels)
        keys[16] = key_of(16, p, h.children, d.pron_type)
        keys[17] = key_of(17, p, order)
        keys[18] = key_of(18, p, order, labels)
        keys[19] = key_of(19, p, <uint64_t> min(distance, 6))
        keys[20] = key_of(20, p, self.words[arc.step[arc.n_steps - 1]].lemma, d.lemma)
        n = 21
        for i in range(1, N_MARKERS):
            keys[n] = key_of(20 + i, p, d.markers[i])
            keys[n + 1] = key_of(25 + i, p, d.upos, d.markers[i] != 0)
            n += 2
        n = self.add_children(h, 30, p, 0, keys, n)
        n = self.add_children(d, 33, p, 0, keys, n)
        if arc.top != arc.head and arc.top != arc.dependent:
            n = self.add_children(top, 36, p, arc.dependent, keys, n)
        return n

    cdef int add_children(self, const TreeWord* word, int template, int pattern, int32_t other,
                          uint64_t* keys, int n) noexcept nogil:
        """Add features of the first children of a word: whether they come before another word."""
        cdef int32_t i = word.first_child
        cdef int most = MOST_CHILDREN
        cdef const TreeWord* child
        while i and most > 0:
            child = &self.words[i]
            keys[n] = key_of(template, pattern, child.label_hash, i < other)
            n += 1
            if child.pron_type or self.table.facts[child.label].marker != OTHER_RELATION:
                keys[n] = key_of(template + 1, pattern, child.label_hash,
                                 child.pron_type or child.lemma)
                n += 1
            if child.pronouns:
                keys[n] = key_of(template + 2, pattern, child.label_hash, child.pronouns)
                n += 1
            i = child.next_sibling
            most -= 1
        return n
