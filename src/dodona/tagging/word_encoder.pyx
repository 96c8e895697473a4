"""How words are spelled, in numbers: the form, affixes and the shape of each, for taggers.

An attribute is the hash of a string, cut to 30 bits: no list of affixes has to be kept, and one
that training has not seen meets no weight. Affixes are counted in code points, and lower-cased.
Where clusters are given, so are the bit strings of words, and their beginnings.
"""
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy
from libcpp cimport bool as is_true
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport n_nodes
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport ID_MISSING, ID_UNKNOWN, N_RESERVED
from dodona.treebank.characters cimport append, lowered, next_character
from dodona.treebank.encoding.clusters cimport Clusters, n_bits
from dodona.treebank.encoding.vocabulary cimport Vocabulary, hashed
from dodona.treebank.sentence cimport FORM, Fields, Sentence, Text, fields_of, text_at

cdef extern from "Python.h":
    int Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil
    int Py_UNICODE_ISLOWER(uint32_t c) noexcept nogil
    int Py_UNICODE_ISALPHA(uint32_t c) noexcept nogil
    int Py_UNICODE_ISDIGIT(uint32_t c) noexcept nogil

cdef extern from "first_come.h":
    cdef cppclass FirstCome:
        int resize(size_t n) except +
        is_true is_written(size_t place) noexcept nogil
        is_true is_mine(size_t place) noexcept nogil
        void set_written(size_t place) noexcept nogil

cdef enum:
    MAX_RUN = 2               # XXX counts as XX in a shape
    MAX_SHAPE = 16
    N_COLUMNS = N_FORM_ATTRIBUTES + 2
    N_CLUSTER_COLUMNS = 3

FORM_ATTRIBUTES = ("form", "lower", *(f"prefix{i}" for i in range(1, N_PREFIXES + 1)),
             *(f"suffix{i}" for i in range(1, N_SUFFIXES + 1)), "shape")
# of an encoded sentence, before those of the tasks; `entry` is the number of a known form
COLUMNS = (*FORM_ATTRIBUTES, "ambiguity", "entry")
# after them, where clusters are given: the whole bit string, its first four bits and first six
CLUSTER_COLUMNS = ("cluster", "cluster:4", "cluster:6")
# ambiguity classes are numbered from here on; of rare words, as of unknown ones, there is none
NO_AMBIGUITY = ID_UNKNOWN
FIRST_AMBIGUITY = N_RESERVED


cdef inline int32_t number(const char* text, Py_ssize_t size) noexcept nogil:
    """A hash of 30 bits, above the reserved numbers."""
    return <int32_t> (hashed(text, size) >> 34) + N_RESERVED


cdef inline char kind(uint32_t c) noexcept nogil:
    """What a character is in a shape; ASCII punctuation is itself."""
    if Py_UNICODE_ISUPPER(c):
        return c"X"
    if Py_UNICODE_ISLOWER(c):
        return c"x"
    if Py_UNICODE_ISDIGIT(c):
        return c"d"
    if Py_UNICODE_ISALPHA(c):
        return c"c"
    return <char> c if c < 0x80 else c"o"


cdef int encode_form(const char* text, Py_ssize_t size, int32_t* values) except -1 nogil:
    """Write the N_FORM_ATTRIBUTES of a form."""
    cdef vector[char] lower
    cdef vector[int32_t] starts
    cdef char shape[MAX_SHAPE]
    cdef int n_shape = 0, n_same = 0, i, n
    cdef Py_ssize_t at = 0
    cdef uint32_t c
    cdef char k
    lower.reserve(size + 4)
    starts.reserve(size + 1)
    while at < size:
        c = next_character(text, size, &at)
        k = kind(c)
        n_same = n_same + 1 if n_shape and shape[n_shape - 1] == k else 1
        if n_same <= MAX_RUN and n_shape < MAX_SHAPE:
            shape[n_shape] = k
            n_shape += 1
        starts.push_back(<int32_t> lower.size())
        append(lowered(c), lower)
    starts.push_back(<int32_t> lower.size())
    n = <int> starts.size() - 1
    values[0] = number(text, size)
    values[1] = number(lower.data(), lower.size())
    for i in range(1, N_PREFIXES + 1):
        values[1 + i] = number(lower.data(), starts[i]) if i <= n else ID_MISSING
    for i in range(1, N_SUFFIXES + 1):
        values[1 + N_PREFIXES + i] = (
            number(lower.data() + starts[n - i], lower.size() - starts[n - i])
            if i <= n else ID_MISSING)
    values[N_FORM_ATTRIBUTES - 1] = number(shape, n_shape)


cdef class WordEncoder:
    """Spells the words of sentences into a corpus; those it knows, when they come the first time.

    `ambiguity` has a number for each known form. The columns are COLUMNS, with clusters also
    CLUSTER_COLUMNS, and those of the tasks, which taggers fill in.
    """
    cdef readonly Vocabulary forms
    cdef readonly Clusters clusters     # or None
    cdef vector[Py_ssize_t] bits        # of each column of clusters; there are none without them
    cdef vector[int32_t] spelled        # N_FORM_ATTRIBUTES per known form that has come …
    cdef FirstCome has_come             # … as is marked here: a start does not wait for them all
    cdef vector[int32_t] ambiguity      # per known form

    def __init__(self, Vocabulary forms, const uint32_t[::1] ambiguity, Clusters clusters=None):
        cdef size_t i
        if <size_t> ambiguity.shape[0] != <size_t> len(forms):
            raise ValueError(f"{ambiguity.shape[0]} ambiguity classes of {len(forms)} forms")
        self.forms = forms
        self.clusters = clusters
        if clusters is not None:
            for column in CLUSTER_COLUMNS:
                self.bits.push_back(n_bits(column))
        self.spelled.resize(<size_t> len(forms) * N_FORM_ATTRIBUTES)
        self.has_come.resize(<size_t> len(forms))
        self.ambiguity.reserve(<size_t> len(forms))
        for i in range(<size_t> ambiguity.shape[0]):
            self.ambiguity.push_back(<int32_t> ambiguity[i])

    def encode(self, sentences, int n_tasks):
        """A Corpus of the sentences, with room for the tags of that many tasks."""
        cdef Corpus corpus = Corpus(N_COLUMNS + <int> self.bits.size() + n_tasks)
        cdef vector[Text] paths
        cdef vector[Fields] batch
        cdef Sentence sentence
        cdef int32_t* values
        cdef size_t s
        for sentence in sentences:
            values = corpus.add(sentence.n_words) + 2
            batch.push_back(fields_of(sentence))
            if self.clusters is not None:
                self.clusters.find_all(sentence, paths)
                self.fill_clusters(paths, values + N_COLUMNS * n_nodes(sentence.n_words))
        with nogil:  # once for all: threads that ask for the lock in turn wait for each other
            for s in range(batch.size()):
                self.fill(batch[s], corpus.values.data() + corpus.first_value[s] + 2)
        return corpus

    cdef int fill(self, Fields sentence, int32_t* values) except -1 nogil:
        cdef size_t stride = n_nodes(sentence.n_words)
        cdef int32_t fresh[N_FORM_ATTRIBUTES]
        cdef const int32_t* spelled
        cdef int32_t entry, ambiguity
        cdef size_t known
        cdef Text text
        cdef int i, k
        for i in range(sentence.n_words):
            text = text_at(sentence, i, FORM)
            entry = self.forms.lookup(text.text, text.size)
            known = entry - N_RESERVED
            ambiguity = ID_UNKNOWN if entry == ID_UNKNOWN else self.ambiguity[known]
            if entry != ID_UNKNOWN and self.has_come.is_written(known):
                spelled = &self.spelled[known * N_FORM_ATTRIBUTES]
            else:
                encode_form(text.text, text.size, fresh)
                spelled = fresh
                if entry != ID_UNKNOWN and self.has_come.is_mine(known):
                    memcpy(&self.spelled[known * N_FORM_ATTRIBUTES], fresh, sizeof(fresh))
                    self.has_come.set_written(known)
            for k in range(N_FORM_ATTRIBUTES):
                values[k * stride + i] = spelled[k]
            values[N_FORM_ATTRIBUTES * stride + i] = ambiguity
            values[(N_FORM_ATTRIBUTES + 1) * stride + i] = entry
        values[(N_FORM_ATTRIBUTES - 1) * stride] ^= FIRST_WORD

    cdef void fill_clusters(self, const vector[Text]& paths, int32_t* values) noexcept nogil:
        """Write the columns of clusters; a word that is in none is unknown there."""
        cdef size_t stride = n_nodes(paths.size()), i, k
        for k in range(self.bits.size()):
            for i in range(paths.size()):
                values[k * stride + i] = (
                    number(paths[i].text, min(paths[i].size, self.bits[k]))
                    if paths[i].size else ID_UNKNOWN)


def form_attributes(str form):
    """The numbers of a form, by attribute; 0 where it is too short to have one.

    >>> form_attributes("Oaks")["suffix2"] == form_attributes("leaks")["suffix2"]
    True
    >>> form_attributes("Oaks")["shape"] == form_attributes("Zeus")["shape"] != form_attributes("zeus")["shape"]
    True
    """
    cdef bytes text = form.encode()
    cdef int32_t values[N_FORM_ATTRIBUTES]
    encode_form(text, len(text), values)
    return {name: values[i] for i, name in enumerate(FORM_ATTRIBUTES)}
