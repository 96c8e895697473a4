"""The kinds of words that the rules of Universal Dependencies for trees distinguish.

A kind is the index of the word's tag, or of its ExtPos, in TAGS, plus flags (`constraints.pxd`).
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from dodona.core.features.corpus cimport Corpus
from dodona.core.transitions.constraints cimport GLUED, NEGATES, NOMINAL, POSSESSES
from dodona.treebank.block cimport collect_fields
from dodona.treebank.sentence cimport (
    FEATS, MISC, UPOS, Fields, Sentence, Text, field, named_value, text_at)

from dodona.treebank.universal import UPOS as UPOS_TAGS

TAGS = ("_", *sorted(UPOS_TAGS))

cdef list TAG_BYTES = [tag.encode() for tag in TAGS]
cdef vector[Text] TAG_TEXTS
for name in TAG_BYTES:
    TAG_TEXTS.push_back(Text(PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)))


cdef inline bint is_text(Text text, const char* other, Py_ssize_t size) noexcept nogil:
    return text.size == size and memcmp(text.text, other, size) == 0


cdef int tag_index(Text tag) noexcept nogil:
    """Return the index in TAGS; 0 for what is no tag of UD."""
    cdef int i
    for i in range(1, <int> TAG_TEXTS.size()):
        if is_text(tag, TAG_TEXTS[i].text, TAG_TEXTS[i].size):
            return i
    return 0


cdef int32_t kind_of_fields(Text tag, Text feats, Text misc) noexcept nogil:
    cdef Text external
    cdef int32_t kind = 0
    if is_text(tag, b"NOUN", 4) or is_text(tag, b"PROPN", 5) or is_text(tag, b"PRON", 4):
        kind |= NOMINAL
    if is_text(named_value(misc, b"SpaceAfter", 10), b"No", 2):
        kind |= GLUED
    if feats.size > 1:
        external = named_value(feats, b"ExtPos", 6)
        if is_text(named_value(feats, b"Polarity", 8), b"Neg", 3) and (
                is_text(tag, b"PART", 4) or is_text(tag, b"ADV", 3)):
            kind |= NEGATES
        if is_text(named_value(feats, b"Poss", 4), b"Yes", 3):
            kind |= POSSESSES
        if external.size:
            tag = external
    return kind | tag_index(tag)


cdef Text text_of(bytes data):
    return Text(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


def kind_of(str tag not None, str feats not None, str misc not None="_"):
    """Return the kind of a word.

    >>> TAGS[kind_of("ADV", "_")], TAGS[kind_of("ADJ", "Degree=Cmp|ExtPos=ADP")]
    ('ADV', 'ADP')
    """
    cdef list fields = [tag.encode(), feats.encode(), misc.encode()]
    return kind_of_fields(text_of(fields[0]), text_of(fields[1]), text_of(fields[2]))


def kinds_of(Sentence sentence not None):
    """Return the kinds of a sentence's words."""
    cdef int i
    return [kind_of_fields(field(sentence, i, UPOS), field(sentence, i, FEATS),
                           field(sentence, i, MISC)) for i in range(sentence.n_words)]


def set_kinds(Corpus corpus not None, sentences):
    """Give the words of a corpus their kinds; the sentences are those of the corpus."""
    cdef vector[int32_t] found
    cdef vector[Fields] batch
    cdef size_t s
    cdef int i
    collect_fields(sentences, batch)
    with nogil:
        found.reserve(corpus.head.size())
        for s in range(batch.size()):
            for i in range(batch[s].n_words):
                found.push_back(kind_of_fields(
                    text_at(batch[s], i, UPOS), text_at(batch[s], i, FEATS),
                    text_at(batch[s], i, MISC)))
    if found.size() != corpus.head.size():
        raise ValueError(f"{found.size()} kinds for {corpus.head.size()} words")
    corpus.kinds.swap(found)
