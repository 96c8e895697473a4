"""Words: a sentence and a position in it, without copies of columns."""

cimport cython
from libc.stdint cimport int32_t
from libc.string cimport memcmp, strlen
from libcpp.vector cimport vector

from dodona.treebank.sentence cimport (
    DEPREL, DEPS, FEATS, FORM, LEMMA, MISC, NO_HEAD, UPOS, XPOS, Sentence, Text, field, named_value,
    views)
from dodona.treebank.token_ranges cimport (
    decoded, first_of, last_column, offsets_in, range_around, range_offsets)

from operator import getitem, index

# attribute of a word: its name in MISC
CONFIDENCES = {
    "confidence": "Confidence",
    "deprel_confidence": "DeprelConfidence",
    "upos_confidence": "UposConfidence",
    "xpos_confidence": "XposConfidence",
    "feats_confidence": "FeatsConfidence",
}


@cython.final
cdef class Word:
    """A word of a sentence, obtained by index or by iteration.

    Columns are as in the file, "_" where they are empty.

    >>> from dodona import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> oaks[0], oaks[0].parent, oaks[1].children
    (<Word 1 Oaks>, <Word 2 speak>, [<Word 1 Oaks>])
    """
    cdef readonly Sentence sentence
    cdef int position       # from 0

    def __init__(self):
        raise TypeError("words come from a sentence: sentence[0], for word in sentence")

    @property
    def id(self):
        """Number of the word, from 1."""
        return self.position + 1

    @property
    def form(self):
        return self.column(FORM)

    @property
    def text(self):
        """The form, by the name other libraries use.

        >>> from dodona import Sentence
        >>> Sentence.from_columns(["Oaks"])[0].text
        'Oaks'
        """
        return self.column(FORM)

    @property
    def lemma(self):
        return self.column(LEMMA)

    @property
    def upos(self):
        return self.column(UPOS)

    @property
    def xpos(self):
        return self.column(XPOS)

    @property
    def feats(self):
        return self.column(FEATS)

    @property
    def features(self):
        """FEATS as a dictionary.

        >>> from dodona import Sentence
        >>> Sentence.from_columns(["oaks"], feats=["Case=Nom|Number=Plur"])[0].features
        {'Case': 'Nom', 'Number': 'Plur'}
        """
        return named_values(self.column(FEATS))

    @property
    def head(self):
        """Number of the head; 0 for the artificial root, None if the word has no head."""
        cdef int32_t head = self.sentence.head[self.position]
        return None if head == NO_HEAD else head

    @property
    def deprel(self):
        return self.column(DEPREL)

    @property
    def deps(self):
        return self.column(DEPS)

    @property
    def misc(self):
        return self.column(MISC)

    @property
    def confidence(self):
        """The probability that the head is right, if the parser was asked for it; else None.

        It is in MISC, as are those below.

        >>> from dodona import Sentence
        >>> Sentence.from_columns(["Oaks"], misc=["Confidence=0.97"])[0].confidence
        0.97
        """
        return self.confidence_in(b"Confidence")

    @property
    def deprel_confidence(self):
        """The probability that the label is right, given that the head is; else None."""
        return self.confidence_in(b"DeprelConfidence")

    @property
    def upos_confidence(self):
        """The probability that UPOS is right; None if it was not predicted or asked for."""
        return self.confidence_in(b"UposConfidence")

    @property
    def xpos_confidence(self):
        """The probability that XPOS is right; None if it was not predicted or asked for."""
        return self.confidence_in(b"XposConfidence")

    @property
    def feats_confidence(self):
        """The probability that FEATS are right; None if they were not predicted or asked for."""
        return self.confidence_in(b"FeatsConfidence")

    @property
    def parent(self):
        """The head as a word; None for a root or a word without a head."""
        cdef int32_t head = self.sentence.head[self.position]
        return word_at(self.sentence, head - 1) if head > 0 else None

    @property
    def children(self):
        """The dependents of the word, from left to right."""
        return self.among(0, self.sentence.n_words)

    @property
    def left_children(self):
        return self.among(0, self.position)

    @property
    def right_children(self):
        return self.among(self.position + 1, self.sentence.n_words)

    @property
    def ancestors(self):
        """The head, its head, and so on up to the root of the tree."""
        cdef int32_t head = self.sentence.head[self.position]
        cdef list found = []
        # a sentence that was read with trees="ignored" may have a cycle
        while head > 0 and len(found) < self.sentence.n_words:
            found.append(word_at(self.sentence, head - 1))
            head = self.sentence.head[head - 1]
        return found

    @property
    def subtree(self):
        """The word and its descendants, from left to right.

        >>> from dodona import Sentence
        >>> heads = [2, 0, 4, 2]
        >>> Sentence.from_columns(["Oaks", "know", "your", "future"], heads=heads)[3].subtree
        [<Word 3 your>, <Word 4 future>]
        """
        cdef int i
        cdef size_t j
        cdef int32_t at
        cdef vector[char] seen, is_below
        cdef vector[int32_t] path
        seen.resize(self.sentence.n_words + 1)
        is_below.resize(self.sentence.n_words + 1)
        seen[self.position + 1] = is_below[self.position + 1] = True
        for i in range(self.sentence.n_words):      # each word is visited once
            at = i + 1
            path.clear()
            while at > 0 and not seen[at]:
                seen[at] = True
                path.push_back(at)
                at = self.sentence.head[at - 1]
            if at > 0 and is_below[at]:
                for j in range(path.size()):
                    is_below[path[j]] = True
        return [word_at(self.sentence, i) for i in range(self.sentence.n_words) if is_below[i + 1]]

    @property
    def left_edge(self):
        """The first word of the subtree."""
        return self.subtree[0]

    @property
    def right_edge(self):
        """The last word of the subtree."""
        return self.subtree[-1]

    @property
    def conjuncts(self):
        """The words that are coordinated with this one, from left to right, without itself.

        >>> from dodona import Sentence
        >>> Sentence.from_columns(
        ...     ["oaks", "and", "doves"], heads=[0, 3, 1], deprels=["root", "cc", "conj"]
        ... )[2].conjuncts
        [<Word 1 oaks>]
        """
        return views().conjuncts(self)

    def nbor(self, int n=1):
        """Return the word n positions to the right in the sentence, to the left if n is negative.

        >>> from dodona import Sentence
        >>> Sentence.from_columns(["Old", "oaks", "speak"])[1].nbor(-1)
        <Word 1 Old>
        """
        if not 0 <= self.position + n < self.sentence.n_words:
            raise IndexError(f"{self!r} has no neighbour {n:+}: the sentence has "
                             f"{self.sentence.n_words} words")
        return word_at(self.sentence, self.position + n)

    def common_ancestor(self, Word other not None):
        """Return the lowest word above both words, which may be one of them; None without any.

        >>> from dodona import Sentence
        >>> old, oaks, speak = Sentence.from_columns(["Old", "oaks", "speak"], heads=[2, 3, 0])
        >>> old.common_ancestor(speak), old.common_ancestor(oaks)
        (<Word 3 speak>, <Word 2 oaks>)
        """
        return views().common_ancestor(self, other)

    def path_to(self, Word other not None):
        """Return the words on the way to another word through the tree, including both.

        >>> from dodona import Sentence
        >>> heads = [2, 0, 4, 2]
        >>> oaks, know, your, future = Sentence.from_columns(
        ...     ["Oaks", "know", "your", "future"], heads=heads)
        >>> oaks.path_to(your)
        [<Word 1 Oaks>, <Word 2 know>, <Word 4 future>, <Word 3 your>]
        """
        return views().path(self, other)

    @property
    def lower(self):
        """The form in lower case."""
        return self.form.lower()

    @property
    def shape(self):
        """The kinds of characters of the form: X, x, d for digits; runs are cut after four.

        >>> from dodona import Sentence
        >>> [word.shape for word in Sentence.from_columns(["Dodona", "A4", "don't"])]
        ['Xxxxx', 'Xd', "xxx'x"]
        """
        return views().shape(self.form)

    @property
    def is_alpha(self):
        """Whether the form consists of letters, with their accents and vowel signs."""
        return views().is_alpha(self.form)

    @property
    def is_digit(self):
        """Whether the form consists of digits."""
        return self.form.isdigit()

    @property
    def is_punct(self):
        """Whether the form consists of punctuation, whatever its tag is."""
        return views().is_punct(self.form)

    @property
    def like_num(self):
        """Whether the form looks like a number ("10,000", "1/2", "3rd") or UPOS is NUM ("ten")."""
        return self.upos == "NUM" or views().like_num(self.form)

    @property
    def like_url(self):
        """Whether the form looks like the address of a page."""
        return views().like_url(self.form)

    @property
    def like_email(self):
        """Whether the form looks like an e-mail address."""
        return views().like_email(self.form)

    @property
    def is_stop(self):
        """Whether the word is a function word, in any language: decided by UPOS.

        Lists of stop words, for decisions by form, are in `dodona.stop_words`.

        >>> from dodona import Sentence
        >>> [word.is_stop for word in Sentence.from_columns(["the", "oak"], upos=["DET", "NOUN"])]
        [True, False]
        """
        return views().is_stop(self)

    @property
    def start(self):
        """Start of the word in the text, in characters, if MISC has a TokenRange.

        A word of a multiword token has its own range if the token is the concatenation of its
        words (did + n't), else the range of the whole token (du: de + le).
        """
        found = self.token_range()
        return None if found is None else found[0]

    @property
    def end(self):
        """End of the word in the text, in characters, if MISC has a TokenRange; see `start`."""
        found = self.token_range()
        return None if found is None else found[1]

    @property
    def space_after(self):
        """Whether a space follows the word in the text; never between the words of one token."""
        cdef int last
        cdef Text line = self.range_line(&last)
        cdef Text misc = last_column(line) if line.size else self.own_misc()
        cdef Text value = named_value(misc, "SpaceAfter", strlen("SpaceAfter"))
        if line.size and self.position < last:
            return False
        return not (value.size == 2 and memcmp(value.text, <const char*> "No", 2) == 0)

    def __eq__(self, other):
        if not isinstance(other, Word):
            return NotImplemented
        return self.position == (<Word> other).position and self.sentence == (<Word> other).sentence

    def __hash__(self):
        return hash((self.position, self.sentence))

    def __reduce__(self):
        return getitem, (self.sentence, self.position)

    def __str__(self):
        return self.form

    def __repr__(self):
        return f"<Word {self.position + 1} {self.form}>"

    def __getattr__(self, name):
        """Raise an AttributeError that translates the names of other libraries."""
        from dodona.treebank.elsewhere import WORD, explain

        raise AttributeError(explain("word", name, WORD))

    cdef str column(self, int column):
        return decoded(field(self.sentence, self.position, column))

    cdef list among(self, int first, int end):
        """Return the dependents from position `first` up to `end`."""
        cdef int i
        cdef int32_t head = self.position + 1
        return [
            word_at(self.sentence, i) for i in range(first, end) if self.sentence.head[i] == head]

    cdef confidence_in(self, bytes name):
        return read_confidence(decoded(named_value(self.own_misc(), name, len(name))))

    cdef Text own_misc(self) noexcept nogil:
        return field(self.sentence, self.position, MISC)

    cdef Text range_line(self, int* last) noexcept nogil:
        """Return the line of the range around the word, and set its last word; empty if none.

        A word with a TokenRange of its own is in no range, which saves the search for one.
        """
        if named_value(self.own_misc(), "TokenRange", strlen("TokenRange")).size:
            return Text(self.sentence.raw, 0)
        return range_around(self.sentence, self.position, last)

    cdef tuple token_range(self):
        cdef int last
        cdef Text line = self.range_line(&last)
        if not line.size:
            return offsets_in(self.own_misc())
        cdef int first = first_of(line)
        return range_offsets(self.sentence, line, first, last)[self.position - first]


def read_confidence(str value not None):
    """Return a probability in MISC as a number; None if it is missing or none.

    >>> read_confidence("0.25"), read_confidence(""), read_confidence("high")
    (0.25, None, None)
    """
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def words(Sentence sentence not None):
    """Return all words of a sentence."""
    cdef int i
    return [word_at(sentence, i) for i in range(sentence.n_words)]


def word(Sentence sentence not None, position):
    """Return the word at an index, which may be negative, or the words of a slice."""
    cdef int i
    if isinstance(position, slice):
        return [word_at(sentence, i) for i in range(*position.indices(sentence.n_words))]
    found = index(position)
    if found < 0:
        found += sentence.n_words
    if not 0 <= found < sentence.n_words:
        raise IndexError(f"no word at {position}, the sentence has {sentence.n_words} words")
    return word_at(sentence, found)


def roots(Sentence sentence not None):
    """Return the words whose head is the artificial root."""
    cdef int i
    return [word_at(sentence, i) for i in range(sentence.n_words) if sentence.head[i] == 0]


def named_values(str values not None):
    """Return Name=Value|Name=Value|… as a dictionary; a name without a value has "".

    >>> named_values("Gender=Fem|Gloss"), named_values("_")
    ({'Gender': 'Fem', 'Gloss': ''}, {})
    """
    if values == "_":
        return {}
    return {name: value for name, _, value in [part.partition("=") for part in values.split("|")]}


cdef Word word_at(Sentence sentence, int position):
    cdef Word word = Word.__new__(Word)
    word.sentence = sentence
    word.position = position
    return word
