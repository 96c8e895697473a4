"""Builders of Arrow columns from parsed sentences, without an object per word.

Arrow's layout of strings and lists (arrow.apache.org/docs/format/Columnar.html) has an int32 offset
for the end of every value, and a validity bit for every value. The builders fill vectors in that
layout; Arrow reads them without a copy, through the buffer protocol. Nothing is linked with Arrow.
"""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.object cimport PyObject
from libc.stdint cimport INT32_MAX, int32_t, uint8_t
from libc.string cimport memchr, memcmp
from libcpp.vector cimport vector

from dodona.treebank.block cimport collect_fields
from dodona.treebank.sentence cimport (
    DEPREL, DEPS, FEATS, FORM, LEMMA, MISC, NO_HEAD, UPOS, XPOS, Fields, Text, named_value, text_at)
from dodona.treebank.token_ranges cimport last_column, range_before

cdef enum:
    WORD, SENTENCE_LEVEL, DOCUMENT      # what one row is
    NOWHERE = -1                        # a word of unknown position in the text
    N_TEXTS = 7

cdef int[N_TEXTS] TEXT_COLUMNS = [FORM, LEMMA, UPOS, XPOS, FEATS, DEPREL, DEPS]
TEXT_NAMES = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps")
LEVELS = {"word": WORD, "sentence": SENTENCE_LEVEL, "document": DOCUMENT}

cdef const char* TEXT_COMMENT = "# text = "


cdef class BufferView:
    """Memory of another object, which is kept alive, as a read-only buffer."""
    cdef object owner
    cdef const void* at
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, <void*> self.at, self.size, 1, flags)


cdef BufferView view_of(object owner, const void* at, size_t size):
    cdef BufferView self = BufferView.__new__(BufferView)
    # the data of an empty vector may be NULL, which Arrow does not allow
    self.at = at if size else <const void*> TEXT_COMMENT
    self.owner, self.size = owner, <Py_ssize_t> size
    return self


cdef class ValidityBitmap:
    """One bit for every value: set if the value is not null."""
    cdef vector[uint8_t] bytes_
    cdef readonly Py_ssize_t size
    cdef Py_ssize_t n_missing

    cdef int add(self, bint is_valid) except -1 nogil:
        if self.size % 8 == 0:
            self.bytes_.push_back(0)
        if is_valid:
            self.bytes_[self.size // 8] |= <uint8_t> (1 << (self.size % 8))
        else:
            self.n_missing += 1
        self.size += 1
        return 0

    def buffer(self):
        """Return the bits, or None if no value is null."""
        return view_of(self, self.bytes_.data(), self.bytes_.size()) if self.n_missing else None


cdef class Int32Builder:
    """A column of int32 numbers."""
    cdef vector[int32_t] values

    def buffer(self):
        """Return the numbers."""
        return view_of(self, self.values.data(), self.values.size() * sizeof(int32_t))

    def __len__(self):
        return self.values.size()


cdef class StringBuilder:
    """A column of strings."""
    cdef vector[int32_t] ends
    cdef vector[char] data

    def __cinit__(self):
        self.ends.push_back(0)

    cdef int add(self, const char* text, Py_ssize_t size) except -1 nogil:
        if <Py_ssize_t> self.data.size() + size > INT32_MAX:
            with gil:
                raise OverflowError("a column holds at most 2 GiB of text")
        self.data.insert(self.data.end(), text, text + size)
        self.ends.push_back(<int32_t> self.data.size())
        return 0

    def buffers(self):
        """Return the offsets of the strings and their bytes."""
        return (view_of(self, self.ends.data(), self.ends.size() * sizeof(int32_t)),
                view_of(self, self.data.data(), self.data.size()))


cdef class TableBuilder:
    """Columns of words, sentences and documents, filled sentence by sentence.

    `level` is what a row of the output is: a word, a sentence or a document; `add_nothing` adds a
    row of nulls for a document that could not be parsed. `word_rows` and `sentence_rows` hold the
    input row of each word and each sentence.
    """
    cdef int level
    cdef readonly ValidityBitmap is_word, is_sentence, is_document
    cdef readonly ValidityBitmap has_head, has_position, spans_text
    cdef readonly Int32Builder word_rows, sent_ids, ids, heads, starts, ends
    cdef readonly Int32Builder sentence_rows, sentence_ids, sentence_starts, sentence_ends
    cdef readonly Int32Builder first_words, first_sentences
    cdef readonly StringBuilder sentence_texts
    cdef readonly list texts                # of words, in the order of TEXT_NAMES
    cdef readonly list has_text             # one bitmap for each of them

    def __init__(self, str level):
        self.level = LEVELS[level]
        self.is_word, self.is_sentence = ValidityBitmap(), ValidityBitmap()
        self.is_document, self.has_head = ValidityBitmap(), ValidityBitmap()
        self.has_position, self.spans_text = ValidityBitmap(), ValidityBitmap()
        self.word_rows, self.sent_ids, self.ids = Int32Builder(), Int32Builder(), Int32Builder()
        self.heads, self.starts, self.ends = Int32Builder(), Int32Builder(), Int32Builder()
        self.sentence_rows, self.sentence_ids = Int32Builder(), Int32Builder()
        self.sentence_starts, self.sentence_ends = Int32Builder(), Int32Builder()
        self.first_words, self.first_sentences = Int32Builder(), Int32Builder()
        self.sentence_texts = StringBuilder()
        self.texts = [StringBuilder() for _ in range(N_TEXTS)]
        self.has_text = [ValidityBitmap() for _ in range(N_TEXTS)]
        self.first_words.values.push_back(0)
        self.first_sentences.values.push_back(0)

    @property
    def n_words(self):
        return self.is_word.size

    @property
    def n_sentences(self):
        return self.is_sentence.size

    @property
    def n_documents(self):
        return self.is_document.size

    def end_document(self):
        """End a document."""
        self.is_document.add(True)
        self.first_sentences.values.push_back(<int32_t> self.is_sentence.size)

    def add_nothing(self, int32_t row):
        """Add a row of nulls."""
        if self.level == DOCUMENT:
            self.is_document.add(False)
            self.first_sentences.values.push_back(<int32_t> self.is_sentence.size)
        elif self.level == SENTENCE_LEVEL:
            self.is_sentence.add(False)
            self.sentence_rows.values.push_back(row)
            self.sentence_ids.values.push_back(0)
            self.sentence_texts.add(NULL, 0)
            self.add_span(NOWHERE, NOWHERE)
            self.first_words.values.push_back(<int32_t> self.is_word.size)
        else:
            self.is_word.add(False)
            self.word_rows.values.push_back(row)
            self.sent_ids.values.push_back(0)
            self.ids.values.push_back(0)
            self.add_head(NO_HEAD)
            self.add_position(NOWHERE, NOWHERE)
            for texts in self.texts:
                (<StringBuilder> texts).add(NULL, 0)
            for has_text in self.has_text:
                (<ValidityBitmap> has_text).add(False)

    def add(self, int32_t row, int32_t number, sentences not None):
        """Add sentences of an input row, a block or a list; the first is the `number`-th of it."""
        cdef PyObject* texts[N_TEXTS]
        cdef PyObject* has_text[N_TEXTS]
        cdef vector[Fields] batch
        cdef size_t s, n_words = 0
        cdef int i
        collect_fields(sentences, batch)
        for s in range(batch.size()):
            n_words += batch[s].n_words
        if <Py_ssize_t> (self.is_word.size + n_words) > INT32_MAX:
            raise OverflowError("a column holds at most 2**31 - 1 words")
        for i in range(N_TEXTS):
            texts[i] = <PyObject*> self.texts[i]
            has_text[i] = <PyObject*> self.has_text[i]
        with nogil:
            for s in range(batch.size()):
                for i in range(N_TEXTS):
                    add_column(<StringBuilder> texts[i], <ValidityBitmap> has_text[i], batch[s],
                               TEXT_COLUMNS[i])
                self.add_sentence(row, number + <int32_t> s, batch[s])

    cdef int add_sentence(self, int32_t row, int32_t number, Fields sentence) except -1 nogil:
        """Add all of a sentence but the texts of its words."""
        cdef Text text = text_of(sentence)
        cdef size_t first = self.starts.values.size()
        cdef int32_t i
        for i in range(sentence.n_words):
            self.is_word.add(True)
            self.word_rows.values.push_back(row)
            self.sent_ids.values.push_back(number)
            self.ids.values.push_back(i + 1)
            self.add_head(sentence.head[i])
        self.add_positions(sentence)
        self.is_sentence.add(True)
        self.sentence_rows.values.push_back(row)
        self.sentence_ids.values.push_back(number)
        self.sentence_texts.add(text.text, text.size)
        self.add_span(self.starts.values[first], self.ends.values.back())
        self.first_words.values.push_back(<int32_t> self.is_word.size)
        return 0

    cdef int add_head(self, int32_t head) except -1 nogil:
        self.has_head.add(head != NO_HEAD)
        self.heads.values.push_back(0 if head == NO_HEAD else head)
        return 0

    cdef int add_position(self, int32_t start, int32_t end) except -1 nogil:
        self.has_position.add(start != NOWHERE)
        self.starts.values.push_back(start)
        self.ends.values.push_back(end)
        return 0

    cdef int add_span(self, int32_t start, int32_t end) except -1 nogil:
        self.spans_text.add(start != NOWHERE and end != NOWHERE)
        self.sentence_starts.values.push_back(start)
        self.sentence_ends.values.push_back(end)
        return 0

    cdef int add_positions(self, Fields sentence) except -1 nogil:
        """Add the position of each word in the text, from MISC of the word or of its range."""
        cdef int i, last, range_last = -1
        cdef int32_t start = NOWHERE, end = NOWHERE
        cdef Text line
        for i in range(sentence.n_words):
            if i > range_last:
                line = range_before(sentence, i, &last)
                if line.size:
                    range_last = last
                    read_range(last_column(line), &start, &end)
                else:
                    read_range(text_at(sentence, i, MISC), &start, &end)
            self.add_position(start, end)
        return 0


cdef int add_column(
    StringBuilder texts, ValidityBitmap has_text, Fields fields, int column
) except -1 nogil:
    """Add a column of all words of a sentence; what CoNLL-U leaves empty, by `_`, is null."""
    cdef Text text
    cdef int i
    for i in range(fields.n_words):
        text = text_at(fields, i, column)
        if column != FORM and is_blank(text) and not (
            column == LEMMA and is_blank(text_at(fields, i, FORM))
        ):
            has_text.add(False)
            texts.add(NULL, 0)
        else:
            has_text.add(True)
            texts.add(text.text, text.size)
    return 0


cdef inline bint is_blank(Text text) noexcept nogil:
    return text.size == 1 and text.text[0] == c"_"


cdef void read_range(Text misc, int32_t* start, int32_t* end) noexcept nogil:
    """Read the two numbers of TokenRange=12:15."""
    cdef Text span = named_value(misc, "TokenRange", 10)
    cdef const char* colon = <const char*> memchr(span.text, c":", span.size)
    start[0] = end[0] = NOWHERE
    if colon != NULL:
        start[0] = read_number(span.text, colon)
        end[0] = read_number(colon + 1, span.text + span.size)
        if end[0] == NOWHERE:
            start[0] = NOWHERE


cdef int32_t read_number(const char* at, const char* end) noexcept nogil:
    """Parse a decimal number; NOWHERE if it is malformed or too large."""
    cdef int32_t number = 0
    if at == end or end - at > 9:
        return NOWHERE
    while at < end:
        if not c"0" <= at[0] <= c"9":
            return NOWHERE
        number = 10 * number + (at[0] - c"0")
        at += 1
    return number


cdef Text text_of(Fields sentence) noexcept nogil:
    """Return the value of the comment `# text = …`; empty without one."""
    cdef const char* at = sentence.raw
    cdef const char* end = sentence.raw + (sentence.start[0] if sentence.n_words else 0)
    cdef const char* line_end
    while at < end and at[0] == c"#":
        line_end = <const char*> memchr(at, c"\n", end - at)
        if line_end == NULL:
            break
        if line_end - at > 9 and memcmp(at, TEXT_COMMENT, 9) == 0:
            return Text(at + 9, line_end - at - 9)
        at = line_end + 1
    return Text(end, 0)
