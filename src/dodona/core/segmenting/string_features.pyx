"""Feature keys of a boundary between two letters, where words are written without spaces.

What precedes a word and what follows it varies more than what comes between its characters. The
lexicon has, for frequent strings of raw text, how unpredictable the characters on either side are
(their entropies: Jin & Tanaka-Ishii 2006), and the features read those of the strings that end
here, begin here, and lie across the boundary, as Zhao & Kit (2008) do with accessor variety.
Japanese changes its script at many boundaries, so that scripts are features, too. Words that the
treebank has at least twice are known: whether one ends here, begins here, or goes on are features
(Low et al. 2005).
"""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from dodona.core.base.hashing cimport hashed_on
from dodona.core.segmenting.characters cimport LETTER, MARK
from dodona.core.segmenting.expansion cimport known_as
from dodona.core.segmenting.feature_keys cimport put

cdef enum:
    LONGEST_STRING = 4      # characters of a string in the lexicon
    AFTER_STRING = 15       # the two entropies of a class
    BEFORE_STRING = 240
    LONGEST_REST = 10       # characters of the rest of a chunk that is looked up
    LONGEST_WORD = 5        # characters that a known word has beyond a boundary, at most


cdef inline bint is_letter(uint8_t kind) noexcept nogil:
    return kind == LETTER or kind == MARK


cdef inline uint64_t script_of(uint32_t c) noexcept nogil:
    """Return the script of a letter, as far as features tell scripts apart."""
    if 0x3040 <= c < 0x30a0:
        return 1                    # Hiragana
    if 0x30a0 <= c < 0x3100:
        return 2                    # Katakana
    return 3 if 0x3400 <= c < 0xa000 or 0x20000 <= c < 0x40000 else 4


cdef inline uint64_t class_of(TextScanner scanner, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    cdef uint64_t hash = 0
    cdef Py_ssize_t i
    for i in range(start, end):
        hash = hashed_on(hash, scanner.low[i])
    return scanner.lexicon.string_class(hash)


cdef void fill_strings(TextScanner scanner, Keys* keys) noexcept nogil:
    """Add keys at a boundary without white space; none unless it lies between two letters."""
    cdef Py_ssize_t i = scanner.at, first = i, end = i, n
    cdef uint64_t before[LONGEST_STRING + 1]
    cdef uint64_t after[LONGEST_STRING + 1]
    cdef uint64_t low[2 * LONGEST_STRING]
    cdef uint64_t script[2 * LONGEST_STRING]
    cdef uint64_t across, left, right, both
    while first > scanner.sentence_start and i - first < LONGEST_STRING and (
            is_letter(scanner.kind[first - 1])):
        first -= 1
    while end < scanner.n and end - i < LONGEST_STRING and is_letter(scanner.kind[end]):
        end += 1
    if first == i or end == i:
        return
    for n in range(2 * LONGEST_STRING):
        low[n] = script[n] = 0
        if first <= i - LONGEST_STRING + n < end:
            low[n] = scanner.low[i - LONGEST_STRING + n]
            script[n] = script_of(scanner.low[i - LONGEST_STRING + n])
    for n in range(1, LONGEST_STRING + 1):
        before[n] = class_of(scanner, i - n, i) & AFTER_STRING if i - n >= first else 0
        after[n] = class_of(scanner, i, i + n) & BEFORE_STRING if i + n <= end else 0
    across = class_of(scanner, i - 1, i + 1)
    left = class_of(scanner, i - 2, i + 1) if i - 2 >= first else 0
    right = class_of(scanner, i - 1, i + 2) if i + 2 <= end else 0
    both = class_of(scanner, i - 2, i + 2) if i - 2 >= first and i + 2 <= end else 0
    put(keys, before[1], after[1], 0, 0)
    put(keys, before[2], after[2], 0, 0)
    put(keys, before[2], after[1], across, 0)
    put(keys, before[1], after[2], across, 0)
    put(keys, before[3], before[2], 0, 0)
    put(keys, after[3], after[2], 0, 0)
    put(keys, before[4], before[3], 0, 0)
    put(keys, after[4], after[3], 0, 0)
    put(keys, before[3], after[3], 0, 0)
    put(keys, across, 0, 0, 0)
    put(keys, across, before[2], after[2], 0)
    put(keys, left, right, 0, 0)
    put(keys, left, across, 0, 0)
    put(keys, right, across, 0, 0)
    put(keys, both, 0, 0, 0)
    put(keys, low[3], 0, 0, 0)
    put(keys, low[4], 0, 0, 0)
    put(keys, low[2], low[3], 0, 0)
    put(keys, low[4], low[5], 0, 0)
    put(keys, low[3], low[5], 0, 0)
    put(keys, script[3], script[4], 0, 0)
    put(keys, script[2], script[3], script[4], script[5])
    put(keys, script[1] * 8 + script[2], script[3], script[4], script[5] * 8 + script[6])
    put(keys, script[3], low[4], script[5], 0)
    put(keys, script[2], low[3], script[4], 0)
    put(keys, script[3] * 8 + script[4], before[2], after[2], 0)
    fill_parts(scanner, keys)


cdef void fill_parts(TextScanner scanner, Keys* keys) noexcept nogil:
    """Add keys of what the lexicon has of both sides, where a short chunk of letters is split.

    Arabic writes clitics without a space: "wa" begins many words, and is one if the rest is one.
    """
    cdef Py_ssize_t end = scanner.at, most = min(scanner.n, scanner.at + LONGEST_REST)
    cdef uint64_t token, rest, whole
    while end < most and is_letter(scanner.kind[end]):
        end += 1
    if end == most and end < scanner.n and is_letter(scanner.kind[end]):
        return
    token = known_as(scanner, scanner.token.start, scanner.at)
    rest = known_as(scanner, scanner.at, end)
    whole = known_as(scanner, scanner.token.start, end)
    put(keys, token, rest, 0, 0)
    put(keys, scanner.low[scanner.at - 1], rest, 0, 0)
    put(keys, scanner.low[scanner.at - 1], rest, whole, 0)
    put(keys, token, rest != 0, whole != 0, 0)


cdef struct Longest:            # known word from some character on that goes beyond the boundary
    Py_ssize_t n                # characters beyond it; 0: there is no such word
    uint64_t tag                # as of `known_as`


cdef Longest longest_word(TextScanner scanner, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return the longest known word from `start` that ends behind the boundary, up to `end`."""
    cdef Longest found = Longest(0, 0)
    cdef uint64_t hash = 0
    cdef Py_ssize_t i
    cdef size_t slot
    for i in range(start, end):
        hash = hashed_on(hash, scanner.low[i])
        if i >= scanner.at:
            slot = scanner.lexicon.slot(hash)
            if scanner.lexicon.key[slot]:
                found = Longest(i + 1 - scanner.at, 1 + scanner.lexicon.tag[slot])
    return found


cdef void fill_words(TextScanner scanner, Keys* keys) noexcept nogil:
    """Add keys of known words around a boundary; none unless it lies between two letters."""
    cdef Py_ssize_t i = scanner.at, start = scanner.token.start, end = i, k
    cdef Longest longer, after
    cdef uint64_t token, is_known, n, across = 0
    if i == start or not is_letter(scanner.kind[i - 1]):
        return
    while end < scanner.n and end - i < LONGEST_WORD and is_letter(scanner.kind[end]):
        end += 1
    if end == i:
        return
    token, n = known_as(scanner, start, i), min(i - start, LONGEST_WORD)
    is_known = token != 0
    longer, after = longest_word(scanner, start, end), longest_word(scanner, i, end)
    for k in range(max(start + 1, i - 2), i):
        across = max(across, <uint64_t> longest_word(scanner, k, end).n)
    put(keys, token, n, 0, 0)
    put(keys, token, longer.n, 0, 0)
    put(keys, after.tag, after.n, 0, 0)
    put(keys, token, after.tag, 0, 0)
    put(keys, token, after.tag, n, after.n)
    put(keys, longer.n, after.n, is_known, 0)
    put(keys, longer.n, across, after.n, is_known)
    put(keys, across, after.n, is_known, n)
    put(keys, longer.tag, after.tag, is_known, 0)
    put(keys, scanner.low[i - 1], longer.n, after.n, is_known)
    put(keys, scanner.low[i], longer.n, after.n, is_known)
    put(keys, scanner.low[i - 1], scanner.low[i], longer.n, after.n)
    put(keys, scanner.before, scanner.token.hash, 0, 0)
    put(keys, scanner.token.hash, after.tag, after.n, 0)
    put(keys, scanner.before, token, after.tag, 0)
