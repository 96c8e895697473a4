"""The sentences of a batch in one buffer, without a Python object for each.

A block passes through segmenter, tagger and parser; each of them makes a new one from it without
the interpreter lock. What is left at the end is the output: the bytes of the block are CoNLL-U.
"""
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX

from dodona.treebank.sentence cimport (
    STRIDE, Sentence, copy_replaced, fields_of, make_sentence, replaced_size)

cdef char NO_BYTES = 0          # the data of an empty vector may be NULL, which buffers forbid


cdef class Block:
    """A sequence of sentences of one text or several, which become objects on demand.

    Its buffer, and `bytes(block)`, are the sentences as CoNLL-U.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"])
    >>> block = Block.of([oaks, oaks])
    >>> len(block), block.n_words, block[1] == oaks, bytes(block) == 2 * bytes(oaks)
    (2, 4, True, True)
    """

    @staticmethod
    def of(sentences):
        """Make a block of CoNLL-U sentences."""
        cdef Block made = Block()
        cdef Sentence sentence
        for sentence in sentences:
            made.append(fields_of(sentence), sentence.line, sentence.head, NULL, 0, NULL)
        return made

    def __len__(self):
        return self.lines.size()

    @property
    def n_words(self):
        """The number of words of all sentences."""
        return self.head.size()

    def __getitem__(self, Py_ssize_t index):
        cdef Fields fields
        if not 0 <= index < len(self):
            raise IndexError(f"no sentence {index} among {len(self)}")
        fields = self.fields(index)
        return make_sentence(
            PyBytes_FromStringAndSize(fields.raw, fields.size), fields.n_words, fields.start,
            fields.head, "<text>", self.lines[index], "conllu")

    def __iter__(self):
        return iter(self.sentences())

    def sentences(self):
        """Return the sentences as objects."""
        cdef Py_ssize_t i
        return [self[i] for i in range(len(self))]

    def __bytes__(self):
        return PyBytes_FromStringAndSize(self.data.data(), self.size)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data.data() if self.size else &NO_BYTES, self.size, 1,
                          flags)

    def replaced(self, dict sentences):
        """Return a block with other sentences at some indices."""
        cdef vector[Fields] batch
        cdef Block made = Block()
        cdef Sentence sentence
        cdef size_t i
        collect_fields(self, batch)
        for i, sentence in sentences.items():
            if i >= batch.size():
                raise IndexError(f"no sentence {i} among {len(self)}")
            batch[i] = fields_of(sentence)
        with nogil:
            for i in range(batch.size()):
                made.append(batch[i], self.lines[i], batch[i].head, NULL, 0, NULL)
        return made

    def part(self, size_t first, size_t end):
        """Return the block of some of the sentences; that of all is the block itself."""
        cdef Block made
        cdef Fields fields
        cdef size_t i
        if not first <= end <= self.lines.size():
            raise IndexError(f"no sentences from {first} to {end} among {len(self)}")
        if end - first == self.lines.size():
            return self
        made = Block()
        with nogil:
            for i in range(first, end):
                fields = self.fields(i)
                made.append(fields, self.lines[i], fields.head, NULL, 0, NULL)
        return made

    cdef Py_ssize_t size_of(self, size_t number) noexcept nogil:
        cdef size_t end = self.size
        if number + 1 < self.begins.size():
            end = self.begins[number + 1]
        return end - self.begins[number]

    cdef Fields fields(self, size_t number) noexcept nogil:
        cdef size_t first = self.first_word[number], end = self.head.size()
        if number + 1 < self.first_word.size():
            end = self.first_word[number + 1]
        return Fields(self.data.data() + self.begins[number], self.size_of(number),
                      self.start.data() + first * STRIDE, self.head.data() + first,
                      <int> (end - first))

    cdef int reserve(self, size_t n) except -1 nogil:
        if self.size + n > self.data.size():
            self.data.resize(2 * self.data.size() + n)
        return 0

    cdef int append(self, Fields old, Py_ssize_t line, const int32_t* heads, const int* columns,
                    int n_columns, const Text* texts) except -1 nogil:
        cdef Py_ssize_t size = replaced_size(old, columns, n_columns, texts)
        cdef size_t first = self.head.size()
        if size > INT32_MAX:
            with gil:
                raise ValueError("the sentence would be larger than 2 GiB")
        self.reserve(size)
        self.start.resize((first + old.n_words) * STRIDE)
        self.head.insert(self.head.end(), heads, heads + old.n_words)
        copy_replaced(old, columns, n_columns, texts, self.data.data() + self.size,
                      self.start.data() + first * STRIDE)
        self.first_word.push_back(first)
        self.begins.push_back(self.size)
        self.lines.push_back(line)
        self.size += size
        return 0


cdef int collect_fields(sentences, vector[Fields]& batch) except -1:
    cdef Sentence sentence
    cdef Block block
    cdef size_t i
    if isinstance(sentences, Block):
        block = sentences
        for i in range(block.lines.size()):
            batch.push_back(block.fields(i))
        return 0
    for sentence in sentences:
        batch.push_back(fields_of(sentence))
    return 0
