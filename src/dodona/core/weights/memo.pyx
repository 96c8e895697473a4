"""A memory for sums of weights: features that come together again are not looked up again.

The features of a state are given in parts: those of the word on top of the stack, say. Half of the
time a part is as it was in an earlier state, and what its weights come to is found here. A new sum
takes the place of an old one; a place is told by the sum of the keys, which are hashes of 64 bits.
"""
from libc.stdlib cimport calloc, free
from libc.string cimport memset


cdef inline uint64_t tag_of(const uint64_t* keys, int n_keys) noexcept nogil:
    """A number for a set of features; not 0."""
    cdef uint64_t tag = 0
    cdef int i
    for i in range(n_keys):
        tag += keys[i]
    return tag | 1


cdef inline size_t place_in(const MemoPart* part, uint64_t tag) noexcept nogil:
    return (tag * <uint64_t> 0x9e3779b97f4a7c15) >> (64 - part.log_size)


cdef class Memo:
    """Room for sums of each part; `log_sizes` has the logarithms of how many. Not for two threads.

    The sums of one place, a number for each class of whatever kind, take `n_bytes`.
    """

    def __cinit__(self, size_t n_bytes, log_sizes):
        cdef MemoPart* part
        if len(log_sizes) > MAX_MEMO_PARTS or not all(0 < size < 32 for size in log_sizes):
            raise ValueError(f"no memory of sizes {log_sizes}")
        self.n_bytes = n_bytes
        for log_size in log_sizes:
            part = &self.parts[self.n_parts]
            self.n_parts += 1
            # memory that is never touched costs nothing: most sentences are parsed one by one
            part.log_size = log_size
            part.tags = <uint64_t*> calloc(<size_t> 1 << part.log_size, sizeof(uint64_t))
            part.sums = <char*> calloc(<size_t> 1 << part.log_size, self.n_bytes)
            if part.tags == NULL or part.sums == NULL:
                raise MemoryError("no memory for sums of weights")

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_parts):
            free(self.parts[i].tags)
            free(self.parts[i].sums)

    cdef void* place_of(self, int part, const uint64_t* keys, int n_keys,
                        bint* is_known) noexcept nogil:
        """Where the sums for these keys are or, if they are not known, are to be written."""
        return self.place_at(part, tag_of(keys, n_keys), is_known)

    cdef void* place_at(self, int part, uint64_t tag, bint* is_known) noexcept nogil:
        """The same for features of which this number tells, which is not 0."""
        cdef MemoPart* memo = &self.parts[part]
        cdef size_t place = place_in(memo, tag)
        is_known[0] = memo.tags[place] == tag
        memo.tags[place] = tag
        return memo.sums + place * self.n_bytes

    cdef const void* known(self, int part, const uint64_t* keys, int n_keys) noexcept nogil:
        """The sums for these keys; NULL if they are not known."""
        cdef MemoPart* memo = &self.parts[part]
        cdef uint64_t tag = tag_of(keys, n_keys)
        cdef size_t place = place_in(memo, tag)
        return memo.sums + place * self.n_bytes if memo.tags[place] == tag else NULL

    cdef void forget(self) noexcept nogil:
        """Know nothing any more: the weights have changed."""
        cdef int i
        for i in range(self.n_parts):
            memset(self.parts[i].tags, 0, sizeof(uint64_t) << self.parts[i].log_size)
