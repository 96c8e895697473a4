"""Conversion between tags and lemmas of sentences and classes of an encoded corpus."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport n_nodes
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport ID_UNKNOWN, N_RESERVED
from dodona.core.tagging.tag_task cimport joined
from dodona.tagging.lemma_correction cimport LemmaCorrection
from dodona.tagging.lemma_scripts cimport LemmaScripts
from dodona.tagging.word_types cimport ENTRY_COLUMN
from dodona.treebank.characters cimport lowered, next_character
from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport FEATS, FORM, LEMMA, UPOS, XPOS, Sentence, Text, field

from dodona.tagging.word_encoder import CLUSTER_COLUMNS, COLUMNS
from dodona.tagging.word_types import COLUMNS_READ

TAG_COLUMNS = {"upos": UPOS, "xpos": XPOS, "feats": FEATS, "lemma": LEMMA}


cdef Py_ssize_t first_column(Corpus corpus, columns) except -1:
    """Return the number of columns before those of the tasks."""
    cdef Py_ssize_t n = corpus.n_columns - len(columns)
    if n not in (len(COLUMNS), len(COLUMNS) + len(CLUSTER_COLUMNS), len(COLUMNS_READ)):
        raise ValueError(f"a corpus of {corpus.n_columns} columns has none for {columns}")
    return n


cdef bint is_filled(Sentence sentence, int column) noexcept nogil:
    """Whether any word has a value in a column."""
    cdef Text text
    cdef int i
    for i in range(sentence.n_words):
        text = field(sentence, i, column)
        if text.size != 1 or text.text[0] != c"_":
            return True
    return False


cdef class TagWriter:
    """Writer of tags into sentences; classes stand for texts, those of lemmas for scripts."""
    cdef vector[int] columns            # of sentences, ascending
    cdef vector[int] tasks              # that fill in these columns
    cdef vector[bint] kept              # write only where a sentence has no values
    cdef vector[vector[Text]] texts     # of the classes
    cdef LemmaCorrection correction
    cdef LemmaScripts scripts           # of `correction`
    cdef Py_ssize_t n_before            # columns of the corpus before those of the tasks
    cdef object owner                   # of the texts
    cdef vector[char] lemmas            # of one sentence
    cdef vector[Text] fields

    def __init__(self, columns, classes, keep, Py_ssize_t n_before):
        cdef bytes name
        if len(columns) != len(classes):
            raise ValueError(f"classes of {len(classes)} tasks for {len(columns)} columns")
        self.owner, self.n_before = classes, n_before
        for number, k in sorted((TAG_COLUMNS[column], k) for k, column in enumerate(columns)):
            self.columns.push_back(number)
            self.tasks.push_back(k)
            self.kept.push_back(columns[k] in keep)
            self.texts.resize(self.texts.size() + 1)
            if number == LEMMA:
                self.correction = classes[k]
                self.scripts = self.correction.scripts
                continue
            for name in classes[k]:
                self.texts.back().push_back(Text(PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)))

    cdef Sentence filled(self, Sentence sentence, const int32_t* values):
        """Return the sentence with its tags; `values` is the column of the first task."""
        cdef size_t n_tasks = self.tasks.size(), stride = n_nodes(sentence.n_words), k
        cdef const int32_t* column
        cdef bint is_good = True
        self.fields.resize(sentence.n_words * n_tasks)
        for k in range(n_tasks):
            column = values + self.tasks[k] * stride
            if self.kept[k] and is_filled(sentence, self.columns[k]):
                self.copy(sentence, k)
            elif self.columns[k] == LEMMA:
                is_good = self.write_lemmas(sentence, values, k) and is_good
            else:
                is_good = self.write_tags(sentence, column, k) and is_good
        if not is_good:
            raise ValueError("the corpus has an unknown class: has it been tagged?")
        return sentence.with_fields(self.columns.data(), <int> n_tasks, self.fields.data())

    cdef void copy(self, Sentence sentence, size_t k) noexcept nogil:
        cdef int i
        for i in range(sentence.n_words):
            self.fields[i * self.tasks.size() + k] = field(sentence, i, self.columns[k])

    cdef bint write_tags(self, Sentence sentence, const int32_t* values, size_t k) noexcept nogil:
        """Look up the texts of classes; return whether every class exists."""
        cdef int32_t tag
        cdef int i
        for i in range(sentence.n_words):
            tag = values[i] - N_RESERVED
            if not 0 <= tag < <int32_t> self.texts[k].size():
                return False
            self.fields[i * self.tasks.size() + k] = self.texts[k][tag]
        return True

    cdef bint write_lemmas(self, Sentence sentence, const int32_t* values,
                           size_t k) except -1 nogil:
        """Apply scripts; return whether each exists. `lemmas` may move, so pointers come last."""
        cdef size_t stride = n_nodes(sentence.n_words), task = self.tasks[k]
        cdef const int32_t* entries = values + (ENTRY_COLUMN - self.n_before) * <Py_ssize_t> stride
        cdef Py_ssize_t at = 0
        cdef int32_t script
        cdef int i
        cdef Text* lemma
        self.lemmas.clear()
        for i in range(sentence.n_words):
            script = values[task * stride + i] - N_RESERVED
            if not 0 <= script < <int32_t> self.scripts.scripts.size():
                return False
            if entries[i] == ID_UNKNOWN:
                script = self.correction.corrected(
                    script, field(sentence, i, FORM), tags_before(values + i, stride, task),
                    i == 0)
            elif begins_with_capital(field(sentence, i, FORM)):     # perhaps with other tags
                script = self.correction.in_case(
                    script, field(sentence, i, FORM), tags_before(values + i, stride, task),
                    i == 0)
            self.scripts.apply(script, field(sentence, i, FORM), self.lemmas)
            self.fields[i * self.tasks.size() + k].size = self.lemmas.size() - at
            at = self.lemmas.size()
        at = 0
        for i in range(sentence.n_words):
            lemma = &self.fields[i * self.tasks.size() + k]
            lemma.text = self.lemmas.data() + at
            at += lemma.size
        return True


cdef bint begins_with_capital(Text form) noexcept nogil:
    cdef Py_ssize_t at = 0
    cdef uint32_t c
    if form.size == 0:
        return False
    c = next_character(form.text, form.size, &at)
    return lowered(c) != c


cdef uint32_t tags_before(const int32_t* values, size_t stride, size_t task) noexcept nogil:
    """Return the `join` of the classes that earlier tasks have given a word."""
    cdef uint32_t tags = 0
    cdef size_t k
    for k in range(task):
        tags = joined(tags, values[k * stride] - N_RESERVED)
    return tags


def with_tags(Corpus corpus, sentences, columns, classes, size_t first=0, keep=()):
    """Return the sentences with the tags of the corpus, whose sentences count from `first`.

    Task k fills in `columns[k]`, one of TAG_COLUMNS, and classes[k][c] is the text (bytes) of its
    class c; for lemmas, classes[k] is a LemmaCorrection. A column in `keep` stays unchanged in
    sentences that have a value there.
    """
    cdef Py_ssize_t n_before = first_column(corpus, columns)
    cdef TagWriter tags = TagWriter(columns, classes, keep, n_before)
    cdef Sentence sentence
    cdef size_t s = first
    result = []
    for sentence in sentences:
        if s >= corpus.n_words.size() or sentence.n_words != corpus.n_words[s]:
            raise ValueError("these are not the sentences of the corpus")
        result.append(tags.filled(
            sentence, corpus.values.data() + corpus.first_value[s] + 2
            + n_before * n_nodes(sentence.n_words)))
        s += 1
    return result


def keep_tags(Corpus corpus, sentences, columns, classes, str column):
    """Copy a column of tags into the corpus; return 1 for each sentence that has values, else 0.

    A tag that is not a class becomes ID_UNKNOWN. Lemmas, which no task reads, are not copied.
    """
    cdef int number = TAG_COLUMNS[column], i
    cdef int task = columns.index(column)
    cdef Py_ssize_t n_before = first_column(corpus, columns)
    cdef Vocabulary names = Vocabulary(() if number == LEMMA else classes[task])
    cdef bytearray kept = bytearray(len(corpus))
    cdef Sentence sentence
    cdef size_t s = 0
    cdef int32_t* values
    cdef Text text
    for sentence in sentences:
        if s >= corpus.n_words.size() or sentence.n_words != corpus.n_words[s]:
            raise ValueError("these are not the sentences of the corpus")
        if is_filled(sentence, number):
            kept[s] = 1
            values = (corpus.values.data() + corpus.first_value[s] + 2
                      + (n_before + task) * n_nodes(sentence.n_words))
            for i in range(sentence.n_words):
                text = field(sentence, i, number)
                values[i] = names.lookup(text.text, text.size)
        s += 1
    return bytes(kept)
