"""A sentence of a treebank: its bytes as in the file, and the offsets of each field.

Word i (from 0) has eleven offsets in `starts`: field k is
raw[starts[11 * i + k] : starts[11 * i + k + 1] - 1], so that compiled code reaches any field with
two loads, and Python strings are created on demand.
Ranges (3-4), empty nodes (8.1) and comments have no offsets; they exist in the bytes only.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport INT32_MAX, int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy
from libcpp.vector cimport vector

from dodona.core.base.values import show, to_str

import operator

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

NAMES = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

cdef enum:
    MAX_WORDS = 10_000_000  # of a sentence from `from_columns`; keeps every offset an int32

PICTURE_WIDTH = 1000


cdef object find_views = None


def set_views(find):
    """Set the function that imports `treebank.views`, which depends on this module, on demand."""
    global find_views
    find_views = find


cdef views():
    return find_views()


@cython.final
cdef class Sentence:
    """An immutable sentence, made by the reader or by `Sentence.from_columns`.

    >>> s = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> len(s), s.forms, s.heads, s.upos
    (2, ['Oaks', 'speak'], [2, 0], ['_', '_'])
    """

    def __cinit__(self):
        self.data = b""
        self.raw = PyBytes_AS_STRING(self.data)
        self.source = "<memory>"
        self.format = "conllu"

    def __init__(self):
        raise TypeError("sentences come from dodona.read or Sentence.from_columns")

    def __dealloc__(self):
        free(self.starts)

    def __len__(self):
        return self.n_words

    def __iter__(self):
        return iter(views().words(self))

    def __getitem__(self, index):
        """Return the word at an index (sentence[0] has id 1), or the words of a slice."""
        return views().word(self, index)

    def __eq__(self, other):
        """Return whether bytes and format are the same; source and line may differ."""
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.data == (<Sentence> other).data and self.format == (<Sentence> other).format

    def __hash__(self):
        return hash(self.data)

    def __reduce__(self):
        return views().restore_sentence, (self.data, self.format, self.source, self.line)

    def __bytes__(self):
        return self.data

    def __str__(self):
        return self.text

    def __repr__(self):
        return views().summary(self)

    def __getattr__(self, name):
        """Raise an AttributeError that translates the names of other libraries."""
        from dodona.treebank.elsewhere import SENTENCE, explain

        raise AttributeError(explain("sentence", name, SENTENCE))

    @property
    def forms(self):
        return column(self, FORM)

    @property
    def lemmas(self):
        return column(self, LEMMA)

    @property
    def upos(self):
        return column(self, UPOS)

    @property
    def xpos(self):
        return column(self, XPOS)

    @property
    def feats(self):
        return column(self, FEATS)

    @property
    def heads(self):
        """The head of each word: 0 for the root, None for "_"."""
        return [self.head[i] if self.head[i] != NO_HEAD else None for i in range(self.n_words)]

    @property
    def deprels(self):
        return column(self, DEPREL)

    @property
    def deps(self):
        return column(self, DEPS)

    @property
    def misc(self):
        return column(self, MISC)

    @property
    def comments(self):
        """The comment lines above the words, with "#", without line ends."""
        if self.n_words == 0:
            return []
        above = self.data[:self.starts[0]].removeprefix(b"\xef\xbb\xbf").decode()
        return [line.removesuffix("\r") for line in above.split("\n") if line.startswith("#")]

    @property
    def sent_id(self):
        """The value of the comment "# sent_id = …"; None without one."""
        return views().comment(self, "sent_id")

    @property
    def text(self):
        """The value of the comment "# text = …", or else the tokens joined as MISC says."""
        return views().text(self)

    @property
    def tokens(self):
        """The tokens of the text, in order: words, and ranges of words (du = de + le).

        >>> [token.form for token in Sentence.from_columns(["Oaks", "speak"]).tokens]
        ['Oaks', 'speak']
        """
        return views().tokens(self)

    @property
    def words(self):
        """The words, as a list; iterating over the sentence yields the same words.

        >>> Sentence.from_columns(["Oaks", "speak"]).words
        [<Word 1 Oaks>, <Word 2 speak>]
        """
        return views().words(self)

    @property
    def start(self):
        """Start of the first word in the text, in characters, if MISC has a TokenRange."""
        return self[0].start if self.n_words else None

    @property
    def end(self):
        """End of the last word in the text, in characters, if MISC has a TokenRange."""
        return self[-1].end if self.n_words else None

    def span(self, start, end, label=""):
        """Return the words from index `start` up to `end` as a `Span`, which may have a label.

        >>> Sentence.from_columns(["Old", "oaks", "speak"]).span(0, 2, "NP")
        <Span NP 'Old oaks'>
        """
        return views().span(self, start, end, label)

    def noun_phrases(self):
        """Return the noun phrases as spans, from left to right; none are nested.

        A phrase is a noun, proper noun or pronoun with its modifiers in front of it and, in a name,
        behind it; prepositions, appositions, relative clauses and coordinated phrases are excluded.
        The tree must be in Universal Dependencies.

        >>> oaks = Sentence.from_columns(
        ...     ["Old", "oaks", "speak"], upos=["ADJ", "NOUN", "VERB"], heads=[2, 3, 0],
        ...     deprels=["amod", "nsubj", "root"])
        >>> oaks.noun_phrases()
        [<Span NP 'Old oaks'>]
        """
        return views().noun_phrases(self)

    def match(self, pattern):
        """Return the matches of a pattern of words and arcs, or of a sequence of words.

        `dodona.query.language` and `dodona.query.sequences` have the grammars.

        >>> oaks = Sentence.from_columns(["Old", "oaks", "speak"], upos=["ADJ", "NOUN", "VERB"])
        >>> oaks.match("[upos=ADJ]* [upos=NOUN]+")
        [<Match Old oaks>]
        """
        return views().match(self, pattern)

    def verb_phrases(self):
        """Return the verbs with their auxiliaries, particles and negation; see `dodona.facts`."""
        return views().facts().verb_phrases(self)

    def clauses(self):
        """Return the clauses, in the order of their predicates; see `dodona.facts`."""
        return views().facts().clauses(self)

    def triples(self):
        """Return subjects, verbs and objects, in the order of the verbs; see `dodona.facts`."""
        return views().facts().triples(self)

    @property
    def roots(self):
        """The words that depend on the artificial root."""
        return views().roots(self)

    @property
    def root(self):
        """The first root; None if there is none."""
        return next(iter(self.roots), None)

    def tree(self, *, width=None, colour=False):
        """Return the tree as lines of text, drawn by `dodona.drawing.terminal.draw`.

        >>> s = Sentence.from_columns(["Ask", "!"], heads=[0, 1], deprels=["root", "punct"])
        >>> print(s.tree())
        ●─┬─► Ask  root
          ╰─► !    punct
        """
        return views().tree(self, width, colour)

    def to_svg(
        self, *, width=PICTURE_WIDTH, tags="upos", standalone=True, title=None, compact=False,
        margin=None,
    ):
        """Return the tree as an SVG picture, in rows of at most `width` pixels (None: in one row).

        `tags` are shown below the words: "upos", "xpos" or None. `standalone=False` omits the style
        sheet, for pages that contain it already (`dodona.drawing.svg.STYLE`). `compact` draws long
        sentences smaller and closer together; `margin` is the space around the picture in pixels.
        """
        return views().svg(
            self, width=width, tags=tags, standalone=standalone, title=title, compact=compact,
            margin=margin)

    def _repr_svg_(self):
        return self.to_svg()

    def to_conllu(self):
        """Return the sentence in CoNLL-U, with its blank line."""
        return views().conllu(self)

    def to_dict(self, *, as_text=False):
        """Return the sentence as lists and dictionaries, ready for JSON.

        FEATS and MISC are dictionaries, and words have their `start` and `end` in the text; with
        `as_text`, the columns are those of CoNLL-U, as text.

        >>> Sentence.from_columns(["Oaks"], feats=["Number=Plur"]).to_dict()["words"][0]["feats"]
        {'Number': 'Plur'}
        """
        return views().as_data(self, as_text)

    def to_json(self, *, indent=None):
        """Return `to_dict` as a string of JSON."""
        from json import dumps

        return dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def replace(
        self, heads=None, deprels=None, upos=None, xpos=None, feats=None, lemmas=None, deps=None,
        misc=None,
    ):
        """Return a new sentence with these columns replaced and all other bytes unchanged.

        >>> s = Sentence.from_columns(["Oaks", "speak"])
        >>> s.replace(heads=[2, 0], upos=["NOUN", "VERB"]).heads
        [2, 0]
        """
        return edited(self, (
            None, None, lemmas, upos, xpos, feats, heads, deprels, deps, misc))

    @staticmethod
    def from_columns(
        forms, *, lemmas=None, upos=None, xpos=None, feats=None, heads=None, deprels=None,
        deps=None, misc=None, comments=(), format="conllu",
    ):
        """Make a sentence; absent columns are "_", and None is an unknown head.

        >>> bytes(Sentence.from_columns(["Speak"], heads=[0], comments=["# sent_id = 1"]))
        b'# sent_id = 1\\n1\\tSpeak\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_\\n\\n'
        """
        comments = [to_str(comment, "a comment") for comment in comments]
        for comment in comments:
            if not comment.startswith("#") or "\n" in comment:
                raise ValueError(f"a comment is one line that starts with '#', found {comment!r}")
        if not isinstance(format, str) or format not in ("conllu", "conllx"):
            raise ValueError(f"format is 'conllu' or 'conllx', found {format!r}")
        return edited(blank(len(forms), comments, to_str(format, "format")), (
            None, forms, lemmas, upos, xpos, feats, heads, deprels, deps, misc))

    cdef Sentence with_tree(self, const int32_t* heads, list labels, const int32_t* label_ids):
        cdef vector[Text] texts
        cdef vector[char] digits
        cdef int[2] columns = [HEAD, DEPREL]
        cdef bytes label
        cdef int i
        texts.resize(2 * self.n_words)
        digits.resize(HEAD_WIDTH * self.n_words)
        for i in range(self.n_words):
            texts[2 * i] = head_text(heads[i], digits.data() + <Py_ssize_t>HEAD_WIDTH * i)
            label = labels[label_ids[i]]
            texts[2 * i + 1] = Text(PyBytes_AS_STRING(label), PyBytes_GET_SIZE(label))
        return rebuilt(self, columns, 2, texts.data(), heads)

    cdef Sentence with_fields(self, const int* columns, int n_columns, const Text* texts):
        return rebuilt(self, columns, n_columns, texts, self.head)


def with_tree(Sentence sentence, heads, list labels, label_ids):
    """Return the sentence with heads (-1: none) and labels[label_ids[i]], as the parser does.

    >>> s = Sentence.from_columns(["Oaks", "speak"])
    >>> with_tree(s, [2, 0], [b"nsubj", b"root"], [0, 1]).deprels
    ['nsubj', 'root']
    """
    cdef vector[int32_t] c_heads, c_ids
    if len(heads) != sentence.n_words or len(label_ids) != sentence.n_words:
        raise ValueError(f"expected {sentence.n_words} heads and label ids, one per word")
    for head in heads:
        c_heads.push_back(check_head(head, NO_HEAD, sentence.n_words))
    for label in label_ids:
        if not 0 <= label < len(labels):
            raise ValueError(f"label id {label} is out of range, there are {len(labels)} labels")
        c_ids.push_back(label)
    return sentence.with_tree(c_heads.data(), labels, c_ids.data())


cdef Sentence make_sentence(
    bytes data, int n_words, const int32_t* start, const int32_t* head,
    str source, Py_ssize_t line, str format,
):
    """Make a sentence with copies of `start` and `head`; the caller fills in one that is NULL."""
    cdef Sentence self = Sentence.__new__(Sentence)
    cdef size_t n_starts = <size_t>STRIDE * n_words
    self.starts = <int32_t*>malloc((n_starts + n_words + 1) * sizeof(int32_t))
    if self.starts == NULL:
        raise MemoryError
    self.head = self.starts + n_starts
    if start != NULL:
        memcpy(self.starts, start, n_starts * sizeof(int32_t))
    if head != NULL:
        memcpy(self.head, head, n_words * sizeof(int32_t))
    self.n_words = n_words
    self.data = data
    self.raw = PyBytes_AS_STRING(data)
    self.size = PyBytes_GET_SIZE(data)
    self.source = source
    self.line = line
    self.format = format
    return self


cdef list column(Sentence self, int column):
    cdef list values = []
    cdef Text value
    cdef int i
    for i in range(self.n_words):
        value = field(self, i, column)
        values.append(PyUnicode_DecodeUTF8(value.text, value.size, NULL))
    return values


cdef Sentence blank(Py_ssize_t n_words, comments, str format):
    """Make a sentence whose columns are all "_"."""
    cdef Sentence self
    cdef int i, k
    cdef int32_t position
    if n_words == 0:
        raise ValueError("a sentence has at least one word")
    if n_words > MAX_WORDS:
        raise ValueError(f"a sentence has at most {MAX_WORDS:,} words, found {n_words:,}")
    head = "".join([f"{comment}\n" for comment in comments]).encode()
    words = "".join([f"{i}\t_\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, n_words + 1)]).encode()
    self = make_sentence(head + words + b"\n", n_words, NULL, NULL, "<memory>", 1, format)
    position = len(head)
    for i in range(self.n_words):
        self.head[i] = NO_HEAD
        self.starts[STRIDE * i] = position
        position += len(str(i + 1)) + 1
        for k in range(1, STRIDE):
            self.starts[STRIDE * i + k] = position + 2 * (k - 1)
        position += 2 * (STRIDE - 2)
    return self


cdef Sentence edited(Sentence self, tuple columns):
    """Return the sentence with those of its ten columns replaced that are not None."""
    cdef vector[Text] texts
    cdef vector[char] digits
    cdef vector[int32_t] heads
    cdef vector[int] chosen
    cdef int i, k, n_columns
    cdef list kept = []     # keeps the strings alive while texts points into them
    for k in range(STRIDE - 1):
        if columns[k] is not None:
            chosen.push_back(k)
    n_columns = chosen.size()
    texts.resize(<size_t>n_columns * self.n_words)
    for k in range(n_columns):
        values = list(columns[chosen[k]])
        if len(values) != self.n_words:
            raise ValueError(
                f"expected {self.n_words} values of {NAMES[chosen[k]]}, found {len(values)}")
        kept.append(values)
        if chosen[k] == HEAD:
            for v in values:
                heads.push_back(NO_HEAD if v is None else check_head(v, 0, self.n_words))
            digits.resize(HEAD_WIDTH * self.n_words)
            for i in range(self.n_words):
                texts[i * n_columns + k] = head_text(heads[i], digits.data() + HEAD_WIDTH * i)
        else:
            for i in range(self.n_words):
                texts[i * n_columns + k] = value_text(values, i, chosen[k])
    return rebuilt(
        self, chosen.data(), n_columns, texts.data(), heads.data() if heads.size() else self.head)


cdef Sentence rebuilt(
    Sentence old, const int* columns, int n_columns, const Text* texts, const int32_t* heads,
):
    """Return `old` with texts[i * n_columns + k] as column columns[k], ascending, of word i."""
    cdef Py_ssize_t total = replaced_size(fields_of(old), columns, n_columns, texts)
    if total > INT32_MAX:
        raise ValueError("the sentence would be larger than 2 GiB")
    cdef bytes data = PyBytes_FromStringAndSize(NULL, total)
    cdef Sentence new = make_sentence(
        data, old.n_words, NULL, heads, old.source, old.line, old.format)
    copy_replaced(
        fields_of(old), columns, n_columns, texts, PyBytes_AS_STRING(data), new.starts)
    return new


cdef Py_ssize_t replaced_size(
    Fields old, const int* columns, int n_columns, const Text* texts,
) noexcept nogil:
    cdef Py_ssize_t total = old.size
    cdef int i, k
    for i in range(old.n_words):
        for k in range(n_columns):
            total += texts[i * n_columns + k].size - text_at(old, i, columns[k]).size
    return total


cdef void copy_replaced(
    Fields old, const int* columns, int n_columns, const Text* texts, char* out, int32_t* starts,
) noexcept nogil:
    cdef Py_ssize_t read = 0, written = 0
    cdef int32_t moved = 0      # offset of the following bytes from their old position
    cdef const int32_t* was
    cdef int32_t* now
    cdef const Text* text = texts
    cdef int i, k, column
    for i in range(old.n_words):
        was = old.start + <Py_ssize_t>STRIDE * i
        now = starts + <Py_ssize_t>STRIDE * i
        column = 0
        for k in range(n_columns):
            while column <= columns[k]:
                now[column] = was[column] + moved
                column += 1
            memcpy(out + written, old.raw + read, was[columns[k]] - read)
            written += was[columns[k]] - read
            memcpy(out + written, text.text, text.size)
            written += text.size
            text += 1
            read = was[columns[k] + 1] - 1
            moved = <int32_t>(written - read)
        while column < STRIDE:
            now[column] = was[column] + moved
            column += 1
    memcpy(out + written, old.raw + read, old.size - read)


cdef Text head_text(int32_t head, char* buffer) noexcept nogil:
    """Write a head right-aligned into a buffer of HEAD_WIDTH bytes."""
    cdef char* first = buffer + HEAD_WIDTH
    if head == NO_HEAD:
        first -= 1
        first[0] = c"_"
    else:
        while True:
            first -= 1
            first[0] = <char>(c"0" + head % 10)
            head = head // 10
            if head == 0:
                break
    return Text(first, buffer + HEAD_WIDTH - first)


cdef Text value_text(list values, int i, int column) except *:
    """Return the bytes of values[i], owned by the list; raise if they are not one field."""
    cdef Text text
    if isinstance(values[i], bytes):
        values[i] = values[i].decode()
    text.text = PyUnicode_AsUTF8AndSize(values[i], &text.size)
    if (
        text.size == 0
        or memchr(text.text, c"\t", text.size) != NULL
        or memchr(text.text, c"\n", text.size) != NULL
        or (column == MISC and text.text[text.size - 1] == c"\r")
    ):
        raise ValueError(
            f"{NAMES[column]} {i + 1} is {values[i]!r}; "
            "a value is not empty and holds no tab and no line end")
    return text


def check_field(bytes value not None):
    """Raise ValueError for a value that no column may have: empty, or with a tab or a line end.

    >>> check_field(b"nsubj")
    """
    if not value or b"\t" in value or b"\n" in value:
        raise ValueError(f"{value!r} cannot be in a column: a value is not empty and holds no tab "
                         "and no line end")
    value.decode()              # raises if it is not UTF-8


cdef check_head(head, int least, int most):
    try:
        number = operator.index(head)   # NumPy's integers are not of the type int
        if least <= number <= most:
            return number
    except TypeError:
        pass
    raise ValueError(f"expected a head from {least} to {most}, found {show(head)}")
