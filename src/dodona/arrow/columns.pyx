"""Parsed sentences as Arrow's columns: plain memory, filled without an object per word.

Arrow's layout (arrow.apache.org/docs/format/Columnar.html) is an int32 for every value that says
where it ends, and a bit for every value that says whether there is one. Here are vectors of that
kind, which Arrow then looks at where they lie. Nothing is linked with Arrow.
"""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport INT32_MAX, int32_t, uint8_t
from libc.string cimport memchr, memcmp
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport (
    DEPREL, DEPS, FEATS, FORM, LEMMA, MISC, NO_HEAD, UPOS, XPOS, Fields, Sentence, Text, field,
    fields_of, named_value, text_at)
from dodona.treebank.word cimport last_column, range_before

cdef enum:
    WORD, SENTENCE_LEVEL, DOCUMENT      # what one row is
    NOWHERE = -1                        # a word whose place in the text nobody knows
    N_TEXTS = 7

cdef int[N_TEXTS] TEXT_COLUMNS = [FORM, LEMMA, UPOS, XPOS, FEATS, DEPREL, DEPS]
TEXT_NAMES = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps")
LEVELS = {"word": WORD, "sentence": SENTENCE_LEVEL, "document": DOCUMENT}

cdef const char* TEXT_COMMENT = "# text = "


cdef class Memory:
    """Memory that something else owns, for whoever reads buffers; it is kept as long as this is."""
    cdef object owner
    cdef const void* at
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, <void*> self.at, self.size, 1, flags)


cdef Memory memory(object owner, const void* at, size_t size):
    cdef Memory self = Memory.__new__(Memory)
    # an empty vector may be nowhere, which Arrow does not allow
    self.at = at if size else <const void*> TEXT_COMMENT
    self.owner, self.size = owner, <Py_ssize_t> size
    return self


cdef class Bits:
    """A bit for every value: whether there is one."""
    cdef vector[uint8_t] bytes_
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t n_missing

    cdef int add(self, bint is_there) except -1 nogil:
        if self.size % 8 == 0:
            self.bytes_.push_back(0)
        if is_there:
            self.bytes_[self.size // 8] |= <uint8_t> (1 << (self.size % 8))
        else:
            self.n_missing += 1
        self.size += 1
        return 0

    def buffer(self):
        """The bits, or None where no value is missing."""
        return memory(self, self.bytes_.data(), self.bytes_.size()) if self.n_missing else None


cdef class Numbers:
    """A column of numbers."""
    cdef vector[int32_t] values

    def buffer(self):
        """The numbers."""
        return memory(self, self.values.data(), self.values.size() * sizeof(int32_t))

    def __len__(self):
        return self.values.size()


cdef class Texts:
    """A column of texts."""
    cdef vector[int32_t] ends
    cdef vector[char] data

    def __cinit__(self):
        self.ends.push_back(0)

    cdef int add(self, const char* text, Py_ssize_t size) except -1 nogil:
        if <Py_ssize_t> self.data.size() + size > INT32_MAX:
            with gil:
                raise OverflowError("more than 2 GiB in one column")
        self.data.insert(self.data.end(), text, text + size)
        self.ends.push_back(<int32_t> self.data.size())
        return 0

    def buffers(self):
        """Where each text ends, and all of them."""
        return (memory(self, self.ends.data(), self.ends.size() * sizeof(int32_t)),
                memory(self, self.data.data(), self.data.size()))


cdef class Columns:
    """The columns of words, of sentences and of documents, as sentences are added to them.

    `level` says what a row is: where a text could not be parsed, `add_nothing` makes one without
    values. `row` numbers the rows that came in; `word_rows` and `sentence_rows` tell of which of
    them each word and each sentence is.
    """
    cdef int level
    cdef readonly Bits is_word, is_sentence, is_document, has_head, has_place, spans_text
    cdef readonly Numbers word_rows, sent_ids, ids, heads, starts, ends
    cdef readonly Numbers sentence_rows, sentence_ids, first_words, sentence_starts, sentence_ends
    cdef readonly Numbers first_sentences
    cdef readonly Texts sentence_texts
    cdef readonly list texts                # of words, as TEXT_NAMES names them

    def __init__(self, str level):
        self.level = LEVELS[level]
        self.is_word, self.is_sentence, self.is_document = Bits(), Bits(), Bits()
        self.has_head, self.has_place, self.spans_text = Bits(), Bits(), Bits()
        self.word_rows, self.sent_ids, self.ids = Numbers(), Numbers(), Numbers()
        self.heads, self.starts, self.ends = Numbers(), Numbers(), Numbers()
        self.sentence_rows, self.sentence_ids = Numbers(), Numbers()
        self.sentence_starts, self.sentence_ends = Numbers(), Numbers()
        self.first_words, self.first_sentences = Numbers(), Numbers()
        self.sentence_texts = Texts()
        self.texts = [Texts() for _ in range(N_TEXTS)]
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

    def add(self, int32_t row, int32_t number, list sentences):
        """Add sentences of a row, the first of which has this number."""
        cdef Sentence sentence
        for sentence in sentences:
            self.add_sentence(sentence, row, number)
            number += 1

    def end_document(self):
        """All sentences of a document have been added."""
        self.is_document.add(True)
        self.first_sentences.values.push_back(<int32_t> self.is_sentence.size)

    def add_nothing(self, int32_t row):
        """Add a row without values."""
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
            self.add_place(NOWHERE, NOWHERE)
            for texts in self.texts:
                (<Texts> texts).add(NULL, 0)

    cdef int add_sentence(self, Sentence sentence, int32_t row, int32_t number) except -1:
        cdef int32_t i, n = sentence.n_words
        cdef Fields fields = fields_of(sentence)
        cdef Text text = text_of(sentence)
        cdef size_t first = self.starts.values.size()
        if <Py_ssize_t> self.is_word.size + n > INT32_MAX:
            raise OverflowError("more words than 32 bits can count")
        for i in range(N_TEXTS):
            add_column(<Texts> self.texts[i], fields, TEXT_COLUMNS[i])
        with nogil:
            for i in range(n):
                self.is_word.add(True)
                self.word_rows.values.push_back(row)
                self.sent_ids.values.push_back(number)
                self.ids.values.push_back(i + 1)
                self.add_head(fields.head[i])
            self.add_places(sentence)
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

    cdef int add_place(self, int32_t start, int32_t end) except -1 nogil:
        self.has_place.add(start != NOWHERE)
        self.starts.values.push_back(start)
        self.ends.values.push_back(end)
        return 0

    cdef int add_span(self, int32_t start, int32_t end) except -1 nogil:
        self.spans_text.add(start != NOWHERE and end != NOWHERE)
        self.sentence_starts.values.push_back(start)
        self.sentence_ends.values.push_back(end)
        return 0

    cdef int add_places(self, Sentence sentence) except -1 nogil:
        """Where words stand in the text, as MISC says it of the word or of the range it is in."""
        cdef int i, last, range_last = -1
        cdef int32_t start = NOWHERE, end = NOWHERE
        cdef Text line
        for i in range(sentence.n_words):
            if i > range_last:
                line = range_before(sentence, i, &last)
                if line.size:
                    range_last = last
                    read_place(last_column(line), &start, &end)
                else:
                    read_place(field(sentence, i, MISC), &start, &end)
            self.add_place(start, end)
        return 0


cdef int add_column(Texts texts, Fields fields, int column) except -1 nogil:
    """A column of all words of a sentence."""
    cdef Text text
    cdef int i
    for i in range(fields.n_words):
        text = text_at(fields, i, column)
        texts.add(text.text, text.size)
    return 0


cdef void read_place(Text misc, int32_t* start, int32_t* end) noexcept nogil:
    """The two numbers of TokenRange=12:15."""
    cdef Text place = named_value(misc, "TokenRange", 10)
    cdef const char* colon = <const char*> memchr(place.text, c":", place.size)
    start[0] = end[0] = NOWHERE
    if colon != NULL:
        start[0] = read_number(place.text, colon)
        end[0] = read_number(colon + 1, place.text + place.size)
        if end[0] == NOWHERE:
            start[0] = NOWHERE


cdef int32_t read_number(const char* at, const char* end) noexcept nogil:
    """The number between these places, NOWHERE if there is none or it is too large."""
    cdef int32_t number = 0
    if at == end or end - at > 9:
        return NOWHERE
    while at < end:
        if not c"0" <= at[0] <= c"9":
            return NOWHERE
        number = 10 * number + (at[0] - c"0")
        at += 1
    return number


cdef Text text_of(Sentence sentence) noexcept nogil:
    """What the comment `# text = …` says; nothing without one."""
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
