"""Between sentences and the core: columns of strings to columns of numbers, and trees back."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.corpus cimport Corpus
from dodona.core.gold cimport UNSEEN
from dodona.core.state cimport NONE
from dodona.treebank.clusters cimport Clusters, n_bits
from dodona.treebank.sentence cimport (
    DEPREL, FEATS, FORM, LEMMA, UPOS, XPOS, Sentence, Text, field, named_value)
from dodona.treebank.vocabulary cimport Vocabulary

# the columns of a word that templates may ask for, beside `tag`, `feats:NAME` and `cluster:N`
COLUMNS = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS}


cdef class Encoder:
    """The vocabularies of a model: one per column that its templates look at.

    `tag` is UPOS and XPOS joined, the part of speech at its finest; `cluster` is the bit string of
    the form's cluster, `cluster:4` its first four bits, and both are empty where it has none.
    """
    cdef readonly tuple columns
    cdef readonly list vocabularies
    cdef readonly list labels           # of bytes; the position is the id
    cdef readonly Clusters clusters     # or None
    cdef dict _label_ids

    def __init__(self, columns, vocabularies=None, labels=(), Clusters clusters=None):
        for name in columns:
            if n_bits(name) and clusters is None:
                raise ValueError(f"no clusters are given for column {name!r}")
            if (name not in COLUMNS and name != "tag" and not name.startswith("feats:")
                    and not n_bits(name)):
                raise ValueError(f"no column {name!r}")
        self.columns = tuple(columns)
        self.vocabularies = list(vocabularies or (Vocabulary() for _ in columns))
        self.labels = list(labels)
        self.clusters = clusters
        self._label_ids = {label: i for i, label in enumerate(self.labels)}

    def learn(self, sentences):
        """Add every string of the sentences to the vocabularies."""
        cdef Sentence sentence
        cdef vector[int32_t] values
        cdef vector[Text] paths
        for sentence in sentences:
            if self.clusters is not None:
                self.clusters.find_all(sentence, paths)
            for c, name in enumerate(self.columns):
                values.resize(sentence.n_words)
                self.encode_column(sentence, paths, name, self.vocabularies[c], values.data(), True)

    def add_label(self, bytes label):
        """The id of a label, which is added if it is new."""
        if label not in self._label_ids:
            self._label_ids[label] = len(self.labels)
            self.labels.append(label)
        return self._label_ids[label]

    def encode(self, sentences, *, bint trees=False):
        """A Corpus of the sentences; with `trees`, their heads and labels too."""
        cdef Corpus corpus = Corpus(len(self.columns))
        cdef Sentence sentence
        cdef vector[Text] paths
        cdef int32_t* values
        cdef Text text
        cdef int i
        cdef size_t first
        for sentence in sentences:
            if self.clusters is not None:
                self.clusters.find_all(sentence, paths)
            values = corpus.add(sentence.n_words)
            for c, name in enumerate(self.columns):
                self.encode_column(sentence, paths, name, self.vocabularies[c],
                                   values + <size_t> c * (sentence.n_words + 3) + 2, False)
            if trees:
                first = corpus.first_word.back()
                for i in range(sentence.n_words):
                    text = field(sentence, i, DEPREL)
                    corpus.head[first + i] = sentence.head[i]
                    corpus.label[first + i] = self._gold_label(text.text[:text.size])
        return corpus

    def _gold_label(self, bytes label):
        """The id of a label that training may not have seen; "_" is none, unless there is such."""
        return self._label_ids.get(label, NONE if label == b"_" else UNSEEN)

    def encode_again(self, Corpus corpus, int number, Sentence sentence):
        """Replace the columns of a sentence of the corpus: its words have other tags now."""
        cdef vector[Text] paths
        cdef size_t stride = <size_t> sentence.n_words + 3
        if (not 0 <= number < <int> corpus.n_words.size()
                or sentence.n_words != corpus.n_words[number]
                or corpus.n_columns != len(self.columns)):
            raise ValueError("this is not a sentence of the corpus")
        if self.clusters is not None:
            self.clusters.find_all(sentence, paths)
        for c, name in enumerate(self.columns):
            self.encode_column(
                sentence, paths, name, self.vocabularies[c],
                corpus.values.data() + corpus.first_value[number] + <size_t> c * stride + 2, False)

    def decode(self, Corpus corpus, sentences):
        """The sentences with the trees that stand in the corpus."""
        cdef Sentence sentence
        cdef size_t i = 0, first
        result = []
        for sentence in sentences:
            if i == corpus.n_words.size() or sentence.n_words != corpus.n_words[i]:
                raise ValueError("these are not the sentences of the corpus")
            first = corpus.first_word[i]
            result.append(
                sentence.with_tree(&corpus.head[first], self.labels, &corpus.label[first]))
            i += 1
        return result

    cdef void encode_column(self, Sentence sentence, const vector[Text]& paths, str name,
                            Vocabulary vocabulary, int32_t* target, bint learning):
        cdef int i, column = COLUMNS.get(name, FEATS)
        cdef bint is_tag = name == "tag"
        cdef Py_ssize_t cluster_bits = n_bits(name)
        cdef bytes feature = name[6:].encode() if name.startswith("feats:") else b""
        cdef const char* feature_name = feature
        cdef Py_ssize_t name_size = len(feature)
        cdef vector[char] joined
        cdef Text text
        with nogil:
            for i in range(sentence.n_words):
                if is_tag:
                    text = join_tags(field(sentence, i, UPOS), field(sentence, i, XPOS), joined)
                elif cluster_bits:
                    text = Text(paths[i].text, min(paths[i].size, cluster_bits))
                else:
                    text = field(sentence, i, column)
                    if name_size:
                        text = named_value(text, feature_name, name_size)
                if learning:
                    target[i] = vocabulary.add(text.text, text.size)
                else:
                    target[i] = vocabulary.lookup(text.text, text.size)


cdef Text join_tags(Text upos, Text xpos, vector[char]& joined) noexcept nogil:
    """UPOS, a tab, XPOS: no field has a tab in it."""
    joined.assign(upos.text, upos.text + upos.size)
    joined.push_back(c"\t")
    joined.insert(joined.end(), xpos.text, xpos.text + xpos.size)
    return Text(joined.data(), joined.size())
