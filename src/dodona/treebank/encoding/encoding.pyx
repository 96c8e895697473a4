"""Encoding of sentences as integers for the core, and decoding of its trees."""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.templates import FEATURE, TAG, TREE_HEAD, TREE_LABEL, WORD_ATTRIBUTES
from dodona.core.features.words cimport ID_UNKNOWN
from dodona.core.transitions.gold cimport UNSEEN
from dodona.treebank.block cimport Block, collect_fields
from dodona.treebank.encoding.clusters cimport Clusters, n_bits
from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport (
    DEPREL, FEATS, FORM, HEAD, HEAD_WIDTH, LEMMA, UPOS, XPOS, Fields, Sentence, Text, fields_of,
    head_text, named_value, text_at)
from dodona.treebank.sentence import check_field

# the fields of a word that templates may name; others are derived from them, see `column_of`
COLUMNS = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS,
           TREE_LABEL: DEPREL}
if {*COLUMNS, TAG} != {*WORD_ATTRIBUTES}:
    raise ImportError(f"encoding.pyx reads {sorted(COLUMNS)} and {TAG!r}, but templates name "
                      f"{sorted(WORD_ATTRIBUTES)}")


cdef enum:
    PLAIN = 0
    JOINED = 1                  # UPOS and XPOS
    NAMED = 2                   # a value in FEATS
    CLUSTER = 3
    HEADS = 4                   # of the basic tree: positions, not strings

cdef const char* NO_TAG = b"_"

cdef struct ColumnReader:
    int kind
    int field                   # the field to read
    Py_ssize_t size             # bytes of the feature's name, or bits of the cluster's path
    const char* name


cdef ColumnReader column_of(str name, bytes feature) except *:
    """Return how to read a column; the caller keeps `feature`, the name of a feature, alive."""
    if name == TREE_HEAD:
        return ColumnReader(HEADS, HEAD, 0, NULL)
    if name == TAG:
        return ColumnReader(JOINED, UPOS, 0, NULL)
    if feature:
        return ColumnReader(NAMED, FEATS, len(feature), feature)
    if n_bits(name):
        return ColumnReader(CLUSTER, FORM, n_bits(name), NULL)
    return ColumnReader(PLAIN, COLUMNS[name], 0, NULL)


cdef int read_value(const ColumnReader& column, Fields sentence, const vector[Text]& paths, int i,
                    vector[char]& joined, Text* value) except -1 nogil:
    """Read the value of a word in a column; `paths` are the clusters of the sentence's words."""
    if column.kind == JOINED:
        join_tags(text_at(sentence, i, UPOS), text_at(sentence, i, XPOS), joined)
        value[0] = Text(joined.data(), joined.size())
    elif column.kind == CLUSTER:
        value[0] = Text(paths[i].text, min(paths[i].size, column.size))
    elif column.kind == NAMED:
        value[0] = named_value(text_at(sentence, i, FEATS), column.name, column.size)
    else:
        value[0] = text_at(sentence, i, column.field)
    return 0


cdef int32_t known_number(const ColumnReader& column, Fields sentence, int i, vector[char]& joined,
                          Text text, Vocabulary vocabulary) except? -1 nogil:
    """Return the number of a word's value in a column, or ID_UNKNOWN.

    An XPOS that the model has not learned is as good as none: a model of a treebank without XPOS
    would otherwise know no tag of a word that has one.
    """
    cdef int32_t number = vocabulary.lookup(text.text, text.size)
    if number != ID_UNKNOWN:
        return number
    if column.kind == JOINED:
        join_tags(text_at(sentence, i, UPOS), Text(NO_TAG, 1), joined)
        return vocabulary.lookup(joined.data(), joined.size())
    if column.kind == PLAIN and column.field == XPOS:
        return vocabulary.lookup(NO_TAG, 1)
    return number


cdef void copy_heads(Fields sentence, int32_t* target) noexcept nogil:
    """Copy the heads; padding, and the root before and after the words, have none."""
    cdef int i
    target[-2] = target[-1] = target[sentence.n_words] = NONE
    for i in range(sentence.n_words):
        target[i] = sentence.head[i]


cdef int join_tags(Text upos, Text xpos, vector[char]& joined) except -1 nogil:
    """Join UPOS and XPOS by a tab, which no field contains."""
    joined.assign(upos.text, upos.text + upos.size)
    joined.push_back(c"\t")
    joined.insert(joined.end(), xpos.text, xpos.text + xpos.size)
    return 0


cdef class Encoder:
    """The vocabularies of a model: one per column that its templates name.

    `tag` is UPOS and XPOS joined; `cluster` is the bit string of the form's cluster, `cluster:4`
    its first four bits; both are empty for a form without a cluster.
    """
    cdef readonly tuple columns
    cdef readonly list vocabularies
    cdef readonly list labels           # of bytes; the position is the id
    cdef readonly Clusters clusters     # or None
    cdef dict _label_ids
    cdef list _features         # names of the features that the readers read
    cdef vector[ColumnReader] _readers

    def __init__(self, columns, vocabularies=None, labels=(), Clusters clusters=None):
        for name in columns:
            if n_bits(name) and clusters is None:
                raise ValueError(f"clusters are required for column {name!r}")
            if (name not in COLUMNS and name not in (TAG, TREE_HEAD)
                    and not name.startswith(FEATURE) and not n_bits(name)):
                raise ValueError(f"no column {name!r}")
        self.columns = tuple(columns)
        self.vocabularies = list(vocabularies or (Vocabulary() for _ in columns))
        self.labels = list(labels)
        for label in self.labels:
            check_field(label)
        self.clusters = clusters
        self._label_ids = {label: i for i, label in enumerate(self.labels)}
        self._features = [
            name[len(FEATURE):].encode() if name.startswith(FEATURE) else b""
            for name in self.columns]
        for name, feature in zip(self.columns, self._features, strict=True):
            self._readers.push_back(column_of(name, feature))

    def learn(self, sentences):
        """Add every string of the sentences to the vocabularies."""
        cdef Sentence sentence
        cdef Vocabulary vocabulary
        cdef vector[Text] paths
        cdef vector[char] joined
        cdef Text text
        cdef size_t c
        cdef int i
        for sentence in sentences:
            if self.clusters is not None:
                self.clusters.find_all(fields_of(sentence), paths)
            for c in range(self._readers.size()):
                if self._readers[c].kind == HEADS:
                    continue
                vocabulary = self.vocabularies[c]
                for i in range(sentence.n_words):
                    read_value(self._readers[c], fields_of(sentence), paths, i, joined, &text)
                    vocabulary.add(text.text, text.size)

    def add_label(self, bytes label):
        """Return the id of a label, which is added if it is new."""
        check_field(label)
        with cython.critical_section(self):     # so that two threads do not add it twice
            if label not in self._label_ids:
                self._label_ids[label] = len(self.labels)
                self.labels.append(label)
            return self._label_ids[label]

    def encode(self, sentences, *, bint trees=False, Corpus into=None):
        """Encode sentences, with `trees` also heads and labels, into a new Corpus or `into`."""
        cdef Corpus corpus = Corpus(len(self.columns)) if into is None else into
        cdef vector[Fields] batch
        cdef vector[vector[Text]] paths
        cdef Text text
        cdef int i
        cdef size_t s, first, n_before = len(corpus)
        if corpus.n_columns != len(self.columns):
            raise ValueError("the columns of the corpus are not those of the encoder")
        if not isinstance(sentences, Block):
            sentences = list(sentences)     # keeps those of a generator alive
        collect_fields(sentences, batch)
        paths.resize(batch.size())
        for s in range(batch.size()):
            if self.clusters is not None:
                self.clusters.find_all(batch[s], paths[s])
            corpus.add(batch[s].n_words)
            if trees:
                first = corpus.first_word.back()
                for i in range(batch[s].n_words):
                    text = text_at(batch[s], i, DEPREL)
                    corpus.head[first + i] = batch[s].head[i]
                    corpus.label[first + i] = self._gold_label(text.text[:text.size])
        self.fill(corpus, n_before, batch, paths)
        return corpus

    cdef int fill(self, Corpus corpus, size_t first, const vector[Fields]& batch,
                  const vector[vector[Text]]& paths) except -1:
        """Fill every column of a batch, whose sentences are in the corpus from `first` on.

        The interpreter lock is released once for the whole batch, to avoid contention of threads.
        """
        cdef tuple held = tuple(self.vocabularies)
        cdef vector[PyObject*] vocabularies
        cdef Vocabulary vocabulary
        cdef vector[char] joined
        cdef int32_t* target
        cdef Text text
        cdef size_t c, s
        cdef int i
        for c in range(self._readers.size()):
            vocabulary = held[c]
            vocabularies.push_back(<PyObject*> vocabulary)
        with nogil:
            for c in range(self._readers.size()):
                for s in range(batch.size()):
                    target = corpus.column(<int> (first + s), <int> c) + 1
                    if self._readers[c].kind == HEADS:
                        copy_heads(batch[s], target)
                        continue
                    for i in range(batch[s].n_words):
                        read_value(self._readers[c], batch[s], paths[s], i, joined, &text)
                        target[i] = known_number(self._readers[c], batch[s], i, joined, text,
                                                 <Vocabulary> vocabularies[c])
        return 0

    def _gold_label(self, bytes label):
        """Return the id of a gold label, UNSEEN if unknown; "_" is NONE unless it is a label."""
        return self._label_ids.get(label, NONE if label == b"_" else UNSEEN)

    def encode_again(self, Corpus corpus, int number, Sentence sentence):
        """Encode a sentence of the corpus again, after its tags have changed."""
        cdef vector[Fields] batch
        cdef vector[vector[Text]] paths
        if (not 0 <= number < <int> corpus.n_words.size()
                or sentence.n_words != corpus.n_words[number]
                or corpus.n_columns != len(self.columns)):
            raise ValueError("this is not a sentence of the corpus")
        batch.push_back(fields_of(sentence))
        paths.resize(1)
        if self.clusters is not None:
            self.clusters.find_all(batch.back(), paths.back())
        self.fill(corpus, number, batch, paths)

    def decode(self, Corpus corpus, sentences):
        """Return the sentences with the trees of the corpus; a block becomes a block."""
        cdef Sentence sentence
        cdef size_t i = 0, first
        if isinstance(sentences, Block):
            return self.decode_block(corpus, sentences)
        result = []
        for sentence in sentences:
            if i == corpus.n_words.size() or sentence.n_words != corpus.n_words[i]:
                raise ValueError("these are not the sentences of the corpus")
            first = corpus.first_word[i]
            result.append(
                sentence.with_tree(&corpus.head[first], self.labels, &corpus.label[first]))
            i += 1
        return result

    def sentences_with(self, Corpus corpus not None, label_ids):
        """Return the sentences of the corpus that have one of these labels, by their numbers."""
        cdef vector[char] is_wanted
        cdef vector[size_t] found
        cdef int32_t label
        cdef size_t s
        cdef int i
        is_wanted.resize(len(self.labels))
        for label in label_ids:
            if not 0 <= label < <int32_t> is_wanted.size():
                raise ValueError(f"there is no label {label}")
            is_wanted[label] = True
        with nogil:
            for s in range(corpus.n_words.size()):
                for i in range(corpus.n_words[s]):
                    label = corpus.label[corpus.first_word[s] + i]
                    if 0 <= label < <int32_t> is_wanted.size() and is_wanted[label]:
                        found.push_back(s)
                        break
        return [number for number in found]

    cdef Block decode_block(self, Corpus corpus, Block block):
        cdef tuple owner = tuple(self.labels)
        cdef vector[Text] labels
        cdef Block made = Block()
        cdef bytes label
        cdef size_t s
        for label in owner:
            labels.push_back(Text(PyBytes_AS_STRING(label), PyBytes_GET_SIZE(label)))
        if block.lines.size() != corpus.n_words.size():
            raise ValueError("these are not the sentences of the corpus")
        with nogil:
            made.reserve(block.size + block.size // 4)
            for s in range(corpus.n_words.size()):
                append_tree(made, block.fields(s), block.lines[s], corpus, s, labels)
        return made


cdef int append_tree(Block block, Fields sentence, Py_ssize_t line, Corpus corpus, size_t number,
                     const vector[Text]& labels) except -1 nogil:
    """Add a sentence with the tree that a sentence of the corpus has."""
    cdef int[2] columns = [HEAD, DEPREL]
    cdef const int32_t* heads = corpus.head.data() + corpus.first_word[number]
    cdef const int32_t* ids = corpus.label.data() + corpus.first_word[number]
    cdef vector[Text] texts
    cdef vector[char] digits
    cdef bint is_good = sentence.n_words == corpus.n_words[number]
    cdef int i
    texts.resize(2 * sentence.n_words)
    digits.resize(HEAD_WIDTH * sentence.n_words)
    for i in range(sentence.n_words if is_good else 0):
        if not 0 <= ids[i] < <int32_t> labels.size():
            is_good = False
            break
        texts[2 * i] = head_text(heads[i], digits.data() + <Py_ssize_t> HEAD_WIDTH * i)
        texts[2 * i + 1] = labels[ids[i]]
    if not is_good:
        with gil:
            raise ValueError("these are not the sentences of the corpus, or it is not parsed")
    return block.append(sentence, line, heads, columns, 2, texts.data())
