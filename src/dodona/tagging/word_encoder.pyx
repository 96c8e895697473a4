"""Encoding of words as integers for taggers: hashes of the form, its affixes and its shape.

An attribute is a string hashed to 30 bits, so no list of affixes is needed, and an affix that
training has not seen has no weights. Affixes are lower-cased and counted in code points. With
clusters, the bit strings of words and their prefixes are attributes, too.
"""
from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy
from libcpp cimport bool as is_true
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport n_nodes
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport ID_MISSING, ID_UNKNOWN, N_RESERVED
from dodona.treebank.block cimport collect_fields
from dodona.treebank.characters cimport append, lowered, next_character
from dodona.treebank.encoding.clusters cimport Clusters, n_bits
from dodona.treebank.encoding.vocabulary cimport Vocabulary, hashed
from dodona.treebank.sentence cimport FORM, Fields, Text, text_at

cdef extern from "Python.h":
    int Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil
    int Py_UNICODE_ISLOWER(uint32_t c) noexcept nogil
    int Py_UNICODE_ISALPHA(uint32_t c) noexcept nogil
    int Py_UNICODE_ISDIGIT(uint32_t c) noexcept nogil

cdef extern from "first_come.h":
    cdef cppclass FirstCome:
        int resize(size_t n) except +
        is_true is_written(size_t index) noexcept nogil
        is_true is_mine(size_t index) noexcept nogil
        void set_written(size_t index) noexcept nogil

cdef enum:
    MAX_RUN = 2               # XXX counts as XX in a shape
    MAX_SHAPE = 16
    N_COLUMNS = N_FORM_ATTRIBUTES + 2
    N_CLUSTER_COLUMNS = 3

FORM_ATTRIBUTES = ("form", "lower", *(f"prefix{i}" for i in range(1, N_PREFIXES + 1)),
                   *(f"suffix{i}" for i in range(1, N_SUFFIXES + 1)), "shape")
# columns of an encoded sentence before those of the tasks; `entry` is the id of a known form
COLUMNS = (*FORM_ATTRIBUTES, "ambiguity", "entry")
# further columns with clusters: the whole bit string, its first four and first six bits
CLUSTER_COLUMNS = ("cluster", "cluster:4", "cluster:6")
# ids of ambiguity classes; rare and unknown words have none
NO_AMBIGUITY = ID_UNKNOWN
FIRST_AMBIGUITY = N_RESERVED


cdef inline int32_t number(const char* text, Py_ssize_t size) noexcept nogil:
    """Return a hash of 30 bits above the reserved ids."""
    return <int32_t> (hashed(text, size) >> 34) + N_RESERVED


cdef inline char kind(uint32_t c) noexcept nogil:
    """Return the class of a character in a shape; ASCII punctuation stands for itself."""
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
    """Write the N_FORM_ATTRIBUTES attributes of a form."""
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
    """Encoder of sentences into a corpus; known forms are encoded once, at first use.

    `ambiguity` has the ambiguity class of each known form. The columns are COLUMNS, with clusters
    also CLUSTER_COLUMNS, and those of the tasks, which taggers fill in.
    """
    cdef readonly Vocabulary forms
    cdef readonly Clusters clusters     # or None
    cdef vector[Py_ssize_t] bits        # prefix lengths of CLUSTER_COLUMNS; empty without clusters
    cdef vector[int32_t] encoded        # attributes of known forms, filled at first use …
    cdef FirstCome is_encoded           # … as recorded here, so that loading is fast
    cdef vector[int32_t] ambiguity      # of each known form

    def __init__(self, Vocabulary forms, const uint32_t[::1] ambiguity, Clusters clusters=None):
        cdef size_t i
        if <size_t> ambiguity.shape[0] != <size_t> len(forms):
            raise ValueError(f"{ambiguity.shape[0]} ambiguity classes for {len(forms)} forms")
        self.forms = forms
        self.clusters = clusters
        if clusters is not None:
            for column in CLUSTER_COLUMNS:
                self.bits.push_back(n_bits(column))
        self.encoded.resize(<size_t> len(forms) * N_FORM_ATTRIBUTES)
        self.is_encoded.resize(<size_t> len(forms))
        self.ambiguity.reserve(<size_t> len(forms))
        for i in range(<size_t> ambiguity.shape[0]):
            self.ambiguity.push_back(<int32_t> ambiguity[i])

    def encode(self, sentences, int n_tasks):
        """Encode sentences as a Corpus, with empty columns for `n_tasks` tasks."""
        cdef Corpus corpus = Corpus(N_COLUMNS + <int> self.bits.size() + n_tasks)
        cdef vector[Text] paths
        cdef vector[Fields] batch
        cdef int32_t* values
        cdef size_t s
        collect_fields(sentences, batch)
        for s in range(batch.size()):
            values = corpus.add(batch[s].n_words) + 2
            if self.clusters is not None:
                self.clusters.find_all(batch[s], paths)
                self.fill_clusters(paths, values + N_COLUMNS * n_nodes(batch[s].n_words))
        with nogil:  # release the lock once, so that threads wait less for each other
            for s in range(batch.size()):
                self.fill(batch[s], corpus.values.data() + corpus.first_value[s] + 2)
        return corpus

    cdef int fill(self, Fields sentence, int32_t* values) except -1 nogil:
        cdef size_t stride = n_nodes(sentence.n_words)
        cdef int32_t fresh[N_FORM_ATTRIBUTES]
        cdef const int32_t* attributes
        cdef int32_t entry, ambiguity
        cdef size_t known
        cdef Text text
        cdef int i, k
        for i in range(sentence.n_words):
            text = text_at(sentence, i, FORM)
            entry = self.forms.lookup(text.text, text.size)
            known = entry - N_RESERVED
            ambiguity = ID_UNKNOWN if entry == ID_UNKNOWN else self.ambiguity[known]
            if entry != ID_UNKNOWN and self.is_encoded.is_written(known):
                attributes = &self.encoded[known * N_FORM_ATTRIBUTES]
            else:
                encode_form(text.text, text.size, fresh)
                attributes = fresh
                if entry != ID_UNKNOWN and self.is_encoded.is_mine(known):
                    memcpy(&self.encoded[known * N_FORM_ATTRIBUTES], fresh, sizeof(fresh))
                    self.is_encoded.set_written(known)
            for k in range(N_FORM_ATTRIBUTES):
                values[k * stride + i] = attributes[k]
            values[N_FORM_ATTRIBUTES * stride + i] = ambiguity
            values[(N_FORM_ATTRIBUTES + 1) * stride + i] = entry
        values[(N_FORM_ATTRIBUTES - 1) * stride] ^= FIRST_WORD

    cdef void fill_clusters(self, const vector[Text]& paths, int32_t* values) noexcept nogil:
        """Write the cluster columns; a word without a cluster is ID_UNKNOWN."""
        cdef size_t stride = n_nodes(paths.size()), i, k
        for k in range(self.bits.size()):
            for i in range(paths.size()):
                values[k * stride + i] = (
                    number(paths[i].text, min(paths[i].size, self.bits[k]))
                    if paths[i].size else ID_UNKNOWN)


def form_attributes(str form):
    """Return the encoded attributes of a form, by name; 0 if it is too short to have one.

    >>> form_attributes("Oaks")["suffix2"] == form_attributes("leaks")["suffix2"]
    True
    >>> form_attributes("Oaks")["shape"] == form_attributes("Zeus")["shape"]
    True
    >>> form_attributes("Zeus")["shape"] == form_attributes("zeus")["shape"]
    False
    """
    cdef bytes text = form.encode()
    cdef int32_t values[N_FORM_ATTRIBUTES]
    encode_form(text, len(text), values)
    return {name: values[i] for i, name in enumerate(FORM_ATTRIBUTES)}
