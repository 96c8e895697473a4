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
from dodona.tagging.word_types cimport ENTRY_COLUMN, check_lengths
from dodona.treebank.block cimport Block, collect_fields
from dodona.treebank.characters cimport lowered, next_character
from dodona.treebank.encoding.vocabulary cimport Vocabulary
from dodona.treebank.sentence cimport (
    FEATS, FORM, LEMMA, UPOS, XPOS, Fields, Sentence, Text, fields_of, text_at)

from dodona.tagging.word_encoder import CLUSTER_COLUMNS, COLUMNS
from dodona.tagging.word_types import COLUMNS_READ

TAG_COLUMNS = {"upos": UPOS, "xpos": XPOS, "feats": FEATS, "lemma": LEMMA}


cdef Py_ssize_t first_column(Corpus corpus, columns) except -1:
    """Return the number of columns before those of the tasks."""
    cdef Py_ssize_t n = corpus.n_columns - len(columns)
    if n not in (len(COLUMNS), len(COLUMNS) + len(CLUSTER_COLUMNS), len(COLUMNS_READ)):
        raise ValueError(f"a corpus of {corpus.n_columns} columns has none for {columns}")
    return n


cdef bint is_filled(Fields sentence, int column) noexcept nogil:
    """Whether any word has a value in a column."""
    cdef Text text
    cdef int i
    for i in range(sentence.n_words):
        text = text_at(sentence, i, column)
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

    cdef int look_up(self, Fields sentence, const int32_t* values) except -1 nogil:
        """Set `fields` to the tags of a sentence; `values` is the column of the first task."""
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
            with gil:
                raise ValueError("the corpus has an unknown class: has it been tagged?")
        return 0

    cdef Sentence fill(self, Sentence sentence, const int32_t* values):
        """Return the sentence with its tags."""
        self.look_up(fields_of(sentence), values)
        return sentence.with_fields(
            self.columns.data(), <int> self.tasks.size(), self.fields.data())

    cdef int fill_block(self, Corpus corpus, const vector[Fields]& batch, size_t first, Block old,
                        Block made) except -1 nogil:
        """Add the sentences of a block, with their tags, to another."""
        cdef size_t s
        made.reserve(old.size + old.size // 2)
        for s in range(batch.size()):
            self.look_up(batch[s], corpus.column(<int> (first + s), <int> self.n_before) + 1)
            made.append(batch[s], old.lines[s], batch[s].head, self.columns.data(),
                        <int> self.tasks.size(), self.fields.data())
        return 0

    cdef void copy(self, Fields sentence, size_t k) noexcept nogil:
        cdef int i
        for i in range(sentence.n_words):
            self.fields[i * self.tasks.size() + k] = text_at(sentence, i, self.columns[k])

    cdef bint write_tags(self, Fields sentence, const int32_t* values, size_t k) noexcept nogil:
        """Look up the texts of classes; return whether every class exists."""
        cdef int32_t tag
        cdef int i
        for i in range(sentence.n_words):
            tag = values[i] - N_RESERVED
            if not 0 <= tag < <int32_t> self.texts[k].size():
                return False
            self.fields[i * self.tasks.size() + k] = self.texts[k][tag]
        return True

    cdef bint write_lemmas(self, Fields sentence, const int32_t* values,
                           size_t k) except -1 nogil:
        """Apply scripts; return whether each exists. `lemmas` may move, so pointers come last."""
        cdef size_t stride = n_nodes(sentence.n_words), task = self.tasks[k]
        cdef const int32_t* entries = values + (ENTRY_COLUMN - self.n_before) * <Py_ssize_t> stride
        cdef Py_ssize_t at = 0
        cdef int32_t script
        cdef int i
        cdef Text form
        cdef Text* lemma
        self.lemmas.clear()
        for i in range(sentence.n_words):
            form = text_at(sentence, i, FORM)
            script = values[task * stride + i] - N_RESERVED
            if not 0 <= script < <int32_t> self.scripts.scripts.size():
                return False
            if entries[i] == ID_UNKNOWN:
                script = self.correction.corrected(
                    script, form, tags_before(values + i, stride, task), i == 0)
            elif begins_with_capital(form):     # perhaps with other tags
                script = self.correction.in_case(
                    script, form, tags_before(values + i, stride, task), i == 0)
            self.scripts.apply(script, form, self.lemmas)
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
    sentences that have a value there. A block becomes a block.
    """
    cdef Py_ssize_t n_before = first_column(corpus, columns)
    cdef TagWriter tags = TagWriter(columns, classes, keep, n_before)
    cdef vector[Fields] batch
    cdef Sentence sentence
    cdef Block made
    cdef int s = <int> first
    collect_fields(sentences, batch)
    check_lengths(corpus, batch, first)
    if isinstance(sentences, Block):
        made = Block()
        with nogil:
            tags.fill_block(corpus, batch, first, <Block> sentences, made)
        return made
    result = []
    for sentence in sentences:
        result.append(tags.fill(sentence, corpus.column(s, <int> n_before) + 1))
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
    cdef vector[Fields] batch
    cdef size_t s
    cdef int32_t* values
    cdef Text text
    collect_fields(sentences, batch)
    check_lengths(corpus, batch, 0)
    for s in range(batch.size()):
        if is_filled(batch[s], number):
            kept[s] = 1
            values = corpus.column(<int> s, <int> n_before + task) + 1
            for i in range(batch[s].n_words):
                text = text_at(batch[s], i, number)
                values[i] = names.lookup(text.text, text.size)
    return bytes(kept)
