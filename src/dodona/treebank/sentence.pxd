"""Memory layout of a sentence, for compiled code; words are numbered from 0, as in arrays."""

cimport cython
from libc.stdint cimport int32_t
from libc.string cimport memchr, memcmp

cdef enum:
    ID = 0
    FORM = 1
    LEMMA = 2
    UPOS = 3
    XPOS = 4
    FEATS = 5
    HEAD = 6
    DEPREL = 7
    DEPS = 8
    MISC = 9
    STRIDE = 11     # starts per word: its ten columns, and one past the end of the last
    NO_HEAD = -1    # the head column is "_"
    HEAD_WIDTH = 10         # digits of the largest int32

cdef struct Text:
    const char* text
    Py_ssize_t size


@cython.final
cdef class Sentence:
    cdef bytes data             # owns raw
    cdef const char* raw
    cdef Py_ssize_t size
    cdef int n_words
    cdef int32_t* starts        # STRIDE per word, offsets into raw
    cdef int32_t* head          # per word: 0 is the root, words from 1, NO_HEAD
    cdef readonly str source
    cdef readonly Py_ssize_t line
    cdef readonly str format

    # The sentence with this head (or NO_HEAD) and labels[label_ids[i]], a bytes, for every word i.
    cdef Sentence with_tree(self, const int32_t* heads, list labels, const int32_t* label_ids)

    # The sentence with texts[i * n_columns + k] as column columns[k], ascending, of every word i.
    cdef Sentence with_fields(self, const int* columns, int n_columns, const Text* texts)


cdef Sentence make_sentence(
    bytes data, int n_words, const int32_t* start, const int32_t* head,
    str source, Py_ssize_t line, str format)


# The module `treebank.views`, which defines the methods of sentences and words in Python.
cdef views()


# The fields of a sentence as plain C, for loops over many sentences without the interpreter lock.
cdef struct Fields:
    const char* raw
    Py_ssize_t size
    const int32_t* start
    const int32_t* head
    int n_words


# The number of bytes of a sentence after `copy_replaced`.
cdef Py_ssize_t replaced_size(
    Fields old, const int* columns, int n_columns, const Text* texts) noexcept nogil

# Copy a sentence with texts[i * n_columns + k] as column columns[k], ascending, of every word i.
cdef void copy_replaced(
    Fields old, const int* columns, int n_columns, const Text* texts, char* out, int32_t* starts,
) noexcept nogil

# Write a head right-aligned into a buffer of HEAD_WIDTH bytes.
cdef Text head_text(int32_t head, char* buffer) noexcept nogil


cdef inline Fields fields_of(Sentence sentence) noexcept nogil:
    return Fields(sentence.raw, sentence.size, sentence.starts, sentence.head, sentence.n_words)


cdef inline Text text_at(Fields fields, int word, int column) noexcept nogil:
    cdef const int32_t* start = fields.start + <Py_ssize_t>STRIDE * word + column
    return Text(fields.raw + start[0], start[1] - start[0] - 1)


# A field, as bytes of the sentence without a terminating zero.
cdef inline Text field(Sentence sentence, int word, int column) noexcept nogil:
    return text_at(fields_of(sentence), word, column)


# The value of a name in Name=Value|Name=Value|…; empty if it has none.
cdef inline Text named_value(Text values, const char* name, Py_ssize_t size) noexcept nogil:
    cdef const char* at = values.text
    cdef const char* end = values.text + values.size
    cdef const char* bar
    while at < end:
        bar = <const char*> memchr(at, c"|", end - at)
        if bar == NULL:
            bar = end
        if bar - at > size and at[size] == c"=" and memcmp(at, name, size) == 0:
            return Text(at + size + 1, bar - at - size - 1)
        at = bar + 1
    return Text(end, 0)
