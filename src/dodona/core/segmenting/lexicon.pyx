"""What a segmenter knows of words and patterns, beside its weights.

A word has a class, made of what text without annotation tells of it (`segmentation/lexicon.py`): a
period after "prof" is part of it, "the" is in lower case unless it begins a sentence. A pattern is
kept whole, or is left to the model.
"""
from dodona.core.segmenting.patterns import PATTERNS

FIELDS = {"writing": WRITING, "starter": STARTER, "abbreviation": ABBREVIATION,
          "follower": FOLLOWER}
STATES = {"unknown": UNKNOWN_PATTERN, "open": OPEN_PATTERN, "whole": WHOLE_PATTERN}


cdef class Lexicon:
    """Classes of words, by the hashes of their characters, and the state of each pattern."""

    def __init__(self, const uint64_t[::1] hashes, const uint8_t[::1] classes, patterns):
        cdef size_t n = 16, i, at
        if hashes.shape[0] != classes.shape[0]:
            raise ValueError(f"{hashes.shape[0]} words, but {classes.shape[0]} classes")
        while n < 2 * <size_t> hashes.shape[0]:
            n *= 2
        self.key.resize(n)
        self.value.resize(n)
        for i in range(<size_t> hashes.shape[0]):
            if hashes[i] == 0:
                raise ValueError("a word of no characters")
            at = hashes[i] & (n - 1)
            while self.key[at] and self.key[at] != hashes[i]:
                at = (at + 1) & (n - 1)
            self.key[at], self.value[at] = hashes[i], classes[i]
            self.has_abbreviations |= classes[i] & ABBREVIATION != 0
            self.has_writings |= classes[i] & LIKE_CAPITAL != 0
        for i in range(N_PATTERNS):
            self.patterns[i] = UNKNOWN_PATTERN
        for name, state in patterns.items():
            self.patterns[PATTERNS[name]] = STATES[state]

    cdef uint8_t of(self, uint64_t hash) noexcept nogil:
        """The class of the word with this hash; 0 if it is not known."""
        cdef size_t mask = self.key.size() - 1, at = hash & mask
        while self.key[at]:
            if self.key[at] == hash:
                return self.value[at]
            at = (at + 1) & mask
        return 0
