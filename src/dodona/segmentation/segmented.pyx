"""From a text to sentences in CoNLL-U: the segmenter's answers, written out.

All bytes are written without the interpreter lock, into one block; a sentence is then one copy.
MISC tells what stood around a token (`SpaceAfter`, `SpacesAfter` and `SpacesBefore`, as UDPipe
writes them) and where it stood (`TokenRange`, in characters of the text).
"""
import sys

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport LOWER, UPPER, CodePoints
from dodona.core.segmenting.expansion cimport ONE_WORD, PREFIX, SUFFIX, Expansion
from dodona.core.segmenting.places cimport BEGINS_PARAGRAPH, BEGINS_SENTENCE, Token, Walk
from dodona.core.segmenting.segmenting cimport Segmenting
from dodona.treebank.characters cimport MAX_UTF8, write_utf8
from dodona.treebank.sentence cimport NO_HEAD, STRIDE, make_sentence

from dodona.core.segmenting.expansion import SIDES
from dodona.core.segmenting.places import LOOKAHEAD

cdef extern from "Python.h":
    uint32_t Py_UNICODE_TOUPPER(uint32_t c) noexcept nogil

cdef enum:
    LINE = 160          # bytes of a line without its form and what MISC says of white space

CODEC = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"

cdef struct Rule:
    int side
    int n_affix
    bint is_split       # the words are parts of the token, as they are
    size_t first        # its words
    size_t n_words


def code_points(str text):
    """The text as numbers; lone surrogates are let through.

    >>> len(code_points("an oak"))
    6
    """
    return CodePoints(memoryview(text.encode(CODEC, "surrogatepass")).cast("I"))


cdef class Cursor:
    """How far a text has been segmented: what sentences to come must know of those before."""
    cdef public Py_ssize_t offset       # characters before
    cdef public Py_ssize_t line
    cdef public Py_ssize_t n_sentences
    cdef public bint begins_paragraph
    cdef bytes name                     # of the document; sentence ids begin with it
    cdef const char* name_text          # in `name`
    cdef size_t n_name

    def __init__(self, str name=""):
        self.line, self.begins_paragraph = 1, True
        self.name = " ".join(name.split()).encode(errors="replace")
        self.name_text, self.n_name = self.name, len(self.name)


cdef class Page:
    """Sentences being written; places are counted from the beginning of the sentence."""
    cdef vector[char] data
    cdef size_t size
    cdef vector[size_t] begins          # per sentence
    cdef vector[size_t] first_word
    cdef vector[Py_ssize_t] lines
    cdef vector[int32_t] start          # STRIDE per word
    cdef int32_t n_words                # of the sentence

    cdef int room(self, size_t n) except -1 nogil:
        if self.size + n > self.data.size():
            self.data.resize(2 * self.data.size() + n)

    cdef inline void put(self, char c) noexcept nogil:
        self.data[self.size] = c
        self.size += 1

    cdef inline void text(self, const char* text, size_t n) noexcept nogil:
        memcpy(self.data.data() + self.size, text, n)
        self.size += n

    cdef void number(self, Py_ssize_t n) noexcept nogil:
        cdef char digits[20]
        cdef int k = 20
        while True:
            k -= 1
            digits[k] = <char> (c"0" + n % 10)
            n //= 10
            if n == 0:
                break
        self.text(digits + k, 20 - k)

    cdef inline void point(self, uint32_t c) noexcept nogil:
        self.size += write_utf8(c, self.data.data() + self.size)

    cdef void points(self, const uint32_t* points, size_t n) noexcept nogil:
        cdef size_t k
        for k in range(n):
            self.point(points[k])

    cdef int begin_word(self) except -1 nogil:
        """Its id, and room for its offsets."""
        cdef size_t at = self.start.size()
        self.n_words += 1
        self.start.resize(at + STRIDE)
        self.start[at] = <int32_t> (self.size - self.begins.back())
        self.number(self.n_words)
        self.put(c"\t")
        self.start[at + 1] = <int32_t> (self.size - self.begins.back())

    cdef void end_form(self) noexcept nogil:
        """The columns between FORM and MISC; noted if they are those of a word."""
        cdef int32_t* start = self.start.data() + self.start.size() - STRIDE
        cdef int k
        for k in range(2, 10):
            start[k] = <int32_t> (self.size + 1 - self.begins.back() + 2 * (k - 2))
        self.text("\t_\t_\t_\t_\t_\t_\t_\t", 15)

    cdef void end_word(self) noexcept nogil:
        self.put(c"\n")
        self.start[self.start.size() - 1] = <int32_t> (self.size - self.begins.back())

    cdef list sentences(self):
        """The sentences that were written."""
        cdef vector[int32_t] heads
        cdef size_t i, end, n
        result = []
        self.begins.push_back(self.size)
        self.first_word.push_back(self.start.size() // STRIDE)
        for i in range(self.lines.size()):
            end = self.begins[i + 1]
            n = self.first_word[i + 1] - self.first_word[i]
            if heads.size() < n:
                heads.resize(n, NO_HEAD)
            result.append(make_sentence(
                PyBytes_FromStringAndSize(
                    self.data.data() + self.begins[i], end - self.begins[i]),
                <int> n, self.start.data() + self.first_word[i] * STRIDE, heads.data(),
                "<text>", self.lines[i], "conllu"))
        return result


cdef class SentenceMaker:
    """Makes sentences of texts. `rules` are those of the expansion: (side, affix, words)."""
    cdef readonly Segmenting segmenting
    cdef readonly Expansion expansion
    cdef vector[Rule] rules             # from 1 on
    cdef vector[vector[uint32_t]] words

    def __init__(self, Segmenting segmenting not None, Expansion expansion not None, rules):
        self.segmenting, self.expansion = segmenting, expansion
        self.rules.resize(1)            # number 0: all zeros, a rule that asks for nothing
        for side, affix, words in rules:
            check_rule(side, affix, words)
            self.rules.push_back(Rule(SIDES[side], len(affix), "".join(words) == affix,
                                      self.words.size(), len(words)))
            for word in words:
                self.words.resize(self.words.size() + 1)
                for character in word:
                    self.words.back().push_back(ord(character))
        if self.rules.size() != <size_t> expansion.index.n_rules + 1:
            raise ValueError(f"{self.rules.size() - 1} rules, but {expansion.index.n_rules} in use")

    def make(self, str text, Cursor cursor not None, *, bint by_lines=False, bint is_end=True):
        """The sentences of a text that goes on from the cursor, and how much of it they took.

        Where the text has not come to its end, sentences are held back that what is to come could
        still change.
        """
        cdef Walk walk = self.segmenting.walk(code_points(text), by_lines)
        cdef vector[int] rules
        cdef Page page = Page()
        cdef size_t n_tokens
        cdef Py_ssize_t taken, ahead = LOOKAHEAD
        cdef bint begins_paragraph = True
        with nogil:
            self.segmenting.run(walk)
            n_tokens, taken = walk.tokens.size(), walk.n
            if not is_end:
                n_tokens = n_complete(walk, ahead)
                taken = walk.tokens[n_tokens].start if n_tokens else 0
                if n_tokens:
                    begins_paragraph = walk.tokens[n_tokens].flags & BEGINS_PARAGRAPH != 0
            if n_tokens:
                if not cursor.begins_paragraph:
                    walk.tokens[0].flags &= ~BEGINS_PARAGRAPH
                self.expansion.run(walk, rules)
                self.write(walk, n_tokens, taken, rules, cursor, page)
        if taken:
            cursor.offset += taken
            cursor.begins_paragraph = begins_paragraph
        return page.sentences(), taken

    cdef int write(self, Walk walk, size_t n_tokens, Py_ssize_t end, const vector[int]& rules,
                   Cursor cursor, Page page) except -1 nogil:
        cdef size_t i
        cdef Py_ssize_t k, next_start
        for k in range(walk.tokens[0].start):
            cursor.line += walk.text.point[k] == c"\n"
        for i in range(n_tokens):
            if walk.tokens[i].flags & BEGINS_SENTENCE:
                self.begin_sentence(walk, i, n_tokens, cursor, page)
            next_start = walk.tokens[i + 1].start if i + 1 < n_tokens else end
            self.write_token(walk, i, next_start, rules[i], cursor, page)
            for k in range(walk.tokens[i].end, next_start):
                cursor.line += walk.text.point[k] == c"\n"
            if i + 1 == n_tokens or walk.tokens[i + 1].flags & BEGINS_SENTENCE:
                page.put(c"\n")

    cdef int begin_sentence(self, Walk walk, size_t i, size_t n_tokens, Cursor cursor,
                            Page page) except -1 nogil:
        """The comments of a sentence; in its text, white space between tokens is one space."""
        cdef const Token* token
        page.begins.push_back(page.size)
        page.first_word.push_back(page.start.size() // STRIDE)
        page.lines.push_back(cursor.line)
        page.n_words = 0
        page.room(LINE + 2 * cursor.n_name)
        cursor.n_sentences += 1
        if cursor.n_sentences == 1:
            page.text("# newdoc", 8)
            if cursor.n_name:
                page.text(" id = ", 6)
                page.text(cursor.name_text, cursor.n_name)
            page.put(c"\n")
        if walk.tokens[i].flags & BEGINS_PARAGRAPH:
            page.text("# newpar\n", 9)
        page.text("# sent_id = ", 12)
        if cursor.n_name:
            page.text(cursor.name_text, cursor.n_name)
            page.put(c"-")
        page.number(cursor.n_sentences)
        page.text("\n# text = ", 10)
        while True:
            token = &walk.tokens[i]
            page.room(MAX_UTF8 * (token.end - token.start) + LINE)
            page.points(&walk.text.point[token.start], token.end - token.start)
            i += 1
            if i == n_tokens or walk.tokens[i].flags & BEGINS_SENTENCE:
                break
            if token.end < walk.tokens[i].start:
                page.put(c" ")
        page.put(c"\n")

    cdef int write_token(self, Walk walk, size_t i, Py_ssize_t next_start, int rule,
                         Cursor cursor, Page page) except -1 nogil:
        cdef const Token* token = &walk.tokens[i]
        cdef Py_ssize_t n = token.end - token.start
        page.room(MAX_UTF8 * (n + (next_start - token.end) + token.start * (i == 0)) + LINE)
        if n < self.rules[rule].n_affix:    # a damaged model, or two tokens with one hash
            rule = ONE_WORD
        if rule == ONE_WORD:
            page.begin_word()
        else:
            page.number(page.n_words + 1)
            page.put(c"-")
            page.number(page.n_words + <Py_ssize_t> self.rules[rule].n_words)
            page.put(c"\t")
        page.points(&walk.text.point[token.start], n)
        if rule == ONE_WORD:
            page.end_form()
            self.write_misc(walk, i, next_start, cursor, page)
            page.end_word()
        else:
            page.text("\t_\t_\t_\t_\t_\t_\t_\t", 15)
            self.write_misc(walk, i, next_start, cursor, page)
            page.put(c"\n")
            self.write_words(walk, token, self.rules[rule], page)

    cdef void write_misc(self, Walk walk, size_t i, Py_ssize_t next_start, Cursor cursor,
                         Page page) noexcept nogil:
        cdef const Token* token = &walk.tokens[i]
        if token.end == next_start:
            page.text("SpaceAfter=No|", 14)
        elif next_start > token.end + 1 or walk.text.point[token.end] != c" ":
            page.text("SpacesAfter=", 12)
            write_spaces(walk, token.end, next_start, page)
            page.put(c"|")
        if i == 0 and token.start > 0:
            page.text("SpacesBefore=", 13)
            write_spaces(walk, 0, token.start, page)
            page.put(c"|")
        page.text("TokenRange=", 11)
        page.number(cursor.offset + token.start)
        page.put(c":")
        page.number(cursor.offset + token.end)

    cdef int write_words(self, Walk walk, const Token* token, Rule rule,
                         Page page) except -1 nogil:
        """The words of a token, by its rule; what is kept of the token keeps its case."""
        cdef Py_ssize_t stem = token.end - token.start - rule.n_affix
        cdef Py_ssize_t at = token.start + (stem if rule.side == SUFFIX else 0)
        cdef const uint32_t* point = walk.text.point.data()
        cdef const vector[uint32_t]* word
        cdef size_t k
        for k in range(rule.n_words):
            word = &self.words[rule.first + k]
            page.room(MAX_UTF8 * (token.end - token.start + word.size()) + LINE)
            page.begin_word()
            if k == 0 and rule.side == SUFFIX:
                page.points(point + token.start, stem)
            if rule.is_split:
                page.points(point + at, word.size())
                at += <Py_ssize_t> word.size()
            else:
                write_cased(walk, token, word[0], k == 0, rule.side != SUFFIX, page)
            if k + 1 == rule.n_words and rule.side == PREFIX:
                page.points(point + token.end - stem, stem)
            page.end_form()
            page.put(c"_")
            page.end_word()


cdef size_t n_complete(Walk walk, Py_ssize_t ahead) noexcept nogil:
    """How many tokens are in sentences that nothing to come can change."""
    cdef size_t i = walk.tokens.size()
    while i > 1:
        i -= 1
        if walk.tokens[i].flags & BEGINS_SENTENCE and walk.tokens[i].start + ahead <= walk.n:
            return i
    return 0


cdef void write_spaces(Walk walk, Py_ssize_t start, Py_ssize_t end, Page page) noexcept nogil:
    cdef uint32_t c
    cdef Py_ssize_t k
    for k in range(start, end):
        c = walk.text.point[k]
        if c == c" ":
            page.text("\\s", 2)
        elif c == c"\n":
            page.text("\\n", 2)
        elif c == c"\t":
            page.text("\\t", 2)
        elif c == c"\r":
            page.text("\\r", 2)
        else:
            page.point(c)


cdef void write_cased(Walk walk, const Token* token, const vector[uint32_t]& word, bint is_first,
                      bint is_initial, Page page) noexcept nogil:
    """A word that the rule spells; the first one is in upper case as far as the token is."""
    cdef int n_upper = 0
    cdef bint has_lower = False, is_upper
    cdef Py_ssize_t i
    cdef size_t k
    for i in range(token.start, token.end):
        n_upper += walk.kind[i] == UPPER
        has_lower = has_lower or walk.kind[i] == LOWER
    for k in range(word.size()):
        is_upper = is_first and (
            n_upper > 1 and not has_lower
            or is_initial and k == 0 and walk.kind[token.start] == UPPER)
        page.point(Py_UNICODE_TOUPPER(word[k]) if is_upper else word[k])


def check_rule(str side, str affix, words):
    """Refuse a rule that would make no words."""
    inner = words[1:] if side == "suffix" else words[:-1] if side == "prefix" else words
    if side not in SIDES or len(words) < 2 or not all(inner) or not affix:
        raise ValueError(f"{side} {affix!r} to {words!r} is no rule for several words")
    if any(character in "\t\n\r" for word in words for character in word):
        raise ValueError(f"the rule for {affix!r} has words with tabs or line ends")
    "".join(words).encode()     # an error if a file could not hold it
