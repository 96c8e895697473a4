"""A walk through a text, from one place that is not certain to the next.

A place is where a character follows another, perhaps with white space between. Most are certain:
two letters stay together where training has never seen them part, a blank line ends a sentence, and
some rules hold in any language (an accent goes with its letter, a URL is one token). The others are
asked of a model, which answers SAME, TOKEN or SENTENCE.

Nothing before the beginning of a sentence is looked at, and nothing further than LOOKAHEAD ahead:
a text that comes in pieces is cut where sentences end, and gives what it gives as a whole.
"""
from cpython.bytes cimport PyBytes_AS_STRING

from dodona.core.base.hashing cimport hashed_on
from dodona.core.segmenting.characters cimport (
    APOSTROPHE, CLOSING, EMOJI, LINE_END, LOWER, MARK, OPENING, OUTSIDE, PERIOD, SPACE, UPPER,
    is_space, is_wordlike)

cdef enum:
    JOINER = 0x200d
    FIRST_FLAG = 0x1f1e6            # regional indicators: two of them make a flag
    LAST_FLAG = 0x1f1ff
    PARAGRAPH_END = 0x2029
    MAX_ATOM = 2048                 # characters of a URL
    MAX_LOCAL = 64                  # characters of an e-mail address before its @
    MAX_SENTENCE = 1 << 20          # characters; it ends there, whatever it is
    FEW = 8                         # times that a pair was seen: nothing is certain of it

LOOKAHEAD = 2 * MAX_ATOM
LABELS = {"same": SAME, "token": TOKEN, "sentence": SENTENCE}


cdef class Walk:
    """A walk through a text, with a table of what is certain (`N_PAIRS` labels)."""

    def __init__(self, CodePoints text not None, bytes certain not None, bint by_lines=False):
        if len(certain) != N_PAIRS:
            check_pairs(certain)
        self.text = text
        self.low, self.kind = text.low.data(), text.kind.data()
        self.table, self.by_lines = certain, by_lines
        self.certain = <const uint8_t*> PyBytes_AS_STRING(certain)

    cdef bint begin(self, Py_ssize_t first, Py_ssize_t end) except -1 nogil:
        """Start at the first character that is no white space; False if there is none."""
        self.tokens.clear()
        self.n = end
        while first < end and is_space(self.kind[first]):
            first += 1
        if first >= end:
            return False
        self.at = self.gap = first
        self.start_token(BEGINS_SENTENCE | BEGINS_PARAGRAPH)
        return True

    cdef bint next_place(self) except -1 nogil:
        """Go on to the next place that is not certain; False at the end of the text."""
        cdef Py_ssize_t i = self.at
        cdef int label
        while True:
            i += 1
            self.gap, self.n_line_ends = i, 0
            while i < self.n and is_space(self.kind[i]):
                if self.kind[i] == LINE_END and not (
                        self.text.point[i] == c"\n" and i > self.gap
                        and self.text.point[i - 1] == c"\r"):
                    self.n_line_ends += 2 if self.text.point[i] == PARAGRAPH_END else 1
                i += 1
            self.at = i
            if i >= self.n:
                return False
            label = self.forced()
            if label == ASK:
                return True
            self.take(label)

    cdef int forced(self) noexcept nogil:
        """The label that this place has for certain, or ASK."""
        cdef Py_ssize_t i = self.at
        cdef uint8_t kind = self.kind[i]
        cdef int label
        if self.n_line_ends > 1 or i - self.sentence_start >= MAX_SENTENCE:
            return SENTENCE
        if self.by_lines and self.n_line_ends:
            return SENTENCE
        if self.gap == i:
            if kind == MARK or i < self.atom_end:
                return SAME
            if kind == EMOJI and self.low[i - 1] == JOINER:
                return SAME
            if (FIRST_FLAG <= self.low[i] <= LAST_FLAG
                    and FIRST_FLAG <= self.low[i - 1] <= LAST_FLAG):
                return TOKEN if (i - self.token.start) % 2 == 0 else SAME
        label = self.certain[self.pair()]
        if label == SENTENCE and self.by_lines or label == SAME and not self.may_join():
            return TOKEN
        return label

    cdef size_t pair(self) noexcept nogil:
        """Number of the kinds before and after, and whether there is white space between."""
        return (<size_t> (self.gap != self.at) * N_KINDS + self.base_kind) * N_KINDS + (
            self.kind[self.at])

    cdef bint may_join(self) noexcept nogil:
        """Whether the token may go on here: over no more than one space."""
        return self.gap == self.at or (
            self.gap + 1 == self.at and self.kind[self.gap] == SPACE)

    cdef int take(self, int label) except -1 nogil:
        """Answer for this place, and read the character after it."""
        cdef int flags = 0
        if label == SAME:
            if self.gap != self.at:
                self.token.hash = hashed_on(self.token.hash, c" ")
                self.chunk = Piece(self.at, 0, 0, OUTSIDE)
            self.read(self.at)
            return 0
        self.finish()
        if label == SENTENCE:
            flags = BEGINS_SENTENCE
            if self.n_line_ends > 1:
                flags |= BEGINS_PARAGRAPH
        self.start_token(flags)

    cdef void finish(self) noexcept nogil:
        """The token is complete."""
        self.tokens.back().end = self.gap
        self.tokens.back().hash = self.token.hash

    cdef int start_token(self, int flags) except -1 nogil:
        cdef Py_ssize_t i = self.at
        if flags & BEGINS_SENTENCE:
            self.sentence_start = i
            self.n_tokens = self.depth = 0
            self.before = self.before2 = 0
            self.chunk = Piece(i, 0, 0, OUTSIDE)
        else:
            self.n_tokens += 1
            self.before2 = self.before
            self.before = self.token.hash
            if self.gap != i:
                self.chunk = Piece(i, 0, 0, OUTSIDE)
        self.token = Piece(i, 0, 0, OUTSIDE)
        self.base_kind = OUTSIDE
        self.tokens.push_back(Token(i, self.n, 0, flags))
        self.atom_end = self.atom(i)
        self.read(i)

    cdef void read(self, Py_ssize_t i) noexcept nogil:
        cdef uint8_t kind = self.kind[i]
        add_to(&self.token, self.low[i], kind)
        add_to(&self.chunk, self.low[i], kind)
        if kind != MARK or self.base_kind == OUTSIDE:
            self.base_kind = kind
        self.depth += (kind == OPENING) - (kind == CLOSING and self.depth > 0)

    cdef Py_ssize_t atom(self, Py_ssize_t start) noexcept nogil:
        """Where a URL or an e-mail address that starts here ends; `start` if none does."""
        cdef Py_ssize_t end
        if not is_wordlike(self.kind[start]):
            return start
        end = self.url(start)
        return end if end > start else self.email(start)

    cdef Py_ssize_t url(self, Py_ssize_t start) noexcept nogil:
        cdef Py_ssize_t end, i, most = min(self.n, start + MAX_ATOM)
        if not (self.low[start] == c"h" or self.low[start] == c"f" or self.low[start] == c"w"):
            return start
        i = after(self.low, start, most, "www.")
        if i == start:
            i = after(self.low, start, most, "http")
            if i > start and i < most and self.low[i] == c"s":
                i += 1
            if i == start:
                i = after(self.low, start, most, "ftp")
            if i == start or after(self.low, i, most, "://") == i:
                return start
            i += 3
        end = i
        while i < most and not is_space(self.kind[i]) and not ends_url(self.low[i]):
            i += 1
            if is_wordlike(self.kind[i - 1]) or self.low[i - 1] == c"/":
                end = i             # what stands at its end, a period say, is not part of it
        return end if i > start + 4 else start

    cdef Py_ssize_t email(self, Py_ssize_t start) noexcept nogil:
        cdef Py_ssize_t i = start, end = start, most = min(self.n, start + MAX_ATOM)
        while i < most and i < start + MAX_LOCAL and in_local(self.low[i], self.kind[i]):
            i += 1
        if i >= most or self.low[i] != c"@":
            return start
        i += 1
        while i < most and is_host(self.low[i], self.kind[i]):
            i += 1
            if (i < most and self.low[i] == c"." and i + 1 < most
                    and is_host(self.low[i + 1], self.kind[i + 1])):
                i += 2
                end = i
            elif end > start:
                end = i
        return end


cdef inline void add_to(Piece* piece, uint32_t low, uint8_t kind) noexcept nogil:
    piece.hash = hashed_on(piece.hash, low)
    if kind != piece.last_kind:
        piece.shape = hashed_on(piece.shape, kind)
        piece.last_kind = kind


cdef inline bint in_local(uint32_t low, uint8_t kind) noexcept nogil:
    return is_wordlike(kind) or low == c"." or low == c"_" or low == c"-" or low == c"+"


cdef inline bint is_host(uint32_t low, uint8_t kind) noexcept nogil:
    return is_wordlike(kind) or low == c"-" or low == c"_"


cdef inline bint ends_url(uint32_t low) noexcept nogil:
    return low == c"<" or low == c">" or low == c'"'


cdef Py_ssize_t after(const uint32_t* low, Py_ssize_t start, Py_ssize_t end,
                      const char* wanted) noexcept nogil:
    """Where the wanted characters end, if they stand here; else `start`."""
    cdef Py_ssize_t i = start
    while wanted[0]:
        if i >= end or low[i] != <uint32_t> wanted[0]:
            return start
        i += 1
        wanted += 1
    return i


def check_pairs(bytes certain not None):
    """Refuse a table that is none: a model file may be damaged."""
    if len(certain) != N_PAIRS or max(certain) > ASK:
        raise ValueError(f"the table of pairs of kinds has {len(certain)} labels up to "
                         f"{max(certain, default=0)}; expected {N_PAIRS} up to {ASK}")


def certain_pairs(counts, double least):
    """The table of what is certain, from counts of [gap, kind before, kind after, label].

    A label is certain where at least this share of a pair's places has it. Pairs that were never
    seen: what may be in a word stays together, all else parts, and a sentence ends at white space
    at most after what may end one.
    """
    cdef int i
    table = bytearray([ASK]) * N_PAIRS
    for i in range(N_PAIRS):
        gap, before, after = i // (N_KINDS * N_KINDS), i // N_KINDS % N_KINDS, i % N_KINDS
        seen = counts[i * N_LABELS:(i + 1) * N_LABELS]
        if not sum(seen) and not gap:   # a capital does what other letters do
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
