"""Segmentation of a text, and its sentences written as CoNLL-U.

Everything is done without the interpreter lock; the sentences are written into one buffer. MISC
records the white space around a token (`SpaceAfter`, `SpacesAfter`, `SpacesBefore`, as in UDPipe)
and its position (`TokenRange`, in characters of the text).
"""
import sys

from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from dodona.core.segmenting.characters cimport LOWER, UPPER, CodePoints
from dodona.core.segmenting.expansion cimport ONE_WORD, PREFIX, SUFFIX, TokenExpander
from dodona.core.segmenting.text_scanner cimport (
    BEGINS_ITEM, BEGINS_PARAGRAPH, BEGINS_SENTENCE, TextScanner, TokenSpan)
from dodona.core.segmenting.text_splitter cimport TextSplitter
from dodona.core.segmenting.text_words cimport TextWord
from dodona.treebank.block cimport Block
from dodona.treebank.characters cimport MAX_UTF8, write_utf8
from dodona.treebank.sentence cimport NO_HEAD, STRIDE

from dodona.core.segmenting.expansion import SIDES
from dodona.core.segmenting.text_scanner import LOOKAHEAD

cdef extern from "Python.h":
    uint32_t Py_UNICODE_TOUPPER(uint32_t c) noexcept nogil

cdef enum:
    LINE = 160          # bytes of a line without its form and the white space in MISC

CODEC = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"

cdef struct CompiledRule:
    int side
    int n_affix
    bint is_split       # the words are substrings of the token
    size_t first        # index of its first word
    size_t n_words


def code_points(str text):
    """Return the code points of a text; lone surrogates are allowed.

    >>> len(code_points("an oak"))
    6
    """
    return CodePoints(memoryview(text.encode(CODEC, "surrogatepass")).cast("I"))


cdef class Cursor:
    """Position in a text that is segmented in chunks: what later sentences need of earlier ones."""
    cdef public Py_ssize_t offset       # characters before this chunk
    cdef public Py_ssize_t line
    cdef public Py_ssize_t n_sentences
    cdef public bint begins_paragraph
    cdef public bint in_list            # the last sentence was an item of a list
    cdef bytes name                     # document name, with which sentence ids begin
    cdef bytes language                 # comment of every sentence; empty if none is recorded

    def __init__(self, str name="", str language=""):
        self.line, self.begins_paragraph = 1, True
        self.name = " ".join(name.split()).encode(errors="replace")
        self.language = f"# lang = {language}\n".encode() if language else b""

    def after(self, ScannedText scanned not None):
        """Return the position behind a chunk that begins at this one."""
        cdef Cursor behind = Cursor.__new__(Cursor)
        behind.name, behind.language = self.name, self.language
        behind.offset = self.offset + scanned.taken
        behind.line = self.line + scanned.n_lines
        behind.n_sentences = self.n_sentences + scanned.n_sentences
        behind.begins_paragraph, behind.in_list = self.begins_paragraph, self.in_list
        if scanned.taken:
            behind.begins_paragraph, behind.in_list = scanned.begins_paragraph, scanned.in_list
        return behind


cdef struct Position:   # of the next sentence in its text, and what its comments need
    Py_ssize_t offset       # of the chunk
    Py_ssize_t line
    Py_ssize_t n_sentences
    bint begins_paragraph   # the chunk does
    const char* name        # of the text
    size_t n_name
    const char* language
    size_t n_language


cdef Position position_of(Cursor cursor):
    """Return the position of a cursor, which the caller keeps alive."""
    return Position(cursor.offset, cursor.line, cursor.n_sentences, cursor.begins_paragraph,
                    cursor.name, len(cursor.name), cursor.language, len(cursor.language))


cdef class ScannedText:
    """The tokens of a chunk of text whose sentences are complete."""
    cdef TextScanner scanner
    cdef vector[int] rules              # of each token
    cdef size_t n_tokens
    cdef readonly Py_ssize_t taken      # characters, up to the first sentence that is incomplete
    cdef readonly Py_ssize_t n_sentences
    cdef Py_ssize_t n_lines             # line ends in the text taken
    cdef readonly bint begins_paragraph     # … the text that follows
    cdef readonly bint in_list              # … the sentence before it

    cdef int count(self) noexcept nogil:
        """Count sentences and lines."""
        cdef size_t i
        for i in range(self.n_tokens):
            self.n_sentences += self.scanner.tokens[i].flags & BEGINS_SENTENCE != 0
        self.n_lines = n_line_feeds(self.scanner, 0, self.taken)
        return 0


cdef class ConlluBuffer(Block):
    """A block that is written; offsets count from the beginning of the sentence."""
    cdef int32_t n_sentence             # words of the sentence

    cdef inline void put(self, char c) noexcept nogil:
        self.data[self.size] = c
        self.size += 1

    cdef inline void text(self, const char* text, size_t n) noexcept nogil:
        memcpy(self.data.data() + self.size, text, n)
        self.size += n

    cdef void put_number(self, Py_ssize_t n) noexcept nogil:
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
        """Write the id of a word, and make room for its offsets."""
        cdef size_t at = self.start.size()
        self.n_sentence += 1
        self.start.resize(at + STRIDE)
        self.head.push_back(NO_HEAD)
        self.start[at] = <int32_t> (self.size - self.begins.back())
        self.put_number(self.n_sentence)
        self.put(c"\t")
        self.start[at + 1] = <int32_t> (self.size - self.begins.back())

    cdef void end_form(self) noexcept nogil:
        """Write the columns between FORM and MISC, and record their offsets."""
        cdef int32_t* start = self.start.data() + self.start.size() - STRIDE
        cdef int k
        for k in range(2, 10):
            start[k] = <int32_t> (self.size + 1 - self.begins.back() + 2 * (k - 2))
        self.text("\t_\t_\t_\t_\t_\t_\t_\t", 15)

    cdef void end_word(self) noexcept nogil:
        self.put(c"\n")
        self.start[self.start.size() - 1] = <int32_t> (self.size - self.begins.back())


cdef class SentenceWriter:
    """Segmentation of texts into sentences. `rules` are (side, affix, words) for `expander`."""
    cdef readonly TextSplitter splitter
    cdef readonly TokenExpander expander
    cdef vector[CompiledRule] rules     # numbered from 1
    cdef vector[vector[uint32_t]] words

    def __init__(self, TextSplitter splitter not None, TokenExpander expander not None, rules):
        self.splitter, self.expander = splitter, expander
        self.rules.resize(1)            # ONE_WORD: no affix, no words
        for side, affix, words in rules:
            check_rule(side, affix, words)
            self.rules.push_back(CompiledRule(SIDES[side], len(affix), "".join(words) == affix,
                                              self.words.size(), len(words)))
            for word in words:
                self.words.resize(self.words.size() + 1)
                for character in word:
                    self.words.back().push_back(ord(character))
        if self.rules.size() != <size_t> expander.index.n_rules + 1:
            raise ValueError(f"{self.rules.size() - 1} rules, but {expander.index.n_rules} in use")

    def segment(self, str text, Cursor cursor not None, *, bint by_lines=False, bint is_end=True,
                bytes forbidden=None):
        """Return the sentences of a chunk of text, and the cursor behind them.

        Unless the chunk `is_end`, sentences that later text could still change are left out.
        `forbidden` has the labels that boundaries may not have (`TextScanner`).
        """
        scanned = self.scan(text, by_lines=by_lines, is_end=is_end, in_list=cursor.in_list,
                            forbidden=forbidden)
        blocks = self.write([(scanned, cursor)])
        return [sentence for block in blocks for sentence in block], cursor.after(scanned)

    def scan(self, str text, *, bint by_lines=False, bint is_end=True, bint in_list=False,
             bytes forbidden=None):
        """Find the tokens of a chunk of text, as `segment` does; `in_list` is that of its cursor.

        What is found does not depend on anything else before the chunk.
        """
        cdef ScannedText made = ScannedText()
        cdef TextScanner scanner = self.splitter.scanner(code_points(text), by_lines, forbidden)
        cdef Py_ssize_t ahead = LOOKAHEAD
        cdef vector[TextWord] no_words
        made.scanner, made.begins_paragraph = scanner, True
        scanner.starts_in_list = in_list
        if not is_end:
            scanner.stop = len(text) - ahead
        with nogil:
            self.splitter.run(scanner)
            made.n_tokens, made.taken = scanner.tokens.size(), scanner.n
            if not is_end:
                made.n_tokens = n_complete(scanner, ahead)
                made.taken = scanner.tokens[made.n_tokens].start if made.n_tokens else 0
                if made.n_tokens:
                    made.begins_paragraph = (
                        scanner.tokens[made.n_tokens].flags & BEGINS_PARAGRAPH != 0)
                    made.in_list = scanner.tokens[made.n_tokens].flags & BEGINS_ITEM != 0
            if made.n_tokens:
                self.expander.run(scanner, made.rules)
            made.count()
            scanner.words.swap(no_words)    # most of the memory, and not needed any more
        return made

    def write(self, parts, size_t most_words=PY_SSIZE_T_MAX):
        """Yield the sentences of scanned chunks, each with its cursor, in blocks.

        A block has sentences of one chunk or several, until it has `most_words`.
        """
        cdef ConlluBuffer out = None
        cdef ScannedText scanned
        cdef Cursor cursor
        cdef Position at
        cdef size_t i
        for scanned, cursor in parts:
            i, at = 0, position_of(cursor)
            while i < scanned.n_tokens:
                if out is None:
                    out = ConlluBuffer()
                with nogil:
                    i = self.write_tokens(scanned, scanned.scanner, i, most_words, &at, out)
                if out.head.size() >= most_words:
                    yield out
                    out = None
        if out is not None:
            yield out

    cdef size_t write_tokens(self, ScannedText scanned, TextScanner scanner, size_t i,
                             size_t most_words, Position* at, ConlluBuffer out) except 0 nogil:
        """Write sentences from token i on, until the block is full; return the next token."""
        cdef size_t n_tokens = scanned.n_tokens
        cdef Py_ssize_t next_start
        if i == 0:
            at.line += n_line_feeds(scanner, 0, scanner.tokens[0].start)
        while True:
            if scanner.tokens[i].flags & BEGINS_SENTENCE:
                self.begin_sentence(scanner, i, n_tokens, at, out)
            next_start = scanner.tokens[i + 1].start if i + 1 < n_tokens else scanned.taken
            self.write_token(scanner, i, next_start, scanned.rules[i], at, out)
            at.line += n_line_feeds(scanner, scanner.tokens[i].end, next_start)
            i += 1
            if i == n_tokens or scanner.tokens[i].flags & BEGINS_SENTENCE:
                out.put(c"\n")
                if i == n_tokens or out.head.size() >= most_words:
                    return i

    cdef int begin_sentence(self, TextScanner scanner, size_t i, size_t n_tokens, Position* at,
                            ConlluBuffer out) except -1 nogil:
        """Write the comments of a sentence; in `# text`, white space is one space."""
        cdef const TokenSpan* token
        out.begins.push_back(out.size)
        out.first_word.push_back(out.head.size())
        out.lines.push_back(at.line)
        out.n_sentence = 0
        out.reserve(LINE + 2 * at.n_name + at.n_language)
        at.n_sentences += 1
        if at.n_sentences == 1:
            out.text("# newdoc", 8)
            if at.n_name:
                out.text(" id = ", 6)
                out.text(at.name, at.n_name)
            out.put(c"\n")
        if scanner.tokens[i].flags & BEGINS_PARAGRAPH and (i > 0 or at.begins_paragraph):
            out.text("# newpar\n", 9)
        out.text(at.language, at.n_language)
        out.text("# sent_id = ", 12)
        if at.n_name:
            out.text(at.name, at.n_name)
            out.put(c"-")
        out.put_number(at.n_sentences)
        out.text("\n# text = ", 10)
        while True:
            token = &scanner.tokens[i]
            out.reserve(MAX_UTF8 * (token.end - token.start) + LINE)
            out.points(&scanner.text.point[token.start], token.end - token.start)
            i += 1
            if i == n_tokens or scanner.tokens[i].flags & BEGINS_SENTENCE:
                break
            if token.end < scanner.tokens[i].start:
                out.put(c" ")
        out.put(c"\n")

    cdef int write_token(self, TextScanner scanner, size_t i, Py_ssize_t next_start, int rule,
                         const Position* at, ConlluBuffer out) except -1 nogil:
        cdef const TokenSpan* token = &scanner.tokens[i]
        cdef Py_ssize_t n = token.end - token.start
        out.reserve(MAX_UTF8 * (n + (next_start - token.end) + token.start * (i == 0)) + LINE)
        if n < self.rules[rule].n_affix:    # a damaged model, or two tokens with one hash
            rule = ONE_WORD
        if rule == ONE_WORD:
            out.begin_word()
        else:
            out.put_number(out.n_sentence + 1)
            out.put(c"-")
            out.put_number(out.n_sentence + <Py_ssize_t> self.rules[rule].n_words)
            out.put(c"\t")
        out.points(&scanner.text.point[token.start], n)
        if rule == ONE_WORD:
            out.end_form()
            self.write_misc(scanner, i, next_start, at, out)
            out.end_word()
        else:
            out.text("\t_\t_\t_\t_\t_\t_\t_\t", 15)
            self.write_misc(scanner, i, next_start, at, out)
            out.put(c"\n")
            self.write_words(scanner, token, self.rules[rule], out)

    cdef void write_misc(self, TextScanner scanner, size_t i, Py_ssize_t next_start,
                         const Position* at, ConlluBuffer out) noexcept nogil:
        cdef const TokenSpan* token = &scanner.tokens[i]
        if token.end == next_start:
            out.text("SpaceAfter=No|", 14)
        elif next_start > token.end + 1 or scanner.text.point[token.end] != c" ":
            out.text("SpacesAfter=", 12)
            write_spaces(scanner, token.end, next_start, out)
            out.put(c"|")
        if i == 0 and token.start > 0:
            out.text("SpacesBefore=", 13)
            write_spaces(scanner, 0, token.start, out)
            out.put(c"|")
        out.text("TokenRange=", 11)
        out.put_number(at.offset + token.start)
        out.put(c":")
        out.put_number(at.offset + token.end)

    cdef int write_words(self, TextScanner scanner, const TokenSpan* token, CompiledRule rule,
                         ConlluBuffer out) except -1 nogil:
        """Write the words of a multiword token; what is copied from the token keeps its case."""
        cdef Py_ssize_t stem = token.end - token.start - rule.n_affix
        cdef Py_ssize_t at = token.start + (stem if rule.side == SUFFIX else 0)
        cdef const uint32_t* point = scanner.text.point.data()
        cdef const vector[uint32_t]* word
        cdef size_t k
        for k in range(rule.n_words):
            word = &self.words[rule.first + k]
            out.reserve(MAX_UTF8 * (token.end - token.start + word.size()) + LINE)
            out.begin_word()
            if k == 0 and rule.side == SUFFIX:
                out.points(point + token.start, stem)
            if rule.is_split:
                out.points(point + at, word.size())
                at += <Py_ssize_t> word.size()
            else:
                write_cased(scanner, token, word[0], k == 0, rule.side != SUFFIX, out)
            if k + 1 == rule.n_words and rule.side == PREFIX:
                out.points(point + token.end - stem, stem)
            out.end_form()
            out.put(c"_")
            out.end_word()


cdef Py_ssize_t n_line_feeds(TextScanner scanner, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t n = 0, k
    for k in range(start, end):
        n += scanner.text.point[k] == c"\n"
    return n


cdef size_t n_complete(TextScanner scanner, Py_ssize_t ahead) noexcept nogil:
    """Return the number of tokens in sentences that later text cannot change."""
    cdef size_t i = scanner.tokens.size()
    while i > 1:
        i -= 1
        if (scanner.tokens[i].flags & BEGINS_SENTENCE
                and scanner.tokens[i].start + ahead <= scanner.n):
            return i
    return 0


cdef void write_spaces(TextScanner scanner, Py_ssize_t start, Py_ssize_t end,
                       ConlluBuffer out) noexcept nogil:
    cdef uint32_t c
    cdef Py_ssize_t k
    for k in range(start, end):
        c = scanner.text.point[k]
        if c == c" ":
            out.text("\\s", 2)
        elif c == c"\n":
            out.text("\\n", 2)
        elif c == c"\t":
            out.text("\\t", 2)
        elif c == c"\r":
            out.text("\\r", 2)
        else:
            out.point(c)


cdef void write_cased(TextScanner scanner, const TokenSpan* token, const vector[uint32_t]& word,
                      bint is_first, bint is_initial, ConlluBuffer out) noexcept nogil:
    """Write a word that a rule produces; the first word takes over the token's capitals."""
    cdef int n_upper = 0
    cdef bint has_lower = False, is_upper
    cdef Py_ssize_t i
    cdef size_t k
    for i in range(token.start, token.end):
        n_upper += scanner.kind[i] == UPPER
        has_lower = has_lower or scanner.kind[i] == LOWER
    for k in range(word.size()):
        is_upper = is_first and (
            n_upper > 1 and not has_lower
            or is_initial and k == 0 and scanner.kind[token.start] == UPPER)
        out.point(Py_UNICODE_TOUPPER(word[k]) if is_upper else word[k])


def check_rule(str side, str affix, words):
    """Raise ValueError for a rule that does not produce several words."""
    inner = words[1:] if side == "suffix" else words[:-1] if side == "prefix" else words
    if side not in SIDES or len(words) < 2 or not all(inner) or not affix:
        raise ValueError(f"the rule {side} {affix!r} does not expand to several words: {words!r}")
    if any(character in "\t\n\r" for word in words for character in word):
        raise ValueError(f"the rule for {affix!r} produces words with tabs or line ends")
    "".join(words).encode()     # UnicodeEncodeError for lone surrogates
