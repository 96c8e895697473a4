"""Word types (distinct forms) as rows of a network's embedding tables.

A type has rows in the table of each field: of its lower-cased form, if that is frequent; of its
hashed affixes, shape and form; of its hashed character n-grams, as in Bojanowski et al. (2017); and
of a pre-trained vector, if vectors are given. A type is encoded once and then known by its id, so
that the network can cache what it computes of it.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t

from dodona.core.base.nodes cimport n_nodes
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport ID_UNKNOWN, N_RESERVED
from dodona.tagging.word_encoder cimport (
    FIRST_WORD, N_FORM_ATTRIBUTES, N_PREFIXES, N_SUFFIXES, encode_form)
from dodona.treebank.block cimport collect_fields
from dodona.treebank.characters cimport append, lowered, next_character
from dodona.treebank.encoding.vocabulary cimport hashed
from dodona.treebank.sentence cimport FORM, Fields, Sentence, Text, fields_of, text_at

from dodona.tagging.word_encoder import FORM_ATTRIBUTES

cdef enum:
    LOWERED = 1               # index of the lower-cased form, which is not hashed
    SHORTEST = 3              # characters of an n-gram, with "<" and ">" at the ends
    LONGEST = 5
    MOST_GRAMS = 64           # of one type, however long its form

# hashed attributes: all but the lower-cased form, which has an embedding of its own
HASHED = ("form", *(f"prefix{i}" for i in range(1, N_PREFIXES + 1)),
          *(f"suffix{i}" for i in range(1, N_SUFFIXES + 1)), "shape")
FIELDS = ("lower", *HASHED, "grams")
COLUMNS_READ = (*FORM_ATTRIBUTES, "type", "entry")    # of an encoded sentence, before its tags
VECTOR = "vector"             # the last field, if vectors are given


cdef int check_lengths(Corpus corpus, const vector[Fields]& batch, size_t first) except -1:
    cdef size_t s
    cdef bint is_good = first + batch.size() <= corpus.n_words.size()
    for s in range(batch.size()):
        is_good = is_good and batch[s].n_words == corpus.n_words[first + s]
    if not is_good:
        raise ValueError("these are not the sentences of the corpus")
    return 0


cdef class WordTypes:
    """Word types, numbered in the order of their first occurrence.

    `forms` are lower-cased forms with embeddings of their own; `sizes` the rows of the tables of
    HASHED and of the n-grams; `vectors` words with pre-trained vectors; `known` the forms with an
    id in the column `entry`.
    """

    def __init__(self, Vocabulary forms not None, sizes, Vocabulary vectors=None,
                 Vocabulary known=None):
        self.forms, self.vectors, self.sizes = forms, vectors, tuple(sizes)
        self.known = Vocabulary() if known is None else known
        self.has_vectors = vectors is not None
        if len(self.sizes) != len(HASHED) + 1 or not all(1 < n < 1 << 28 for n in self.sizes):
            raise ValueError(f"expected the sizes of {len(HASHED) + 1} tables, not {self.sizes}")
        self.n_rows = self.sizes
        self.clear()

    def __len__(self):
        return len(self.seen)

    def clear(self):
        """Remove all types."""
        self.seen = Vocabulary()
        self.first.resize(1)             # 0: where the rows of the first type begin
        self.rows.clear()
        self.entry.clear()
        self.attributes.clear()

    @property
    def fields(self):
        """The names of the fields."""
        return FIELDS if self.vectors is None else (*FIELDS, VECTOR)

    @property
    def table_sizes(self):
        """The rows of each field's table; row 0 of `lower` and `vector` is for unknown words."""
        last = () if self.vectors is None else (len(self.vectors) + 1,)
        return (len(self.forms) + 1, *self.sizes, *last)

    def numbers(self, sentences):
        """Return the type id of every word, as int32 bytes; new types are added."""
        cdef vector[int32_t] numbers
        cdef Sentence sentence
        cdef Fields fields
        cdef Text text
        cdef int i
        for sentence in sentences:
            fields = fields_of(sentence)
            with nogil:
                for i in range(fields.n_words):
                    text = text_at(fields, i, FORM)
                    numbers.push_back(self.find(text.text, text.size))
        return PyBytes_FromStringAndSize(<char*> numbers.data(), numbers.size() * sizeof(int32_t))

    def encode(self, sentences, int n_tags):
        """Encode sentences as a corpus: COLUMNS_READ, and `n_tags` empty columns of tags."""
        cdef Corpus corpus = Corpus(N_READ + n_tags)
        cdef vector[Fields] batch
        cdef int s
        collect_fields(sentences, batch)
        for s in range(<int> batch.size()):
            corpus.add(batch[s].n_words)
        with nogil:
            for s in range(<int> batch.size()):
                self.fill(batch[s], corpus.column(s, 0) + 1)
        return corpus

    cdef int fill(self, Fields sentence, int32_t* values) except -1 nogil:
        """Write COLUMNS_READ of a sentence."""
        cdef size_t stride = n_nodes(sentence.n_words), k
        cdef const int32_t* attributes
        cdef int32_t type
        cdef Text text
        cdef int i
        for i in range(sentence.n_words):
            text = text_at(sentence, i, FORM)
            type = self.find(text.text, text.size)
            attributes = &self.attributes[<size_t> type * N_FORM_ATTRIBUTES]
            for k in range(N_FORM_ATTRIBUTES):
                values[k * stride + i] = attributes[k]
            values[TYPE_COLUMN * stride + i] = type
            values[ENTRY_COLUMN * stride + i] = self.entry[type]
        values[(N_FORM_ATTRIBUTES - 1) * stride] ^= FIRST_WORD
        return 0

    def field_rows(self, size_t start=0):
        """Return the first row of each type and field, for types from `start` on, and the rows."""
        cdef size_t n_fields = len(self.fields), at = min(start * n_fields, self.first.size() - 1)
        cdef size_t skipped = self.first[at], i
        cdef vector[int32_t] first
        for i in range(at, self.first.size()):
            first.push_back(self.first[i] - <int32_t> skipped)
        return (PyBytes_FromStringAndSize(<char*> first.data(), first.size() * sizeof(int32_t)),
                PyBytes_FromStringAndSize(<char*> (self.rows.data() + skipped),
                                          (self.rows.size() - skipped) * sizeof(int32_t)))

    cdef int32_t find(self, const char* text, Py_ssize_t size) except -1 nogil:
        """Return the id of a type, which is encoded if it is new."""
        cdef size_t n_before = self.seen.start.size()
        cdef int32_t number = self.seen.add(text, size) - N_RESERVED
        if self.seen.start.size() > n_before:
            self.add_type(text, size)
        return number

    cdef int add_type(self, const char* text, Py_ssize_t size) except -1 nogil:
        cdef int32_t values[N_FORM_ATTRIBUTES]
        cdef vector[char] lower
        cdef vector[int32_t] starts
        cdef Py_ssize_t at = 0
        cdef int32_t known
        cdef int k, n, i, length, hashed_field = 0, n_grams = 0
        cdef uint32_t n_rows
        encode_form(text, size, values)
        for k in range(N_FORM_ATTRIBUTES):
            self.attributes.push_back(values[k])
        self.entry.push_back(self.known.lookup(text, size))
        append(<uint32_t> c"<", lower)
        starts.push_back(0)
        while at < size:
            starts.push_back(<int32_t> lower.size())
            append(lowered(next_character(text, size, &at)), lower)
        starts.push_back(<int32_t> lower.size())
        append(<uint32_t> c">", lower)
        starts.push_back(<int32_t> lower.size())
        known = self.forms.lookup(lower.data() + 1, lower.size() - 2)
        self.rows.push_back(0 if known == ID_UNKNOWN else known - N_RESERVED + 1)
        self.end_field()
        for k in range(N_FORM_ATTRIBUTES):
            if k == LOWERED:
                continue
            n_rows = self.n_rows[hashed_field]
            self.rows.push_back(1 + <int32_t> (<uint32_t> values[k] % (n_rows - 1))
                                if values[k] >= N_RESERVED else 0)
            self.end_field()
            hashed_field += 1
        n = <int> starts.size() - 1
        n_rows = self.n_rows[hashed_field]
        for length in range(SHORTEST, LONGEST + 1):
            for i in range(n - length + 1):
                if n_grams < MOST_GRAMS:
                    self.rows.push_back(<int32_t> (hashed(
                        lower.data() + starts[i], starts[i + length] - starts[i]) % n_rows))
                    n_grams += 1
        self.end_field()
        if self.has_vectors:
            self.rows.push_back(self.vector_row(text, size, lower))
            self.end_field()
        return 0

    cdef int cut(self, size_t n_types) except -1 nogil:
        """Keep only the first types; there are more."""
        cdef size_t n_fields = (self.first.size() - 1) // self.entry.size()
        self.seen.cut(n_types)
        self.first.resize(n_types * n_fields + 1)
        self.rows.resize(self.first.back())
        self.entry.resize(n_types)
        self.attributes.resize(n_types * N_FORM_ATTRIBUTES)
        self.first.shrink_to_fit()
        self.rows.shrink_to_fit()
        self.attributes.shrink_to_fit()
        return 0

    cdef size_t n_bytes(self) noexcept nogil:
        """Return the memory that the types take."""
        return self.seen.n_bytes() + sizeof(int32_t) * (
            self.first.size() + self.rows.size() + self.entry.size() + self.attributes.size())

    cdef int end_field(self) except -1 nogil:
        self.first.push_back(<int32_t> self.rows.size())
        return 0

    cdef int32_t vector_row(self, const char* text, Py_ssize_t size,
                            const vector[char]& lower) noexcept nogil:
        """Return the vector row of the form, or of its lower case; 0 if there is neither."""
        cdef int32_t row = self.vectors.lookup(text, size)
        if row == ID_UNKNOWN:
            row = self.vectors.lookup(lower.data() + 1, lower.size() - 2)
        return 0 if row == ID_UNKNOWN else row - N_RESERVED + 1
