"""Sentences of a block as JSON lines, without the interpreter lock.

The bytes are those of `json.dumps` for the dictionary of a sentence (`plain_data.as_data`).
Sentences with multiword tokens, and any whose offsets are not plain numbers, are left to Python.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memchr, memcmp
from libcpp.vector cimport vector

from dodona.treebank.block cimport Block
from dodona.treebank.sentence cimport (
    DEPREL, DEPS, FEATS, FORM, HEAD, LEMMA, MISC, NO_HEAD, UPOS, XPOS, Fields, Text, named_value,
    text_at)
from dodona.treebank.token_ranges cimport range_before

cdef enum:
    N_NAMED = 9

cdef int[N_NAMED] NAMED_COLUMNS = [FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC]
cdef const char* COLUMN_KEYS[N_NAMED]
COLUMN_KEYS[:] = [
    b', "form": ', b', "lemma": ', b', "upos": ', b', "xpos": ', b', "feats": ', b', "head": ',
    b', "deprel": ', b', "deps": ', b', "misc": ']
cdef const char* HEX_DIGITS = "0123456789abcdef"
cdef const char* LANGUAGE_COMMENT = "# lang = "
cdef const char* TEXT_COMMENT_KEY = "# text = "
cdef const char* MISC_OFFSETS = "TokenRange"


def json_lines(Block block not None, draw):
    """Return the sentences of a segmented text as JSON lines; `draw` makes that of a sentence.

    >>> from json import dumps
    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks"], comments=["# text = Oaks"], misc=["TokenRange=0:4"])
    >>> json_lines(Block.of([oaks]), str) == f"{dumps(oaks.to_dict())}\\n".encode()
    True
    """
    cdef vector[char] out
    cdef size_t s = 0, n = len(block)
    while s < n:
        with nogil:
            out.reserve(3 * block.size)
            while s < n and is_simple(block.fields(s)):
                put_sentence(block.fields(s), out)
                s += 1
        if s < n:
            put_bytes(draw(block[s]).encode(), out)
            s += 1
    return PyBytes_FromStringAndSize(out.data(), out.size())


cdef int put_bytes(bytes data, vector[char]& out) except -1:
    return put_text(Text(data, len(data)), out)


cdef bint is_simple(Fields sentence) noexcept nogil:
    """Whether all words are tokens with offsets, and the text is a comment."""
    cdef Text offsets
    cdef int i, last
    if comment_value(sentence, TEXT_COMMENT_KEY, 9).size == 0:
        return False
    for i in range(sentence.n_words):
        offsets = named_value(text_at(sentence, i, MISC), MISC_OFFSETS, 10)
        if range_before(sentence, i, &last).size or not are_numbers(offsets):
            return False
    return True


cdef bint are_numbers(Text offsets) noexcept nogil:
    """Whether these are two numbers as JSON has them, with a colon between them."""
    cdef Py_ssize_t i, n_digits = 0, n_colons = 0
    for i in range(offsets.size):
        if offsets.text[i] == c":":
            if n_digits == 0:
                return False
            n_digits = 0
            n_colons += 1
        elif not c"0" <= offsets.text[i] <= c"9" or n_digits == 1 and offsets.text[i - 1] == c"0":
            return False
        else:
            n_digits += 1
    return n_colons == 1 and n_digits > 0


cdef Text comment_value(Fields sentence, const char* key, Py_ssize_t size) noexcept nogil:
    """Return what follows a key in the first comment that begins with it; empty if none does."""
    cdef const char* at = sentence.raw
    cdef const char* end = sentence.raw + sentence.start[0]
    cdef const char* line_end
    while at < end:
        line_end = <const char*> memchr(at, c"\n", end - at)
        if line_end == NULL:
            break
        if line_end - at > size and memcmp(at, key, size) == 0:
            return Text(at + size, line_end - at - size)
        at = line_end + 1
    return Text(end, 0)


cdef int put_sentence(Fields sentence, vector[char]& out) except -1 nogil:
    cdef Text language = comment_value(sentence, LANGUAGE_COMMENT, 9)
    cdef int i
    out.push_back(c"{")
    if language.size:
        put_text(Text(b'"language": ', 12), out)
        put_string(language, out)
        put_text(Text(b", ", 2), out)
    put_text(Text(b'"comments": [', 13), out)
    put_comments(sentence, out)
    put_text(Text(b'], "text": ', 11), out)
    put_string(comment_value(sentence, TEXT_COMMENT_KEY, 9), out)
    put_text(Text(b', "words": [', 12), out)
    for i in range(sentence.n_words):
        if i:
            put_text(Text(b", ", 2), out)
        put_word(sentence, i, out)
    put_text(Text(b"]}\n", 3), out)
    return 0


cdef int put_comments(Fields sentence, vector[char]& out) except -1 nogil:
    cdef const char* at = sentence.raw
    cdef const char* end = sentence.raw + sentence.start[0]
    cdef const char* line_end
    while at < end:
        line_end = <const char*> memchr(at, c"\n", end - at)
        if line_end == NULL:
            break
        if at > sentence.raw:
            put_text(Text(b", ", 2), out)
        put_string(Text(at, line_end - at), out)
        at = line_end + 1
    return 0


cdef int put_word(Fields sentence, int i, vector[char]& out) except -1 nogil:
    cdef Text offsets = named_value(text_at(sentence, i, MISC), MISC_OFFSETS, 10), value
    cdef const char* colon = <const char*> memchr(offsets.text, c":", offsets.size)
    cdef const char* key
    cdef int k
    put_text(Text(b'{"id": ', 7), out)
    value = text_at(sentence, i, 0)
    put_text(value, out)
    for k in range(N_NAMED):
        key = COLUMN_KEYS[k]
        while key[0]:
            out.push_back(key[0])
            key += 1
        value = text_at(sentence, i, NAMED_COLUMNS[k])
        if NAMED_COLUMNS[k] == HEAD:
            put_text(Text(b"null", 4) if sentence.head[i] == NO_HEAD else value, out)
        elif NAMED_COLUMNS[k] == FEATS or NAMED_COLUMNS[k] == MISC:
            put_pairs(value, out)
        else:
            put_string(value, out)
    put_text(Text(b', "start": ', 11), out)
    put_text(Text(offsets.text, colon - offsets.text), out)
    put_text(Text(b', "end": ', 9), out)
    put_text(Text(colon + 1, offsets.text + offsets.size - colon - 1), out)
    out.push_back(c"}")
    return 0


cdef int put_pairs(Text values, vector[char]& out) except -1 nogil:
    """Write Name=Value|… as an object, or as a string if that would lose something."""
    cdef Py_ssize_t at = 0
    cdef Text name, value
    if not are_pairs(values):
        return put_string(values, out)
    out.push_back(c"{")
    while at <= values.size and not (values.size == 1 and values.text[0] == c"_"):
        if at:
            put_text(Text(b", ", 2), out)
        at = next_pair(values, at, &name, &value)
        put_string(name, out)
        put_text(Text(b": ", 2), out)
        put_string(value, out)
    out.push_back(c"}")
    return 0


cdef bint are_pairs(Text values) noexcept nogil:
    """Whether no name occurs twice, and none has an empty value after "="."""
    cdef Py_ssize_t at = 0, before
    cdef Text name, value, other, ignored
    while at <= values.size:
        before, at = 0, next_pair(values, at, &name, &value)
        if value.size == 0 and value.text > name.text + name.size:
            return False
        while True:
            before = next_pair(values, before, &other, &ignored)
            if other.text == name.text:
                break
            if other.size == name.size and memcmp(other.text, name.text, name.size) == 0:
                return False
    return True


cdef Py_ssize_t next_pair(Text values, Py_ssize_t at, Text* name, Text* value) noexcept nogil:
    """Read the pair at an offset; return the offset of the next, beyond the end after the last."""
    cdef const char* start = values.text + at
    cdef const char* end = values.text + values.size
    cdef const char* bar = <const char*> memchr(start, c"|", end - start)
    cdef const char* sign
    if bar != NULL:
        end = bar
    sign = <const char*> memchr(start, c"=", end - start)
    name[0] = Text(start, (end if sign == NULL else sign) - start)
    value[0] = Text(end, 0) if sign == NULL else Text(sign + 1, end - sign - 1)
    return end - values.text + 1


cdef int put_text(Text text, vector[char]& out) except -1 nogil:
    out.insert(out.end(), text.text, text.text + text.size)
    return 0


cdef int put_string(Text text, vector[char]& out) except -1 nogil:
    """Write a string in quotes, with the escapes of `json.dumps` for characters below space."""
    cdef Py_ssize_t i, start = 0
    cdef unsigned char c
    cdef char escape
    out.push_back(c'"')
    for i in range(text.size):
        c = text.text[i]
        if c >= 0x20 and c != c'"' and c != c"\\":
            continue
        put_text(Text(text.text + start, i - start), out)
        start = i + 1
        out.push_back(c"\\")
        escape = short_escape(c)
        if escape:
            out.push_back(escape)
        else:
            put_text(Text(b"u00", 3), out)
            out.push_back(HEX_DIGITS[c >> 4])
            out.push_back(HEX_DIGITS[c & 15])
    put_text(Text(text.text + start, text.size - start), out)
    out.push_back(c'"')
    return 0


cdef char short_escape(unsigned char c) noexcept nogil:
    if c == c'"' or c == c"\\":
        return <char> c
    if c == c"\n":
        return c"n"
    if c == c"\r":
        return c"r"
    if c == c"\t":
        return c"t"
    if c == 8:
        return c"b"
    return c"f" if c == 12 else 0
