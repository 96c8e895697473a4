"""Emoji and currency signs, which are rare in treebanks and all tagged alike.

An unknown emoji or sign gets the tags of its kind in the treebank; to the model it would be an
unknown word of an unknown shape.
"""
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport ID_UNKNOWN, N_RESERVED
from dodona.tagging.word_types cimport ENTRY_COLUMN, check_lengths
from dodona.treebank.block cimport collect_fields
from dodona.treebank.characters cimport next_character
from dodona.treebank.sentence cimport FORM, Fields, Text, text_at

cdef enum:
    NO_SYMBOL = -1
    EMOJI_WORD = 0
    CURRENCY_WORD = 1
    SMALLEST = 0x24           # first character that can be a symbol

SYMBOL_KINDS = ("emoji", "currency")


cdef inline bint is_currency(uint32_t c) noexcept nogil:
    """Whether c is in Unicode's category Sc, listed here to be independent of Python's version."""
    return (c == c"$" or 0xa2 <= c <= 0xa5 or c == 0x58f or c == 0x60b or 0x7fe <= c <= 0x7ff
            or 0x9f2 <= c <= 0x9f3 or c == 0x9fb or c == 0xaf1 or c == 0xbf9 or c == 0xe3f
            or c == 0x17db or 0x20a0 <= c <= 0x20cf or c == 0xa838 or c == 0xfdfc or c == 0xfe69
            or c == 0xff04 or 0xffe0 <= c <= 0xffe1 or 0xffe5 <= c <= 0xffe6)


cdef inline bint is_emoji(uint32_t c) noexcept nogil:
    """Whether c is a pictograph, or usually drawn as one."""
    return (0x1f000 <= c <= 0x1faff or 0x2600 <= c <= 0x27bf or 0x231a <= c <= 0x23ff
            or 0x2b05 <= c <= 0x2b55)


cdef inline bint goes_with_emoji(uint32_t c) noexcept nogil:
    """Whether c occurs inside emoji: joiners, variation selectors, key caps, tags."""
    return (c == 0x200d or c == 0xfe0e or c == 0xfe0f or c == 0x20e3 or c == 0x2640 or c == 0x2642
            or 0xe0020 <= c <= 0xe007f)


cdef int kind_of_word(const char* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t at = 0
    cdef int n_emoji = 0, n_currency = 0, n_other = 0
    cdef uint32_t c
    if size == 0 or <unsigned char> text[0] < SMALLEST:
        return NO_SYMBOL
    if size > 1 and <unsigned char> text[0] < 0x80:
        return NO_SYMBOL
    while at < size:
        c = next_character(text, size, &at)
        if is_emoji(c):
            n_emoji += 1
        elif is_currency(c):
            n_currency += 1
        elif not goes_with_emoji(c):
            n_other += 1
    if n_other or not (n_emoji or n_currency):
        return NO_SYMBOL
    return EMOJI_WORD if n_emoji else CURRENCY_WORD


def symbol_kind(str form):
    """Return which of SYMBOL_KINDS a word is, or None.

    >>> symbol_kind("👍🏽"), symbol_kind("€"), symbol_kind("oak")
    ('emoji', 'currency', None)
    """
    cdef bytes text = form.encode(errors="replace")
    cdef int kind = kind_of_word(text, len(text))
    return None if kind == NO_SYMBOL else SYMBOL_KINDS[kind]


def has_symbols(Corpus corpus not None, sentences):
    """Whether the corpus has an unknown word that is an emoji or a currency sign."""
    cdef vector[Fields] batch
    cdef const int32_t* entries
    cdef size_t s
    cdef bint is_found = False
    cdef Text text
    cdef int i
    check_symbols(corpus, sentences, batch)
    with nogil:
        for s in range(batch.size()):
            entries = corpus.column(<int> s, ENTRY_COLUMN) + 1
            for i in range(batch[s].n_words):
                text = text_at(batch[s], i, FORM)
                is_found = is_found or (
                    entries[i] == ID_UNKNOWN and kind_of_word(text.text, text.size) != NO_SYMBOL)
    return is_found


def tag_symbols(Corpus corpus not None, sentences, Py_ssize_t column, classes, bytes kept=None):
    """Write the classes of unknown emoji and currency signs into a column of the corpus.

    `classes` has a class for each of SYMBOL_KINDS, or -1 to change nothing; sentences whose byte in
    `kept` is not 0 stay unchanged.
    """
    cdef int32_t emoji, currency
    cdef const unsigned char* marks = NULL
    cdef vector[Fields] batch
    cdef size_t s
    cdef const int32_t* entries
    cdef int32_t* values
    cdef Text text
    cdef int i, kind, klass
    emoji, currency = classes
    if not 0 <= column < corpus.n_columns:
        raise IndexError(f"there is no column {column} among {corpus.n_columns}")
    check_symbols(corpus, sentences, batch)
    if kept is not None:
        if len(kept) < <Py_ssize_t> batch.size():
            raise ValueError(f"{len(kept)} marks for {batch.size()} sentences")
        marks = kept
    with nogil:
        for s in range(batch.size()):
            if marks != NULL and marks[s]:
                continue
            entries = corpus.column(<int> s, ENTRY_COLUMN) + 1
            values = corpus.column(<int> s, <int> column) + 1
            for i in range(batch[s].n_words):
                text = text_at(batch[s], i, FORM)
                kind = kind_of_word(text.text, text.size)
                klass = emoji if kind == EMOJI_WORD else currency
                if kind != NO_SYMBOL and klass >= 0 and entries[i] == ID_UNKNOWN:
                    values[i] = klass + N_RESERVED


cdef int check_symbols(Corpus corpus, sentences, vector[Fields]& batch) except -1:
    """Collect the sentences, which must be those of a corpus with a column `entry`."""
    if corpus.n_columns <= ENTRY_COLUMN:
        raise ValueError(f"a corpus of {corpus.n_columns} columns has no column of known words")
    collect_fields(sentences, batch)
    return check_lengths(corpus, batch, 0)
