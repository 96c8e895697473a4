"""A scanner over a text that stops at each boundary that only the model can decide.

A candidate boundary lies between two characters, with or without white space between them. Most are
decided by rules: two letters stay together if training never splits them, a blank line ends a
sentence, and some rules hold in every language (an accent belongs to its letter, a URL is one
token). At the others the model chooses SAME, TOKEN or SENTENCE.

The scanner reads nothing before the current sentence and at most LOOKAHEAD characters ahead, so a
text that arrives in chunks, cut at sentence ends, is segmented like the whole text.
"""
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.pyport cimport PY_SSIZE_T_MAX

from dodona.core.base.hashing cimport hashed_on
from dodona.core.segmenting.characters cimport (
    APOSTROPHE, CLOSING, COLON, COMMA, DIGIT, EMOJI, LOWER, MARK, OPENING, OUTSIDE, PERIOD, SPACE,
    UPPER, is_space, is_wordlike, line_ends_at)
from dodona.core.segmenting.lexicon_index cimport ABBREVIATION, WHOLE_PATTERN, LexiconIndex
from dodona.core.segmenting.line_ends cimport is_item_end, line_slack
from dodona.core.segmenting.patterns cimport INITIAL, MAX_ATOM, PatternMatch, address_at, recognised
from dodona.core.segmenting.text_words cimport read_words, word_from

cdef enum:
    JOINER = 0x200d
    FIRST_FLAG = 0x1f1e6            # regional indicators: two of them make a flag
    LAST_FLAG = 0x1f1ff
    MAX_ITEM = 4                    # characters of "12. "
    MAX_SENTENCE = 1 << 20          # characters; a longer sentence is cut
    MAX_TOKENS = 1024               # of a sentence; what follows is another
    FEW = 8                         # occurrences of a pair below which the model decides

LOOKAHEAD = 2 * MAX_ATOM
LABELS = {"same": SAME, "token": TOKEN, "sentence": SENTENCE}


cdef class TextScanner:
    """A scanner over a text, given the labels of certain pairs of kinds (`make_pair_table`).

    Without a lexicon it behaves as for segmenters saved before lexicons existed. `forbidden` has a
    byte per character, whose bits are the labels that the boundary before it may not have.
    """

    def __init__(self, CodePoints text not None, bytes pair_table not None, bint by_lines=False,
                 LexiconIndex lexicon=None, bytes forbidden=None):
        if forbidden is not None:
            if len(forbidden) != <Py_ssize_t> text.kind.size():
                raise ValueError(f"labels of {len(forbidden)} boundaries for "
                                 f"{text.kind.size()} characters")
            self.forbidden_labels = forbidden
            self.forbidden = <const uint8_t*> PyBytes_AS_STRING(forbidden)
        if len(pair_table) != N_PAIRS:
            check_pair_table(pair_table)
        self.text, self.stop = text, PY_SSIZE_T_MAX
        self.low, self.kind = text.low.data(), text.kind.data()
        self.pair_table, self.by_lines, self.lexicon = pair_table, by_lines, lexicon
        self.pair_labels = <const uint8_t*> PyBytes_AS_STRING(pair_table)
        if lexicon is not None and lexicon.has_tags:
            with nogil:
                read_words(text, lexicon, self.words)

    cdef bint begin(self, Py_ssize_t first, Py_ssize_t end) except -1 nogil:
        """Start at the first character that is not white space; False if there is none."""
        self.tokens.clear()
        self.n = end
        while first < end and is_space(self.kind[first]):
            first += 1
        if first >= end:
            return False
        self.at = self.gap = first
        self.word = word_from(self.words, first)
        self.in_list = self.starts_in_list
        self.start_token(BEGINS_SENTENCE | BEGINS_PARAGRAPH)
        return True

    cdef bint next_boundary(self) except -1 nogil:
        """Advance to the next boundary for the model to decide; False at the end of the scan."""
        cdef Py_ssize_t i = self.at
        cdef int label
        while True:
            i += 1
            self.gap, self.n_line_ends = i, 0
            while i < self.n and is_space(self.kind[i]):
                self.n_line_ends += line_ends_at(self.text.point.data(), self.kind, i)
                i += 1
            self.at = i
            if i >= self.n:
                return False
            label = self.forced()
            if label == ASK:
                return True
            self.take(label)
            if label == SENTENCE and i >= self.stop:
                return False

    cdef int forced(self) noexcept nogil:
        """Return the label that rules give to this boundary, or ASK."""
        cdef int label = self.usual()
        if self.forbidden != NULL and self.forbidden[self.at]:
            return self.permitted(label)
        return label

    cdef int permitted(self, int label) noexcept nogil:
        """Return a label that is not forbidden, this one if possible; ASK if several are left.

        A token cannot go on across a line end, and in a text of lines a sentence is a line.
        """
        cdef int forbidden = self.forbidden[self.at]
        if not self.may_join():
            forbidden |= 1 << SAME
        if self.by_lines and label != SENTENCE:
            forbidden |= 1 << SENTENCE
        if label != ASK and not forbidden >> label & 1:
            return label
        if label == ASK and not forbidden >> TOKEN & 1:
            if not forbidden >> SAME & 1 or not forbidden >> SENTENCE & 1:
                return ASK
        if not forbidden >> TOKEN & 1:
            return TOKEN
        if not forbidden >> SAME & 1:
            return SAME
        return TOKEN if forbidden >> SENTENCE & 1 else SENTENCE

    cdef int usual(self) noexcept nogil:
        """Return the label that the rules of every segmenter give to this boundary, or ASK."""
        cdef Py_ssize_t i = self.at
        cdef uint8_t kind = self.kind[i]
        cdef int label
        if self.n_line_ends > 1 or i - self.sentence_start >= MAX_SENTENCE:
            return SENTENCE
        if self.n_line_ends and (
                self.by_lines or self.lexicon is not None and self.begins_item(i)):
            return SENTENCE
        if self.n_line_ends and not self.words.empty():
            self.in_list = self.ends_item()
            if self.in_list:
                return SENTENCE
        if self.gap == i:
            if kind == MARK or i < self.atom_end:
                return SAME
            if self.low[i - 1] == JOINER and (
                    kind == EMOJI or self.lexicon is not None and self.base_kind == EMOJI):
                return SAME
            if self.lexicon is not None:
                if self.ends_word(kind):
                    return TOKEN
                if self.ends_abbreviation(kind):
                    return SAME
            if (FIRST_FLAG <= self.low[i] <= LAST_FLAG
                    and FIRST_FLAG <= self.low[i - 1] <= LAST_FLAG):
                return TOKEN if (i - self.token.start) % 2 == 0 else SAME
        label = self.pair_labels[self.pair()]
        if label == SENTENCE and self.by_lines or label == SAME and not self.may_join():
            return TOKEN
        return label

    cdef bint begins_item(self, Py_ssize_t i) noexcept nogil:
        """Whether a line that begins at i is a list item: "- ", "1. ", "2) ", "a) "."""
        cdef Py_ssize_t start = i, end = min(self.n, i + MAX_ITEM)
        if is_bullet(self.low[i]):
            i += 1
        else:
            while i < end and self.kind[i] == DIGIT:
                i += 1
            if i == start and is_wordlike(self.kind[i]) and i + 1 < end and self.low[i + 1] == c")":
                i += 1
            if i == start or i >= end or not (self.low[i] == c"." or self.low[i] == c")"):
                return False
            i += 1
        return i < self.n and is_space(self.kind[i])

    cdef bint ends_item(self) noexcept nogil:
        """Whether the line that ends here is an item: one of several short lines without a mark."""
        return is_item_end(self.text, self.line_start, self.gap, self.at, self.n, self.in_list)

    cdef uint64_t slack(self) noexcept nogil:
        """Return how many more characters the line could have had, in steps; 0 if it was full."""
        return line_slack(self.text, self.line_start, self.gap, self.at, self.n)

    cdef bint ends_word(self, uint8_t kind) noexcept nogil:
        """Whether punctuation follows an abbreviation: "p.m.?", "etc.)"."""
        return (self.base_kind == PERIOD and COMMA <= kind <= CLOSING and kind != APOSTROPHE
                and kind != OPENING and is_wordlike(self.kind[self.token.start]))

    cdef bint ends_abbreviation(self, uint8_t kind) noexcept nogil:
        """Whether this is the period of an abbreviation, before other punctuation."""
        cdef uint8_t after = self.kind[self.at + 1] if self.at + 1 < self.n else <uint8_t> SPACE
        return (kind == PERIOD and (COMMA <= after <= COLON or after == CLOSING)
                and (self.pattern >= INITIAL and self.at == self.pattern_end
                     and self.at > self.token.start + 1
                     or self.lexicon.of(self.token.hash) & ABBREVIATION == ABBREVIATION))

    cdef size_t pair(self) noexcept nogil:
        """Return the index in the pair table: white space or not, kinds before and after."""
        return (<size_t> (self.gap != self.at) * N_KINDS + self.base_kind) * N_KINDS + (
            self.kind[self.at])

    cdef bint may_join(self) noexcept nogil:
        """Whether the token may continue here: across one space at most."""
        if self.forbidden != NULL and self.forbidden[self.at] >> SAME & 1:
            return False
        return self.gap == self.at or (
            self.gap + 1 == self.at and self.kind[self.gap] == SPACE)

    cdef bint may_end(self) noexcept nogil:
        """Whether a sentence may end here: with tags, not inside a word."""
        if self.forbidden != NULL and self.forbidden[self.at] >> SENTENCE & 1:
            return False
        return self.words.empty() or self.gap != self.at or not (
            is_wordlike(self.kind[self.at]) and is_wordlike(self.kind[self.at - 1]))

    cdef void find_word(self) noexcept nogil:
        """Advance `word` to the boundary."""
        cdef Py_ssize_t last = <Py_ssize_t> self.words.size() - 1
        while self.word < last and self.words[self.word].start < self.at:
            self.word += 1

    cdef int take(self, int label) except -1 nogil:
        """Label this boundary, and read the character after it.

        A list of thousands of words without an end of sentence is cut, so that the memory for a
        sentence, which tagger and parser work on as a whole, stays within bounds.
        """
        cdef int flags = 0
        if label == TOKEN and self.n_tokens >= MAX_TOKENS - 1:
            label = SENTENCE
        if self.n_line_ends:
            self.line_start = self.at
        if label == SAME:
            if self.gap != self.at:
                self.token.hash = hashed_on(self.token.hash, c" ")
                self.chunk = TextRun(self.at, 0, 0, 0, OUTSIDE)
            self.read(self.at)
            return 0
        self.finish()
        if label == SENTENCE:
            flags = BEGINS_SENTENCE
            if self.n_line_ends > 1:
                flags |= BEGINS_PARAGRAPH
                self.in_list = False
            if self.in_list:
                flags |= BEGINS_ITEM
        self.start_token(flags)

    cdef void finish(self) noexcept nogil:
        """Close the current token."""
        self.tokens.back().end = self.gap
        self.tokens.back().hash = self.token.hash

    cdef int start_token(self, int flags) except -1 nogil:
        cdef Py_ssize_t i = self.at
        if flags & BEGINS_SENTENCE:
            self.sentence_start = self.line_start = i
            self.n_tokens = self.depth = 0
            self.before = self.before2 = 0
            self.find_word()
            self.first_word = self.word
            self.chunk = TextRun(i, 0, 0, 0, OUTSIDE)
        else:
            self.n_tokens += 1
            self.before2 = self.before
            self.before = self.token.hash
            if self.gap != i:
                self.chunk = TextRun(i, 0, 0, 0, OUTSIDE)
        self.token = TextRun(i, 0, 0, 0, OUTSIDE)
        self.base_kind = OUTSIDE
        self.tokens.push_back(TokenSpan(i, self.n, 0, flags))
        self.recognise(i)
        self.read(i)

    cdef void read(self, Py_ssize_t i) noexcept nogil:
        cdef uint8_t kind = self.kind[i]
        add_to(&self.token, self.low[i], kind)
        add_to(&self.chunk, self.low[i], kind)
        if kind != MARK or self.base_kind == OUTSIDE:
            self.base_kind = kind
        self.depth += (kind == OPENING) - (kind == CLOSING and self.depth > 0)

    cdef void recognise(self, Py_ssize_t i) noexcept nogil:
        """Match a pattern at i; without a lexicon, only URLs and e-mail addresses."""
        cdef PatternMatch found
        if self.lexicon is None:
            found = address_at(self.low, self.kind, i, self.n)
        else:
            found = recognised(self.low, self.kind, i, self.n, self.chunk.start == i)
            if self.lexicon.patterns[found.pattern] != WHOLE_PATTERN:
                self.pattern, self.pattern_end, self.atom_end = found.pattern, found.end, i
                return
        self.pattern, self.pattern_end, self.atom_end = found.pattern, found.end, found.end


cdef inline bint is_bullet(uint32_t c) noexcept nogil:
    return (c == c"-" or c == c"*" or c == 0x2022 or c == 0x2013 or c == 0xb7 or c == 0x25aa
            or c == 0x25cf or c == 0x25e6 or c == 0x2023)


cdef inline void add_to(TextRun* run, uint32_t low, uint8_t kind) noexcept nogil:
    run.stem = run.hash
    run.hash = hashed_on(run.hash, low)
    if kind != run.last_kind:
        run.shape = hashed_on(run.shape, kind)
        run.last_kind = kind


def check_pair_table(bytes table not None):
    """Raise ValueError for an invalid table, as a damaged model file may have."""
    if len(table) != N_PAIRS or max(table) > ASK:
        raise ValueError(f"the pair table has {len(table)} labels up to "
                         f"{max(table, default=0)}; expected {N_PAIRS} labels up to {ASK}")


def make_pair_table(counts, double least):
    """Make the pair table from counts of [gap, kind before, kind after, label].

    A pair gets a label that at least the share `least` of its boundaries has, and ASK otherwise.
    Pairs that training has never seen: word characters stay together, all others are split, and the
    model is asked at white space after punctuation that may end a sentence.
    """
    cdef int i
    table = bytearray([ASK]) * N_PAIRS
    for i in range(N_PAIRS):
        gap, before, after = i // (N_KINDS * N_KINDS), i // N_KINDS % N_KINDS, i % N_KINDS
        seen = counts[i * N_LABELS:(i + 1) * N_LABELS]
        if not sum(seen) and not gap:   # capitals behave like lower case
            k = ((LOWER if before == UPPER else before) * N_KINDS
                 + (LOWER if after == UPPER else after))
            seen = counts[k * N_LABELS:(k + 1) * N_LABELS]
        best = max(range(N_LABELS), key=seen.__getitem__)
        if sum(seen):
            if sum(seen) >= FEW and seen[best] >= least * sum(seen) and best != SENTENCE:
                table[i] = best
        elif gap:
            table[i] = ASK if PERIOD <= before < APOSTROPHE else TOKEN
        elif is_wordlike(before) and is_wordlike(after):
            table[i] = SAME
        elif before != after or before == EMOJI:
            table[i] = TOKEN
    return bytes(table)
