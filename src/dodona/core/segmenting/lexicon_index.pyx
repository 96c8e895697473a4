"""Word classes and pattern states that the segmenter's features read, beside its weights.

The class of a word is learned from raw text (`segmentation/lexicon.py`): a period after "prof" is
part of it, "the" is in lower case unless it begins a sentence. Matches of a pattern are always one
token, or the model decides.
"""
from dodona.core.segmenting.patterns import PATTERNS

FIELDS = {"writing": WRITING, "starter": STARTER, "abbreviation": ABBREVIATION,
          "follower": FOLLOWER}
STATES = {"unknown": UNKNOWN_PATTERN, "open": OPEN_PATTERN, "whole": WHOLE_PATTERN}


cdef class LexiconIndex:
    """Hash table from words (`string_hash`) to classes, and the state of each pattern."""

    def __init__(self, const uint64_t[::1] hashes, const uint8_t[::1] classes, patterns):
        cdef size_t n = 16, i, slot
        if hashes.shape[0] != classes.shape[0]:
            raise ValueError(f"{hashes.shape[0]} words, but {classes.shape[0]} classes")
        while n < 2 * <size_t> hashes.shape[0]:
            n *= 2
        self.key.resize(n)
        self.value.resize(n)
        for i in range(<size_t> hashes.shape[0]):
            if hashes[i] == 0:
                raise ValueError("the hash 0 belongs to a word without characters")
            slot = hashes[i] & (n - 1)
            while self.key[slot] and self.key[slot] != hashes[i]:
                slot = (slot + 1) & (n - 1)
            self.key[slot], self.value[slot] = hashes[i], classes[i]
            self.has_abbreviations |= classes[i] & ABBREVIATION != 0
            self.has_writings |= classes[i] & LIKE_CAPITAL != 0
        for i in range(N_PATTERNS):
            self.patterns[i] = UNKNOWN_PATTERN
        for name, state in patterns.items():
            self.patterns[PATTERNS[name]] = STATES[state]

    cdef uint8_t of(self, uint64_t hash) noexcept nogil:
        """Return the class of the word with this hash; 0 for an unknown word."""
        cdef size_t mask = self.key.size() - 1, slot = hash & mask
        while self.key[slot]:
            if self.key[slot] == hash:
                return self.value[slot]
            slot = (slot + 1) & mask
        return 0
