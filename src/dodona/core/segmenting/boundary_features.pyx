"""Feature keys of a candidate boundary: characters around it, the current token, words to come.

There are two sets of templates: between two characters, where a token may end, and at white space,
where a token nearly always ends and a sentence may. Both use character kinds beside the characters,
so that unseen characters are judged by similar ones.

With a lexicon two more sets are used: whether the word before a period is an abbreviation, how the
next word is written elsewhere (Kiss & Strunk 2006), the pattern of the token, and line lengths.
A lexicon with tags adds the set of `context_features`, one with strings that of `string_features`.
"""
from libc.stdint cimport uint8_t

from dodona.core.base.hashing cimport hashed_on, seed
from dodona.core.segmenting.characters cimport (
    LINE_END, OUTSIDE, PERIOD, SPACE, is_space, is_wordlike)
from dodona.core.segmenting.context_features cimport fill_context
from dodona.core.segmenting.feature_keys cimport Keys, bucket, put
from dodona.core.segmenting.lexicon_index cimport ABBREVIATION, FOLLOWER, LIKE_CAPITAL
from dodona.core.segmenting.string_features cimport fill_strings, fill_words

cdef enum:
    MAX_WORD = 20             # characters read of a word or chunk to come
    MAX_SPACES = 64           # white space characters read
    FIRST_AT_SPACE = 32       # first template of the second set
    FIRST_KNOWN_WITHIN = 72
    FIRST_KNOWN_AT_SPACE = 84
    FIRST_CONTEXT = 104
    FIRST_BREAK = 140
    FIRST_STRING = 142
    FIRST_WORD = 172
    N_BOUNDARY_TEMPLATES = 187
    NOTHING = 1               # stands for the next word at the end of a paragraph
    MAX_OPENING = 3           # quotes and brackets before a word to come
    MAX_LINE = 120            # characters of the next line that are counted
    LINE_STEP = 8             # line lengths are rounded down to multiples of this
    IS_ABBREVIATION = ABBREVIATION | FOLLOWER

cdef uint64_t BOUNDARY_SEEDS[N_BOUNDARY_TEMPLATES]
for _t in range(N_BOUNDARY_TEMPLATES):
    BOUNDARY_SEEDS[_t] = seed(_t + 1000)     # distinct from the parser's seeds


cdef struct Ahead:            # the next chunk of text
    uint64_t word             # hash of its first word, or of a first character that is not a letter
    uint64_t pattern          # kinds of the first two characters of the word
    uint64_t hash             # of the whole chunk
    uint64_t shape
    uint64_t length


cdef Py_ssize_t read_chunk(TextScanner scanner, Py_ssize_t i, Ahead* ahead) noexcept nogil:
    """Describe the chunk that begins at i; return its end."""
    cdef Py_ssize_t start = i, end = min(scanner.n, i + MAX_WORD)
    cdef uint8_t kind, last = OUTSIDE
    cdef bint in_word = True
    ahead[0] = Ahead(0, 0, 0, 0, 0)
    while i < end:
        kind = scanner.kind[i]
        if is_space(kind):
            break
        ahead.hash = hashed_on(ahead.hash, scanner.low[i])
        if kind != last:
            ahead.shape = hashed_on(ahead.shape, kind)
            last = kind
        in_word = in_word and (i == start or is_wordlike(kind) and is_wordlike(scanner.kind[start]))
        if in_word:
            ahead.word = ahead.hash
            if i < start + 2:
                ahead.pattern = ahead.pattern * 64 + kind
        i += 1
    ahead.length = bucket(i - start)
    return i


cdef void read_next_chunk(TextScanner scanner, Py_ssize_t i, Ahead* ahead) noexcept nogil:
    """Describe the chunk after the white space at i, unless a blank line precedes it."""
    cdef int n_line_ends = 0
    cdef Py_ssize_t most = min(scanner.n, i + MAX_SPACES)
    while i < most and is_space(scanner.kind[i]):
        n_line_ends += scanner.text.point[i] == c"\n"
        i += 1
    if i >= most or n_line_ends > 1:
        ahead[0] = Ahead(NOTHING, NOTHING, NOTHING, NOTHING, 0)
    else:
        read_chunk(scanner, i, ahead)


cdef int fill_boundary(TextScanner scanner, uint64_t* keys) noexcept nogil:
    """Write the keys of the current boundary; return their number."""
    cdef Ahead rest, after
    cdef Keys found = Keys(keys, 0, 0, &BOUNDARY_SEEDS[0])
    cdef Py_ssize_t end = read_chunk(scanner, scanner.at, &rest)
    read_next_chunk(scanner, end, &after)
    if scanner.gap == scanner.at:
        fill_within(scanner, &rest, &after, &found)
        if scanner.lexicon is not None:
            found.template = FIRST_KNOWN_WITHIN
            fill_known_within(scanner, &after, end, &found)
            if scanner.lexicon.has_strings:
                found.template = FIRST_STRING
                fill_strings(scanner, &found)
                found.template = FIRST_WORD
                fill_words(scanner, &found)
    else:
        found.template = FIRST_AT_SPACE
        fill_at_space(scanner, &rest, &after, &found)
        if scanner.lexicon is not None:
            found.template = FIRST_KNOWN_AT_SPACE
            fill_known_at_space(scanner, &rest, &found)
            if scanner.lexicon.has_tags:
                found.template = FIRST_CONTEXT
                scanner.find_word()
                fill_context(scanner, &found)
    return found.n


cdef inline uint64_t low_at(TextScanner scanner, Py_ssize_t i) noexcept nogil:
    """Return the character at i: a space after the text, 0 before the sentence."""
    if i < scanner.sentence_start:
        return 0
    return scanner.low[i] if i < scanner.n else c" "


cdef inline uint64_t kind_at(TextScanner scanner, Py_ssize_t i) noexcept nogil:
    """Return the kind of the character at i; all white space counts as SPACE."""
    if i < scanner.sentence_start:
        return OUTSIDE
    return SPACE if i >= scanner.n or is_space(scanner.kind[i]) else scanner.kind[i]


cdef void fill_within(TextScanner scanner, const Ahead* rest, const Ahead* after,
                      Keys* keys) noexcept nogil:
    cdef Py_ssize_t i = scanner.at
    cdef uint64_t c3 = low_at(scanner, i - 3), c2 = low_at(scanner, i - 2)
    cdef uint64_t c1 = low_at(scanner, i - 1), c = low_at(scanner, i), d1 = low_at(scanner, i + 1)
    cdef uint64_t k3 = kind_at(scanner, i - 3), k2 = kind_at(scanner, i - 2)
    cdef uint64_t k1 = kind_at(scanner, i - 1), k = kind_at(scanner, i)
    cdef uint64_t l1 = kind_at(scanner, i + 1)
    cdef uint64_t l2 = SPACE if l1 == SPACE else kind_at(scanner, i + 2)
    cdef uint64_t d2 = c" " if l1 == SPACE else low_at(scanner, i + 2)
    cdef uint64_t token = scanner.token.hash, kinds = k1 * 64 + k
    put(keys, kinds, 0, 0, 0)
    put(keys, c1, c, 0, 0)
    put(keys, c2, c1, c, 0)
    put(keys, c1, c, d1, 0)
    put(keys, c2, c1, c, d1)
    put(keys, c3, c2, c1, k)
    put(keys, k1, c, d1, d2)
    put(keys, c, k1, 0, 0)
    put(keys, c1, k, 0, 0)
    put(keys, k2, k1, k, l1)
    put(keys, kinds, k3 * 64 + k2, l1 * 64 + l2, 0)
    put(keys, token, 0, 0, 0)
    put(keys, token, c, 0, 0)
    put(keys, token, k, l1, 0)
    put(keys, rest.hash, 0, 0, 0)
    put(keys, rest.hash, c1, 0, 0)
    put(keys, rest.hash, k1, k2, 0)
    put(keys, token, rest.hash, 0, 0)
    put(keys, scanner.token.shape, rest.shape, 0, 0)
    put(keys, scanner.chunk.shape, rest.shape, 0, 0)
    put(keys, scanner.chunk.hash, rest.shape, 0, 0)
    put(keys, bucket(i - scanner.token.start), kinds, l1, 0)
    put(keys, rest.length, kinds, c, 0)
    put(keys, rest.hash, after.pattern, 0, 0)
    put(keys, token, c, after.pattern, 0)
    put(keys, token, c, after.word, 0)
    put(keys, scanner.before, c1, c, 0)
    put(keys, scanner.token.shape, c, after.pattern, 0)
    put(keys, bucket(scanner.n_tokens), kinds, rest.shape, 0)
    put(keys, c1 == c, kinds, l1, 0)


cdef void fill_at_space(TextScanner scanner, const Ahead* rest, const Ahead* after,
                        Keys* keys) noexcept nogil:
    cdef Py_ssize_t i = scanner.gap
    cdef uint64_t c2 = low_at(scanner, i - 2), c1 = low_at(scanner, i - 1)
    cdef uint64_t k2 = kind_at(scanner, i - 2), k1 = kind_at(scanner, i - 1)
    cdef uint64_t k = kind_at(scanner, scanner.at)
    cdef uint64_t token = scanner.token.hash, chunk = scanner.chunk.hash, pattern = rest.pattern
    cdef uint64_t n = bucket(scanner.n_tokens), c = low_at(scanner, scanner.at)
    put(keys, scanner.low[scanner.gap], 0, 0, 0)
    put(keys, k1, k, 0, 0)
    put(keys, k2, k1, pattern, 0)
    put(keys, c1, pattern, 0, 0)
    put(keys, c2, c1, pattern, 0)
    put(keys, c1, c, 0, 0)
    put(keys, token, 0, 0, 0)
    put(keys, token, pattern, 0, 0)
    put(keys, chunk, 0, 0, 0)
    put(keys, chunk, pattern, 0, 0)
    put(keys, scanner.chunk.shape, pattern, 0, 0)
    put(keys, scanner.chunk.shape, rest.shape, 0, 0)
    put(keys, rest.word, k, 0, 0)
    put(keys, rest.word, pattern, c1, 0)
    put(keys, rest.hash, c1, 0, 0)
    put(keys, scanner.before, token, 0, 0)
    put(keys, scanner.before, token, pattern, 0)
    put(keys, scanner.before, c1, pattern, 0)
    put(keys, scanner.before2, scanner.before, token, 0)
    put(keys, pattern, after.pattern, c1, 0)
    put(keys, after.word, c1, k, 0)
    put(keys, n, c1, pattern, 0)
    put(keys, n, k1, rest.word, 0)
    put(keys, token, rest.word, 0, 0)
    put(keys, c1, rest.word, after.word, 0)
    put(keys, bucket(i - scanner.chunk.start), c1, pattern, 0)
    put(keys, scanner.depth, k1, pattern, 0)
    put(keys, rest.length, c1, pattern, 0)
    put(keys, rest.shape, c1, after.pattern, 0)
    put(keys, scanner.token.shape, pattern, after.pattern, n)
    put(keys, n, k1, pattern, rest.length)


cdef uint64_t class_ahead(TextScanner scanner, Py_ssize_t i) noexcept nogil:
    """Return the class of the next word, after white space and opening punctuation."""
    cdef Py_ssize_t end = min(scanner.n, i + MAX_SPACES)
    cdef uint64_t hash = 0
    while i < end and is_space(scanner.kind[i]):
        i += 1
    end = min(scanner.n, i + MAX_OPENING)
    while i < end and not is_wordlike(scanner.kind[i]) and not is_space(scanner.kind[i]):
        i += 1
    end = min(scanner.n, i + MAX_WORD)
    while i < end and is_wordlike(scanner.kind[i]):
        hash = hashed_on(hash, scanner.low[i])
        i += 1
    return scanner.lexicon.of(hash)


cdef void fill_known_within(TextScanner scanner, const Ahead* after, Py_ssize_t end,
                            Keys* keys) noexcept nogil:
    """Add keys from the lexicon inside a chunk that ends at `end`."""
    cdef Py_ssize_t i = scanner.at
    cdef uint64_t k1 = kind_at(scanner, i - 1), k = kind_at(scanner, i), c = low_at(scanner, i)
    cdef uint64_t l1 = kind_at(scanner, i + 1), known, next = 0
    cdef uint64_t where = 0 if i < scanner.pattern_end else 1 + (i > scanner.pattern_end)
    if k == PERIOD:
        next = class_ahead(scanner, end) & LIKE_CAPITAL
    if scanner.pattern:
        put(keys, scanner.pattern, where, 0, 0)
        put(keys, scanner.pattern, where, c, 0)
        put(keys, scanner.pattern, where, k, l1)
        put(keys, scanner.pattern * 4 + where, c, after.pattern, next)
    keys.template = FIRST_KNOWN_WITHIN + 4
    if not scanner.lexicon.has_abbreviations:
        return
    if k == PERIOD:
        known = scanner.lexicon.of(scanner.token.hash)
        put(keys, known & IS_ABBREVIATION, l1, 0, 0)
        put(keys, known & ABBREVIATION, l1, after.pattern, 0)
        put(keys, known & IS_ABBREVIATION, l1, after.pattern, next)
        if scanner.lexicon.has_writings:
            put(keys, known & LIKE_CAPITAL, k1, l1, bucket(i - scanner.token.start))
            put(keys, next, after.pattern, l1, bucket(i - scanner.token.start))
    elif k1 == PERIOD:
        keys.template = FIRST_KNOWN_WITHIN + 9
        known = scanner.lexicon.of(scanner.token.stem)
        put(keys, known & IS_ABBREVIATION, is_wordlike(<uint8_t> k), 0, 0)
        put(keys, known & ABBREVIATION, k, l1, 0)


cdef void fill_known_at_space(TextScanner scanner, const Ahead* rest, Keys* keys) noexcept nogil:
    cdef Py_ssize_t i = scanner.gap
    cdef uint64_t c1 = low_at(scanner, i - 1), k1 = kind_at(scanner, i - 1), pattern = rest.pattern
    cdef uint64_t known = 0, next = LIKE_CAPITAL & (
        scanner.lexicon.of(rest.word) if is_wordlike(scanner.kind[scanner.at])
        else class_ahead(scanner, scanner.at))
    cdef uint64_t is_apart = i - scanner.token.start == 1
    if k1 == PERIOD and scanner.lexicon.has_abbreviations:
        known = scanner.lexicon.of(scanner.before if is_apart else scanner.token.stem)
        put(keys, known & IS_ABBREVIATION, is_apart, pattern, 0)
        put(keys, known & IS_ABBREVIATION, is_apart, pattern, next)
        put(keys, known & ABBREVIATION, pattern, next, bucket(scanner.n_tokens))
        put(keys, known & ABBREVIATION, scanner.pattern, pattern, next)
    keys.template = FIRST_KNOWN_AT_SPACE + 4
    if scanner.lexicon.has_writings:
        put(keys, next, pattern, c1, 0)
        put(keys, next, pattern, k1, rest.shape)
        put(keys, next, pattern, scanner.token.shape, 0)
    keys.template = FIRST_KNOWN_AT_SPACE + 7
    if scanner.pattern:
        put(keys, scanner.pattern, k1, pattern, 0)
    keys.template = FIRST_KNOWN_AT_SPACE + 8
    if scanner.n_line_ends:
        fill_line(scanner, rest, next, k1, keys)


cdef void fill_line(TextScanner scanner, const Ahead* rest, uint64_t next, uint64_t k1,
                    Keys* keys) noexcept nogil:
    """Add keys at a line end, which may end a headline or list item, or wrap a sentence."""
    cdef uint64_t before = min(scanner.gap - scanner.line_start, MAX_LINE) // LINE_STEP
    cdef Py_ssize_t i = scanner.at, end = min(scanner.n, scanner.at + MAX_LINE)
    cdef uint64_t follows, pattern = rest.pattern
    while i < end and scanner.kind[i] != LINE_END:
        i += 1
    follows = (i - scanner.at) // LINE_STEP
    put(keys, k1, pattern, 0, 0)
    put(keys, before, k1, pattern, 0)
    put(keys, before, follows, pattern, 0)
    put(keys, before + rest.length, k1, next, pattern)
    put(keys, rest.word, k1, 0, 0)
    put(keys, follows, k1, pattern, 0)
    if scanner.lexicon.has_tags:
        keys.template = FIRST_BREAK
        put(keys, scanner.slack(), k1, pattern, 0)
        put(keys, scanner.slack(), before, k1, next)
