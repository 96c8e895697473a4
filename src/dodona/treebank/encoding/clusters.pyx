"""Brown clusters of words, from files of `dodona cluster` and other programs.

A word without a cluster is looked up in lower case; if that has none, its bit string is empty.
"""
from array import array

from cpython.pyport cimport PY_SSIZE_T_MAX

from dodona.core.features.words cimport ID_UNKNOWN, N_RESERVED
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import open_input
from dodona.treebank.sentence cimport FORM, Fields, text_at

cdef const char* NOTHING = ""


cdef class Clusters:
    """A mapping from words to the bit strings of their clusters.

    >>> clusters = Clusters({"oak": "0110", "elm": "0111", "speaks": "10"})
    >>> clusters["oak"], clusters["Oak"], clusters["ash"]
    ('0110', '0110', '')
    >>> len(clusters), clusters.n_clusters
    (3, 3)
    """

    def __init__(self, paths=None):
        self.words = Vocabulary()
        self.paths = Vocabulary()
        for word, path in (paths or {}).items():
            self._add(word.encode(), path.encode())

    @staticmethod
    def read(source):
        """Read a file of lines `bits<TAB>word<TAB>count`; the count is optional."""
        self = Clusters()
        file, name, is_ours = open_input(source)
        try:
            for number, line in enumerate(file, 1):
                self._add_line(line.rstrip(b"\r\n"), name, number)
        finally:
            if is_ours:
                file.close()
        if not len(self):
            raise TreebankError(
                name, None, "the file has no words; `dodona cluster` makes cluster files")
        return self

    def _add_line(self, bytes line, str source, int number):
        fields = line.split(b"\t")
        if line and (not 2 <= len(fields) <= 3 or fields[0].strip(b"01") or not fields[1]):
            raise TreebankError(source, number, "expected bits, a word and its count between tabs, "
                                f"such as '0110<TAB>oak<TAB>12', found {line[:60]!r}")
        try:
            if line and not self._add(fields[1], fields[0]):
                raise TreebankError(source, number, f"{fields[1].decode()!r} occurs twice")
        except UnicodeDecodeError:
            raise TreebankError(source, number, f"{fields[1]!r} is not UTF-8") from None

    def _add(self, bytes word, bytes path):
        """Add a word; return False if it exists."""
        cdef size_t n_words = len(self.words)
        word.decode()                       # raises if it is not UTF-8
        self.words.add(word, len(word))
        if len(self.words) == n_words:
            return False
        self.path_of_word.push_back(self.paths.add(path, len(path)) - N_RESERVED)
        return True

    def save(self):
        """Return words and bit strings, one per line, and the number of each word's bit string."""
        cdef int32_t number
        return (b"\n".join(self.words.strings()), b"\n".join(self.paths.strings()),
                array("I", [number for number in self.path_of_word]).tobytes())

    @staticmethod
    def restore(const unsigned char[::1] words, const unsigned char[::1] paths,
                const unsigned int[::1] path_of_word):
        """Restore the result of `save`."""
        cdef Clusters self = Clusters()
        cdef Py_ssize_t i
        self.words, self.paths = Vocabulary.of_lines(words), Vocabulary.of_lines(paths)
        if len(self.words) != path_of_word.shape[0]:
            raise ValueError(f"{len(self.words)} words in {path_of_word.shape[0]} clusters")
        for i in range(path_of_word.shape[0]):
            if path_of_word[i] >= len(self.paths):
                raise ValueError(f"cluster {path_of_word[i]} of {len(self.paths)}")
            self.path_of_word.push_back(path_of_word[i])
        return self

    def __len__(self):
        """Number of words."""
        return len(self.words)

    @property
    def n_clusters(self):
        return len(self.paths)

    def __getitem__(self, str form):
        cdef bytes encoded = form.encode()
        cdef Text path = self.find(Text(encoded, len(encoded)))
        return path.text[:path.size].decode()

    cdef Text exact(self, const char* form, Py_ssize_t size) noexcept nogil:
        cdef int32_t word = self.words.lookup(form, size), path
        if word == ID_UNKNOWN:
            return Text(NOTHING, 0)
        path = self.path_of_word[word - N_RESERVED]
        return Text(self.paths.text.data() + self.paths.start[path],
                    self.paths.start[path + 1] - self.paths.start[path])

    cdef Text find(self, Text form):
        cdef Text path = self.exact(form.text, form.size)
        cdef bytes lower
        if path.size == 0:
            lower = form.text[:form.size].decode().lower().encode()
            path = self.exact(lower, len(lower))
        return path

    cdef int find_all(self, Fields sentence, vector[Text]& found) except -1:
        cdef int i
        found.resize(sentence.n_words)
        for i in range(sentence.n_words):
            found[i] = self.find(text_at(sentence, i, FORM))
        return 0


cdef Py_ssize_t n_bits(str column) except -1:
    name, _, bits = column.partition(":")
    if name != "cluster":
        return 0
    return int(bits) if bits else PY_SSIZE_T_MAX
