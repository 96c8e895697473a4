"""Vocabularies: mappings from strings to consecutive integers."""
from libc.string cimport memchr, memcmp, memcpy
from libcpp.algorithm cimport count

from dodona.core.base.hashing cimport hashed_on
from dodona.core.features.words cimport ID_UNKNOWN, N_RESERVED


cdef uint64_t hashed(const char* text, Py_ssize_t size) noexcept nogil:
    """Hash a string, eight bytes at a time."""
    cdef uint64_t h = <uint64_t> size * <uint64_t> 0x9e3779b97f4a7c15, word
    while size > 0:
        word = 0
        memcpy(&word, text, min(size, 8))
        h = hashed_on(h, word)
        text += 8
        size -= 8
    return h


cdef class Vocabulary:
    """A mapping from strings to integers, from N_RESERVED on, in the order of addition.

    >>> vocabulary = Vocabulary([b"oak", b"leaf"])
    >>> vocabulary[b"leaf"] - vocabulary[b"oak"], len(vocabulary), vocabulary[b"stone"]
    (1, 2, 2)
    """

    def __init__(self, strings=()):
        cdef bytes string
        self.start.push_back(0)
        self.table.resize(64)
        for string in strings:
            self.add(string, len(string))

    @staticmethod
    def of_lines(const unsigned char[::1] lines):
        """Make a vocabulary of the lines of a text, without a Python object per line.

        >>> len(Vocabulary.of_lines(b"oak\\nleaf")), len(Vocabulary.of_lines(b""))
        (2, 1)
        """
        cdef Vocabulary made = Vocabulary()
        cdef Py_ssize_t size = lines.shape[0]
        cdef const char* start = ""
        cdef const char* end
        cdef const char* stop
        if size:
            start = <const char*> &lines[0]
        end = start + size
        with nogil:
            made.text.reserve(size)
            made.grow(1 + count(start, end, c"\n"))
            while True:
                stop = <const char*> memchr(start, c"\n", end - start)
                made.add(start, (end if stop == NULL else stop) - start)
                if stop == NULL:
                    break
                start = stop + 1
        return made

    def __len__(self):
        return self.start.size() - 1

    def __getitem__(self, bytes string):
        return self.lookup(string, len(string))

    def strings(self):
        """Return all strings, in order."""
        cdef size_t i
        return [(self.text.data() + self.start[i])[:self.start[i + 1] - self.start[i]]
                for i in range(self.start.size() - 1)]

    cdef size_t find(self, const char* text, Py_ssize_t size) noexcept nogil:
        """Return the table slot of a string, or the empty slot where it belongs."""
        cdef size_t mask = self.table.size() - 1, slot = hashed(text, size) & mask, i
        while self.table[slot]:
            i = self.table[slot] - 1
            if (<Py_ssize_t> (self.start[i + 1] - self.start[i]) == size
                    and (size == 0 or memcmp(self.text.data() + self.start[i], text, size) == 0)):
                break
            slot = (slot + 1) & mask
        return slot

    cdef int32_t lookup(self, const char* text, Py_ssize_t size) noexcept nogil:
        """Return the number of a string, or ID_UNKNOWN."""
        cdef int32_t entry = self.table[self.find(text, size)]
        return entry - 1 + N_RESERVED if entry else ID_UNKNOWN

    cdef int32_t add(self, const char* text, Py_ssize_t size) except -1 nogil:
        """Return the number of a string, which is added if it is new."""
        cdef size_t slot
        if self.start.size() * 2 > self.table.size():
            self.grow(2 * self.start.size())
        slot = self.find(text, size)
        if not self.table[slot]:
            self.text.resize(self.start.back())     # drops a string whose addition failed
            self.text.insert(self.text.end(), text, text + size)
            self.start.push_back(self.text.size())
            self.table[slot] = <int32_t> self.start.size() - 1
        return self.table[slot] - 1 + N_RESERVED

    cdef int grow(self, size_t n_strings) except -1 nogil:
        """Grow the table for so many strings: it is never more than half full."""
        cdef vector[int32_t] larger
        cdef size_t i, size = self.table.size()
        while size < 2 * (n_strings + 1):
            size *= 2
        larger.resize(size)
        self.table.swap(larger)
        for i in range(self.start.size() - 1):
            size = self.start[i + 1] - self.start[i]
            self.table[self.find(self.text.data() + self.start[i], size)] = <int32_t> i + 1

    cdef int cut(self, size_t n_strings) except -1 nogil:
        """Keep only the first strings, and release the memory of the others."""
        cdef vector[int32_t] smaller
        smaller.resize(64)
        self.start.resize(n_strings + 1)
        self.text.resize(self.start.back())
        self.text.shrink_to_fit()
        self.table.swap(smaller)
        self.grow(n_strings)

    cdef size_t n_bytes(self) noexcept nogil:
        """Return the memory that strings and table take."""
        return (self.text.size() + self.start.size() * sizeof(size_t)
                + self.table.size() * sizeof(int32_t))
