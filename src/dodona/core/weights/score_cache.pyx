"""A cache for sums of weights: features that occur together again are not looked up again.

The features of a state come in sections: those of the word on top of the stack, for example. Half
of the time a section is the same as in an earlier state, and the sum of its weights is found here.
The cache is direct-mapped: a new sum replaces the old one. An entry is identified by the sum of the
keys, which are hashes of 64 bits.
"""
from libc.stdlib cimport calloc, free
from libc.string cimport memset


cdef class ScoreCache:
    """Entries for each section, as many as two to the power of each of `log_sizes`.

    An entry has a number of any type for each class, `n_bytes` in all. A thread needs its own.
    """

    def __cinit__(self, size_t n_bytes, log_sizes):
        cdef CacheSection* section
        if len(log_sizes) > MAX_CACHE_SECTIONS or not all(0 < size < 32 for size in log_sizes):
            raise ValueError(f"no score cache can have sections of sizes 2 ** {log_sizes}")
        self.n_bytes = n_bytes
        for log_size in log_sizes:
            section = &self.sections[self.n_sections]
            self.n_sections += 1
            # memory that is never touched costs nothing: most sentences are parsed one by one
            section.log_size = log_size
            section.tags = <uint64_t*> calloc(<size_t> 1 << section.log_size, sizeof(uint64_t))
            section.sums = <char*> calloc(<size_t> 1 << section.log_size, self.n_bytes)
            if section.tags == NULL or section.sums == NULL:
                raise MemoryError("no memory for sums of weights")

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_sections):
            free(self.sections[i].tags)
            free(self.sections[i].sums)

    cdef void* entry_for(self, int section, const uint64_t* keys, int n_keys,
                         bint* is_known) noexcept nogil:
        """Return where the sums for these keys are or, if they are not known, must be written."""
        cdef uint64_t tag = 0
        cdef int i
        for i in range(n_keys):
            tag += keys[i]
        return self.entry_at(section, tag | 1, is_known)

    cdef void* entry_at(self, int section, uint64_t tag, bint* is_known) noexcept nogil:
        """Return where the sums for a tag, which is not 0, are or must be written."""
        cdef CacheSection* found = &self.sections[section]
        cdef size_t entry = (tag * <uint64_t> 0x9e3779b97f4a7c15) >> (64 - found.log_size)
        is_known[0] = found.tags[entry] == tag
        found.tags[entry] = tag
        return found.sums + entry * self.n_bytes

    cdef void clear(self) noexcept nogil:
        """Drop all sums: the weights have changed."""
        cdef int i
        for i in range(self.n_sections):
            memset(self.sections[i].tags, 0, sizeof(uint64_t) << self.sections[i].log_size)
