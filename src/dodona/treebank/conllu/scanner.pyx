"""In-place scanner of CoNLL-U and CoNLL-X: lines, fields, ids and heads, in one pass.

The hot path returns a Status and never allocates; `explain` composes the error message afterwards,
from the bytes in the buffer.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t
from libc.string cimport memchr, memcpy, memmove

from dodona.treebank.conllu.checks cimport (
    NOT_A_NUMBER, Bytes, first_bad_byte, number, word_on_a_cycle)
from dodona.treebank.sentence cimport HEAD, ID, NO_HEAD, STRIDE

from dodona.treebank.sentence import NAMES


cdef enum:
    SHORTEST_LINE = 19      # ten columns of one byte and nine tabs
    MOST_WORDS_NAMED = 10   # in a message
    MOST_CHARACTERS = 40    # of a field in a message


cdef class Scanner:
    """A buffer of bytes and the sentence being read from it."""

    def __cinit__(self, *args):
        self.line = 1
        self.buffer.resize(1, c"\n")
        self.start.resize(STRIDE)
        self.head.resize(1)
        self.begin_sentence()

    cdef int scan(self) noexcept nogil:
        """Scan lines until a sentence or the file ends, bytes are missing, or a line is wrong."""
        cdef int status = GO_ON
        while status == GO_ON:
            status = self.skip_line() if self.is_skipping else self.scan_line()
        return status

    cdef int feed(self, bytes chunk) except -1:
        """Append a chunk to the buffer; an empty chunk is the end of the file."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(chunk)
        if self.begin > 0:
            memmove(self.buffer.data(), self.buffer.data() + self.begin, self.end - self.begin)
            self.pos -= self.begin
            self.end -= self.begin
            self.begin = 0
        if self.end + size + 1 > <Py_ssize_t>self.buffer.size():
            self.buffer.resize(self.end + max(size, self.end) + 1)
        memcpy(self.buffer.data() + self.end, PyBytes_AS_STRING(chunk), size)
        self.end += size
        self.buffer[self.end] = c"\n"
        self.is_eof = size == 0
        # for every word the buffer can contain, so that scanning never allocates
        cdef size_t most_words = min(self.end // SHORTEST_LINE, self.max_words) + 1
        if self.head.size() < most_words:
            self.start.resize(STRIDE * most_words)
            self.head.resize(most_words)
        return 0

    cdef void begin_sentence(self) noexcept nogil:
        """Start the next sentence at pos."""
        self.begin = self.pos
        self.n_words = self.n_empty = self.range_end = 0
        self.has_words = self.is_after_range = False
        self.is_skipping = self.is_mid_line = False
        self.first_line = 0
        self.line_at_begin = self.line

    cdef void stop(self) noexcept nogil:
        """Discard the buffer and treat the file as ended."""
        self.begin = self.pos = self.end = 0
        self.buffer[0] = c"\n"
        self.is_started = self.is_eof = True
        self.begin_sentence()

    cdef Py_ssize_t end_of_line(self) noexcept nogil:
        """Return the end of the line at pos, without line end; -1 if not in the buffer yet."""
        cdef Bytes line = self.buffer.data() + self.pos
        cdef Bytes stop = <Bytes>memchr(line, c"\n", self.end - self.pos + 1)
        if stop == self.buffer.data() + self.end and not self.is_eof:
            return -1
        if stop > line and (stop - 1)[0] == c"\r":
            stop -= 1
        return stop - <Bytes>self.buffer.data()

    cdef void next_line(self, Py_ssize_t line_end) noexcept nogil:
        self.pos = line_end
        if self.buffer[self.pos] == c"\r":
            self.pos += 1
        if self.pos < self.end:
            self.pos += 1
        self.line += 1

    cdef int skip_line(self) noexcept nogil:
        """Skip a line of a block that is not a sentence."""
        cdef Py_ssize_t line_end = self.end_of_line()
        cdef bint is_blank = line_end == self.pos and not self.is_mid_line
        if self.pos == self.end and self.is_eof:
            return SENTENCE_END
        if line_end < 0:
            return NEED_MORE
        self.is_mid_line = False
        self.next_line(line_end)
        return SENTENCE_END if is_blank else GO_ON

    cdef int scan_line(self) noexcept nogil:
        """Check the line at pos and record the starts of its fields; on error, pos stays."""
        cdef Bytes base = self.buffer.data() + self.begin
        cdef Bytes line = self.buffer.data() + self.pos
        cdef Bytes p = line
        cdef int32_t* start = self.start.data() + <Py_ssize_t>STRIDE * self.n_words
        cdef unsigned char seen = 0
        cdef int n_tabs = 0
        cdef int status
        if not self.is_started:
            return self.skip_byte_order_mark()
        if self.pos == self.end and self.is_eof:
            return SENTENCE_END if self.has_words else FILE_END
        if line[0] == c"#":
            return self.scan_comment()
        start[0] = <int32_t>(line - base)
        while True:     # ends at the sentinel
            seen |= p[0]
            if p[0] <= c"\n":
                if p[0] == c"\n":
                    break
                if p[0] == c"\t":
                    n_tabs += 1
                    if n_tabs < STRIDE - 1:
                        start[n_tabs] = <int32_t>(p + 1 - base)
            p += 1
        if p == self.buffer.data() + self.end and not self.is_eof:
            return NEED_MORE
        if p > line and (p - 1)[0] == c"\r":
            p -= 1
        if p == line:
            self.next_line(p - <Bytes>self.buffer.data())
            return SENTENCE_END if self.has_words else GO_ON
        if self.first_line == 0:
            self.first_line = self.line
        if seen >= 0x80 and first_bad_byte(line, p) != NULL:
            return BAD_UTF8
        if n_tabs != STRIDE - 2:
            return BAD_COLUMNS
        start[STRIDE - 1] = <int32_t>(p + 1 - base)
        status = self.check_word(base, start)
        if status == GO_ON:
            self.has_words = True
            self.next_line(p - <Bytes>self.buffer.data())
        return status

    cdef int skip_byte_order_mark(self) noexcept nogil:
        cdef Bytes data = self.buffer.data()
        if self.end < 3 and not self.is_eof:
            return NEED_MORE
        if self.end >= 3 and data[0] == 0xEF and data[1] == 0xBB and data[2] == 0xBF:
            self.pos = 3
        self.is_started = True
        return GO_ON

    cdef int scan_comment(self) noexcept nogil:
        cdef Py_ssize_t line_end = self.end_of_line()
        cdef Bytes data = self.buffer.data()
        if line_end < 0:
            return NEED_MORE
        if self.first_line == 0:
            self.first_line = self.line
        if first_bad_byte(data + self.pos, data + line_end) != NULL:
            return BAD_UTF8
        if self.has_words:
            return LATE_COMMENT
        self.next_line(line_end)
        return GO_ON

    cdef int check_word(self, Bytes base, const int32_t* start) noexcept nogil:
        """Check the fields, id and head of a line; count it if it is a word."""
        cdef int k
        cdef Bytes p
        cdef int32_t head
        for k in range(STRIDE - 1):
            if start[k + 1] - start[k] < 2:
                return EMPTY_FIELD
        p = base + start[ID]
        if number(&p) != self.n_words + 1 or p != base + start[ID + 1] - 1:
            return self.check_other_id(base + start[ID], base + start[ID + 1] - 1)
        if self.n_words == self.max_words:
            return TOO_LONG
        p = base + start[HEAD]
        head = number(&p)
        if p != base + start[HEAD + 1] - 1:
            if self.trees == REQUIRED:
                return BAD_HEAD
            if self.trees == OPTIONAL and not (p[0] == c"_" and start[HEAD + 1] - start[HEAD] == 2):
                return BAD_HEAD
            head = NO_HEAD
        self.head[self.n_words] = head
        self.n_words += 1
        self.n_empty = 0
        self.is_after_range = False
        return GO_ON

    cdef int check_other_id(self, Bytes p, Bytes stop) noexcept nogil:
        """Check the id of a range (before its first word) or an empty node (after its word)."""
        cdef int32_t first = number(&p)
        cdef int32_t last
        cdef unsigned char sign = p[0]
        if first == NOT_A_NUMBER or p == stop or (sign != c"-" and sign != c"."):
            return BAD_ID
        p += 1
        last = number(&p)
        if last == NOT_A_NUMBER or p != stop:
            return BAD_ID
        if self.is_conllx:
            return NOT_IN_CONLLX
        if sign == c"-":
            if last < first:
                return REVERSED_RANGE
            if first <= self.range_end:
                return RANGE_OVERLAP
            if first != self.n_words + 1:
                return BAD_RANGE
            self.range_end = last
            self.range_line = self.line
            self.is_after_range = True
        else:
            if first != self.n_words or last != self.n_empty + 1 or self.is_after_range:
                return BAD_EMPTY_NODE
            self.n_empty = last
        return GO_ON

    cdef int check_sentence(self) except -1:
        """Check ranges, heads and cycles of a complete sentence."""
        cdef int i
        cdef bint has_root = False
        if self.n_words == 0:
            return NO_WORDS
        if self.range_end > self.n_words:
            return RANGE_BEYOND
        for i in range(self.n_words):
            if self.head[i] > self.n_words:
                if self.trees != IGNORED:
                    self.culprit = i + 1
                    return HEAD_BEYOND
                self.head[i] = NO_HEAD
            has_root |= self.head[i] == 0
        if self.trees == IGNORED:
            return GO_ON
        if self.trees == REQUIRED and not has_root:
            return NO_ROOT
        self.mark.clear()
        self.mark.resize(self.n_words)
        self.culprit = word_on_a_cycle(self.head.data(), self.n_words, self.mark.data())
        return CYCLE if self.culprit else GO_ON

    cdef bytes take(self, Py_ssize_t stop):
        return PyBytes_FromStringAndSize(
            <const char*>self.buffer.data() + self.begin, stop - self.begin)

    cdef tuple explain(self, int status):
        """Return the line and the message of an error."""
        words = f"{self.n_words} word" + "s" * (self.n_words != 1)
        if status == TOO_LONG:
            return self.line, (
                f"a sentence of more than {self.max_words:,} words or {self.max_bytes:,} bytes; "
                "expected a blank line after each sentence (or raise max_words)")
        if status == NO_WORDS:
            return self.first_line, "no words in this sentence, only ranges or empty nodes"
        if status == RANGE_BEYOND:
            return self.range_line, (
                f"the range ends at {self.range_end}, but the sentence has {words}")
        if status == HEAD_BEYOND:
            line = self.take(self.pos)[self.start[STRIDE * (self.culprit - 1)]:]
            return self.line_of(self.culprit), (
                f"word {self.culprit} has head {short(line, HEAD)}, but the sentence has {words}")
        if status == NO_ROOT:
            return self.line_of(1), "no word has head 0; expected at least one root"
        if status == CYCLE:
            return self.line_of(self.culprit), self.explain_cycle()
        if status == NO_SENTENCE:
            return 1, ("no words in the whole file; expected sentences in "
                       f"CoNLL-{'X' if self.is_conllx else 'U'}")
        line = self.buffer.data()[self.pos:self.end_of_line()]
        return self.line, self.explain_line(status, line)

    cdef str explain_line(self, int status, bytes line):
        if status == BAD_UTF8:
            return explain_utf8(line)
        if status == BAD_COLUMNS:
            if not line.strip():
                return "a line of spaces only; expected a blank line to be empty"
            n_columns = line.count(b"\t") + 1
            return f"expected 10 tab-separated columns, found {n_columns}"
        if status == EMPTY_FIELD:
            k = line.split(b"\t").index(b"")
            return f"column {k + 1} ({NAMES[k]}) is empty; expected '_' where there is no value"
        if status == LATE_COMMENT:
            return "a comment among the words; expected comments above the first word of a sentence"
        found, expected = short(line, ID), self.n_words + 1
        if status == REVERSED_RANGE:
            return f"the range {found} ends before it begins"
        if status == RANGE_OVERLAP:
            return f"the range {found} overlaps the one before it, which ends at {self.range_end}"
        if status == BAD_RANGE:
            return f"the range {found} is out of place; expected it to begin at {expected}"
        if status == BAD_EMPTY_NODE:
            return (f"the empty node {found} is out of place; expected "
                    f"{self.n_words}.{self.n_empty + 1} or id {expected}")
        if status == BAD_HEAD:
            return (f"word {expected} has head {short(line, HEAD)!r}; expected a number from 0 to "
                    "the number of words")
        more = "; CoNLL-X has no ranges and no empty nodes" if status == NOT_IN_CONLLX else ""
        return f"expected id {expected}, found {found!r}{more}"

    cdef str explain_cycle(self):
        cycle = [self.culprit]
        while self.head[<int> cycle[-1] - 1] != self.culprit:
            cycle.append(self.head[<int> cycle[-1] - 1])
        if len(cycle) == 1:
            return f"word {self.culprit} is its own head"
        if len(cycle) > MOST_WORDS_NAMED:
            named = ", ".join(map(str, cycle[:MOST_WORDS_NAMED]))
            return f"the heads of {len(cycle)} words ({named}, …) form a cycle"
        return f"the heads of words {', '.join(map(str, cycle[:-1]))} and {cycle[-1]} form a cycle"

    cdef Py_ssize_t line_of(self, int word):
        cdef bytes before = self.take(self.begin + self.start[STRIDE * (word - 1)])
        return self.line_at_begin + before.count(b"\n")


cdef str explain_utf8(bytes line):
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return (f"invalid UTF-8 at byte {error.start + 1} of the line, 0x{line[error.start]:02x} "
                f"({error.reason}); expected a file in UTF-8")
    raise AssertionError(f"valid UTF-8: {line!r}")


cdef str short(bytes line, int column):
    """Return a field, shortened if it is long."""
    text = line.split(b"\t", column + 1)[column].decode()
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
