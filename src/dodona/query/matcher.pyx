"""Search for the words of a sentence that match a pattern.

Columns are compared in the bytes of the sentence, so that a word that does not match costs one
comparison. The first node of a pattern is tried at every word, every other node only at the words
that have its relation to the word of its anchor. A pattern of several words that fit anywhere has
matches without number in a long sentence, so that the steps of a search are limited. Sentences are
searched in batches, without the interpreter lock except for regular expressions.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.stdint cimport int32_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from dodona.core.base.signals cimport check_signals
from dodona.treebank.sentence cimport (
    DEPREL, NO_HEAD, Fields, Sentence, Text, fields_of, named_value, text_at)

from dodona.query.language import StepLimitError

VALUE_KINDS = ("text", "base", "any", "regex")

cdef enum ValueKind:        # as above
    IS_TEXT, IS_BASE, IS_ANY, IS_REGEX

cdef enum Sign:             # in the order of language.SIGNS; one more for the first word
    ABOVE, BELOW, GOVERNS, GOVERNED, BEFORE, RIGHT_BEFORE, SIBLING, ANYWHERE

cdef enum:
    UNPLACED = -1
    MOST_KEPT = 100_000     # cached results of a regular expression …
    LONGEST_KEPT = 100      # … on texts of so many bytes
    CHECK = 1 << 16         # steps between two looks at the limit and at signals
    RECORDING = 20          # steps that a recorded match counts for: it takes memory

cdef struct ValueOf:
    int kind
    Text text
    int predicate           # of a regular expression

cdef struct Test:
    int column
    Text name               # of a feature; empty for the whole column
    int first_value
    int end_value
    bint is_negated

cdef struct PatternNode:
    int first_test
    int end_test
    int sign                # relation of the anchor to it
    int anchor              # the node that it is related to
    int first_label         # values of the label on the arc
    int end_label
    int same_as             # an earlier node of the same name, or itself

cdef struct Group:          # nodes to be placed one after the other
    int first
    int end


cdef class Matcher:
    """A compiled pattern, made by `pattern.Pattern`."""
    cdef list kept                      # owns the bytes that texts point into
    cdef list predicates, answers       # of regular expressions, and their cached results
    cdef vector[ValueOf] values
    cdef vector[Test] tests
    cdef vector[PatternNode] nodes
    cdef vector[Group] groups           # the first must match
    cdef vector[vector[int]] absent     # groups below each group that must not match

    def __init__(self, values, predicates, tests, nodes, groups):
        self.kept = [text for _, text in values] + [name for _, name, *_ in tests]
        self.predicates = list(predicates)
        self.answers = [{} for _ in self.predicates]
        n_regexes = 0
        for kind, text in values:
            self.values.push_back(ValueOf(kind, text_of(text), n_regexes))
            n_regexes += kind == IS_REGEX
        for column, name, first, end, is_negated in tests:
            self.tests.push_back(Test(column, text_of(name), first, end, is_negated))
        for node in nodes:
            self.nodes.push_back(
                PatternNode(node[0], node[1], node[2], node[3], node[4], node[5], node[6]))
        self.absent.resize(len(groups))
        for i, (first, end, absent) in enumerate(groups):
            self.groups.push_back(Group(first, end))
            for group in absent:
                self.absent[<size_t> i].push_back(group)

    def find(self, list sentences not None, Py_ssize_t most, Py_ssize_t most_steps):
        """Return the positions, from 0, of the words of at most `most` matches per sentence."""
        cdef MatchSearch search = MatchSearch(self, sentences, most, most_steps)
        cdef int width = self.groups[0].end - self.groups[0].first
        cdef size_t i = 0, k
        search.records = True
        search.run()
        found = []
        for k in range(search.ends.size()):
            rows = []
            while i < search.ends[k]:
                rows.append(tuple([search.found[i + node] for node in range(width)]))
                i += width
            found.append(rows)
        return found

    def count(self, list sentences not None, Py_ssize_t most_steps):
        """Return the number of matches in all sentences."""
        cdef MatchSearch search = MatchSearch(self, sentences, PY_SSIZE_T_MAX, most_steps)
        search.run()
        return search.n_total

    def mark(self, list sentences not None, Py_ssize_t most_steps):
        """Return a byte for each word of all sentences: 1 where a match has it as its first."""
        cdef MatchSearch search = MatchSearch(self, sentences, 1, most_steps)
        search.mark()
        return (<char*> search.marks.data())[:search.marks.size()]


cdef class MatchSearch:
    """The search for a pattern in sentences."""
    cdef Matcher matcher
    cdef list sentences
    cdef Py_ssize_t most                # matches in a sentence
    cdef Py_ssize_t most_steps
    cdef vector[Fields] fields          # of each sentence
    cdef Fields sentence                # that is searched
    cdef int number                     # of that sentence
    cdef Py_ssize_t n_steps             # words that were tried in it
    cdef Py_ssize_t next_check
    cdef Py_ssize_t n_found
    cdef Py_ssize_t n_total             # in all sentences
    cdef bint records                   # else matches are only counted
    cdef vector[int] found              # words of all matches
    cdef vector[size_t] ends            # of the matches of each sentence
    cdef vector[char] marks
    cdef vector[int] placed             # word of each node, or UNPLACED
    cdef vector[int32_t] first_child    # per word, and last of the artificial root
    cdef vector[int32_t] next_sibling
    cdef bint is_indexed

    def __cinit__(self, Matcher matcher, list sentences, Py_ssize_t most, Py_ssize_t most_steps):
        cdef Sentence sentence
        self.matcher, self.sentences = matcher, sentences
        self.most, self.most_steps = most, most_steps
        self.placed.resize(matcher.nodes.size(), UNPLACED)
        for sentence in sentences:
            self.fields.push_back(fields_of(sentence))

    cdef int run(self) except -1:
        cdef int i
        with nogil:
            for i in range(<int> self.fields.size()):
                self.begin(i)
                self.place(0, self.matcher.groups[0].first)
                self.n_total += self.n_found
                self.ends.push_back(self.found.size())
        return 0

    cdef int mark(self) except -1:
        """Try every word as the first of the pattern."""
        cdef int i, word, first = self.matcher.groups[0].first
        with nogil:
            for i in range(<int> self.fields.size()):
                self.begin(i)
                for word in range(self.sentence.n_words):
                    self.n_found = 0
                    self.step()
                    if self.fits(first, word):
                        self.placed[first] = word
                        self.place(0, first + 1)
                        self.placed[first] = UNPLACED
                    self.marks.push_back(self.n_found > 0)
        return 0

    cdef int begin(self, int number) noexcept nogil:
        self.number, self.sentence = number, self.fields[number]
        self.n_found = self.n_steps = 0
        self.next_check = min(<Py_ssize_t> CHECK, self.most_steps)
        self.is_indexed = False
        return 0

    cdef int step(self) except -1 nogil:
        self.n_steps += 1
        return self.check() if self.n_steps > self.next_check else 0

    cdef int check(self) except -1 nogil:
        """End a search that takes too long or was interrupted; let other threads run."""
        if self.n_steps > self.most_steps:
            with gil:
                sentence = self.sentences[self.number]
                where = f"{sentence.source}:{sentence.line}"
                raise StepLimitError(where, len(sentence), self.most_steps)
        self.next_check = min(self.n_steps + CHECK, self.most_steps)
        return check_signals()

    cdef bint place(self, int group, int node) except -1 nogil:
        """Place this node and the rest of its group; return whether enough matches were found."""
        cdef vector[int] candidates
        cdef size_t i
        if node == self.matcher.groups[group].end:
            return self.complete(group)
        self.list_candidates(node, candidates)
        for i in range(candidates.size()):
            self.step()
            if self.fits(node, candidates[i]):
                self.placed[node] = candidates[i]
                if self.place(group, node + 1):
                    self.placed[node] = UNPLACED
                    return True
        self.placed[node] = UNPLACED
        return False

    cdef bint complete(self, int group) except -1 nogil:
        """Check the negated groups when all nodes are placed, and record the match."""
        cdef size_t i
        cdef int absent, node
        for i in range(self.matcher.absent[group].size()):
            absent = self.matcher.absent[group][i]
            if self.place(absent, self.matcher.groups[absent].first):
                return False
        if group == 0:
            self.n_found += 1
            if self.records:
                self.n_steps += RECORDING
                for node in range(self.matcher.groups[0].first, self.matcher.groups[0].end):
                    self.found.push_back(self.placed[node])
            return self.n_found >= self.most
        return True             # one match of a negated group is enough

    cdef bint fits(self, int node, int word) except -1 nogil:
        """Return whether a word is free and fulfils the conditions on it and on its label."""
        cdef const PatternNode* wanted = &self.matcher.nodes[node]
        cdef int i
        if wanted.same_as != node:
            if self.placed[wanted.same_as] != word:
                return False
        else:
            for i in range(<int> self.placed.size()):
                if self.placed[i] == word and i != node:
                    return False
        for i in range(wanted.first_test, wanted.end_test):
            if not self.holds(&self.matcher.tests[i], word):
                return False
        if wanted.first_label == wanted.end_label:
            return True
        if wanted.sign == GOVERNED:     # the label is that of the anchor
            word = self.placed[wanted.anchor]
        return self.is_one_of(
            wanted.first_label, wanted.end_label, text_at(self.sentence, word, DEPREL))

    cdef bint holds(self, const Test* test, int word) except -1 nogil:
        cdef Text value = text_at(self.sentence, word, test.column)
        if test.name.size:
            value = named_value(value, test.name.text, test.name.size)
        return self.is_one_of(test.first_value, test.end_value, value) != test.is_negated

    cdef bint is_one_of(self, int first, int end, Text found) except -1 nogil:
        cdef int i
        for i in range(first, end):
            if self.equals(&self.matcher.values[i], found):
                return True
        return False

    cdef bint equals(self, const ValueOf* value, Text found) except -1 nogil:
        if value.kind == IS_TEXT:
            return found.size == value.text.size and memcmp(
                found.text, value.text.text, found.size) == 0
        if value.kind == IS_ANY:
            return found.size > 0 and not (found.size == 1 and found.text[0] == c"_")
        if value.kind == IS_BASE:
            return found.size >= value.text.size and memcmp(
                found.text, value.text.text, value.text.size) == 0 and (
                found.size == value.text.size or found.text[value.text.size] == c":")
        return found.size > 0 and self.answer(value.predicate, found)

    cdef bint answer(self, int predicate, Text found_text) except -1 with gil:
        """Return the cached result of a regular expression on a text."""
        cdef bytes text = found_text.text[:found_text.size]
        cdef dict answers = self.matcher.answers[predicate]
        if len(text) > LONGEST_KEPT:
            return self.matcher.predicates[predicate](text.decode())
        found = answers.get(text)
        if found is None:
            found = self.matcher.predicates[predicate](text.decode())
            if len(answers) >= MOST_KEPT:
                answers.clear()
            answers[text] = found
        return found

    cdef int list_candidates(self, int node, vector[int]& found) except -1 nogil:
        """List the words that have the relation of the node to its anchor."""
        cdef const PatternNode* wanted = &self.matcher.nodes[node]
        cdef int word = UNPLACED, other, n_words = self.sentence.n_words
        if wanted.sign == ANYWHERE:
            for other in range(n_words):
                found.push_back(other)
            return 0
        word = self.placed[wanted.anchor]
        if wanted.sign == GOVERNED:
            if self.sentence.head[word] > 0:
                found.push_back(self.sentence.head[word] - 1)
        elif wanted.sign == BELOW:
            self.list_ancestors(word, found)
        elif wanted.sign == RIGHT_BEFORE:
            if word + 1 < n_words:
                found.push_back(word + 1)
        elif wanted.sign == BEFORE:
            for other in range(word + 1, n_words):
                found.push_back(other)
        else:
            self.index_children()
            if wanted.sign == GOVERNS:
                self.list_children(word, found)
            elif wanted.sign == ABOVE:
                self.list_descendants(word, found)
            elif self.sentence.head[word] != NO_HEAD:
                self.list_children(
                    self.sentence.head[word] - 1 if self.sentence.head[word] else n_words, found)
        return 0

    cdef int list_ancestors(self, int word, vector[int]& found) except -1 nogil:
        """List the ancestors of a word; a sentence that is not a tree may have a cycle."""
        cdef int32_t head = self.sentence.head[word]
        while head > 0 and head - 1 != word and <int> found.size() < self.sentence.n_words:
            found.push_back(head - 1)
            head = self.sentence.head[head - 1]
        return 0

    cdef int list_children(self, int word, vector[int]& found) except -1 nogil:
        cdef int32_t child = self.first_child[word]
        while child != UNPLACED:
            found.push_back(child)
            child = self.next_sibling[child]
        return 0

    cdef int list_descendants(self, int word, vector[int]& found) except -1 nogil:
        """List the descendants of a word, each once; a cycle ends at the word."""
        cdef size_t i = 0
        cdef int32_t child
        self.list_children(word, found)
        while i < found.size():
            if found[i] != word:
                child = self.first_child[found[i]]
                while child != UNPLACED:
                    found.push_back(child)
                    child = self.next_sibling[child]
            i += 1
        return 0

    cdef int index_children(self) except -1 nogil:
        """Link the children of each word, in order, when first needed."""
        cdef int n_words = self.sentence.n_words
        cdef int word, head
        if self.is_indexed:
            return 0
        self.is_indexed = True
        self.first_child.clear()
        self.first_child.resize(n_words + 1, UNPLACED)
        self.next_sibling.clear()
        self.next_sibling.resize(n_words, UNPLACED)
        for word in range(n_words - 1, -1, -1):
            if self.sentence.head[word] == NO_HEAD:
                continue
            head = self.sentence.head[word] - 1 if self.sentence.head[word] else n_words
            self.next_sibling[word] = self.first_child[head]
            self.first_child[head] = word
        return 0


cdef Text text_of(bytes text):
    """Return a view of bytes that the caller keeps alive."""
    return Text(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
