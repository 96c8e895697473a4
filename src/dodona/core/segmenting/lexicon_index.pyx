"""Word classes and pattern states that the segmenter's features read, beside its weights.

The class of a word is learned from raw text (`segmentation/lexicon.py`): a period after "prof" is
part of it, "the" is in lower case unless it begins a sentence. Matches of a pattern are always one
token, or the model decides. The class of a string, where words are written without spaces, has the
entropies of what follows and precedes it (`segmentation/string_learning.py`).
"""
from libc.stdint cimport uint32_t

from dodona.core.base.hashing cimport mixed
from dodona.core.segmenting.patterns import PATTERNS

FIELDS = {"writing": WRITING, "starter": STARTER, "abbreviation": ABBREVIATION,
          "follower": FOLLOWER}
VERB = VERB_TAG
STATES = {"unknown": UNKNOWN_PATTERN, "open": OPEN_PATTERN, "whole": WHOLE_PATTERN}


cdef inline uint32_t string_key(uint64_t hash) noexcept nogil:
    return <uint32_t> (mixed(hash) >> 32) | 1


def string_number(uint64_t hash):
    """Return the 32 bits by which the lexicon knows a string, from its hash (`string_hash`)."""
    return string_key(hash)


cdef class LexiconIndex:
    """Hash table from words (`string_hash`) to classes and tags, and the state of each pattern.

    Without tags, it serves a segmenter saved before tags existed. `strings` (`string_number`) have
    their entropies for text without spaces.
    """

    def __init__(self, const uint64_t[::1] hashes, const uint8_t[::1] classes, patterns,
                 const uint8_t[::1] tags=None, const uint32_t[::1] strings=None,
                 const uint8_t[::1] entropies=None):
        cdef size_t n = 16, i, slot
        if strings is not None:
            self.add_strings(strings, entropies)
        if hashes.shape[0] != classes.shape[0]:
            raise ValueError(f"{hashes.shape[0]} words, but {classes.shape[0]} classes")
        if tags is not None and hashes.shape[0] != tags.shape[0]:
            raise ValueError(f"{hashes.shape[0]} words, but {tags.shape[0]} tags")
        while n < 2 * <size_t> hashes.shape[0]:
            n *= 2
        self.key.resize(n)
        self.value.resize(n)
        self.tag.resize(n)
        self.has_tags = tags is not None
        for i in range(<size_t> hashes.shape[0]):
            if hashes[i] == 0:
                raise ValueError("the hash 0 belongs to a word without characters")
            slot = hashes[i] & (n - 1)
            while self.key[slot] and self.key[slot] != hashes[i]:
                slot = (slot + 1) & (n - 1)
            self.key[slot], self.value[slot] = hashes[i], classes[i]
            if tags is not None:
                self.tag[slot] = tags[i]
            self.has_abbreviations |= classes[i] & ABBREVIATION != 0
            self.has_writings |= classes[i] & LIKE_CAPITAL != 0
        for i in range(N_PATTERNS):
            self.patterns[i] = UNKNOWN_PATTERN
        for name, state in patterns.items():
            self.patterns[PATTERNS[name]] = STATES[state]

    cdef int add_strings(self, const uint32_t[::1] strings, const uint8_t[::1] classes) except -1:
        cdef size_t n = 16, i, slot
        if classes is None or strings.shape[0] != classes.shape[0]:
            raise ValueError("the strings of the lexicon and their entropies differ in number")
        while n < 2 * <size_t> strings.shape[0]:
            n *= 2
        self.string.resize(n)
        self.entropies.resize(n)
        self.has_strings = strings.shape[0] > 0
        for i in range(<size_t> strings.shape[0]):
            slot = strings[i] >> 1 & (n - 1)
            while self.string[slot] and self.string[slot] != strings[i]:
                slot = (slot + 1) & (n - 1)
            self.string[slot], self.entropies[slot] = strings[i], classes[i]
        return 0

    cdef uint8_t string_class(self, uint64_t hash) noexcept nogil:
        """Return the entropies of a string; 0 for an unknown one."""
        cdef uint32_t key = string_key(hash)
        cdef size_t mask = self.string.size() - 1, slot = key >> 1 & mask
        while self.string[slot] and self.string[slot] != key:
            slot = (slot + 1) & mask
        return self.entropies[slot]

    cdef uint8_t of(self, uint64_t hash) noexcept nogil:
        """Return the class of the word with this hash; 0 for an unknown word."""
        return self.value[self.slot(hash)]

    cdef size_t slot(self, uint64_t hash) noexcept nogil:
        """Return the slot of a word; an empty one, whose class and tag are 0, if it is unknown."""
        cdef size_t mask = self.key.size() - 1, slot = hash & mask
        while self.key[slot] and self.key[slot] != hash:
            slot = (slot + 1) & mask
        return slot
