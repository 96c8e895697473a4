"""Feature keys of a place: the characters around it, the token that runs, the words to come.

Two sets of templates: between two characters, where a token may end, and at white space, where it
nearly always does and a sentence may. Both see the kinds of characters beside the characters, so
that what training has not seen is judged by what looks alike.

Where there is a lexicon, a third and a fourth set see what it tells: whether the word before a
period is an abbreviation, how the word after it is written elsewhere (Kiss & Strunk 2006), which
pattern the token belongs to; and where lines end.
"""
from libc.stdint cimport uint8_t

from dodona.core.base.hashing cimport hashed_on, mixed, multiplier, seed
from dodona.core.segmenting.characters cimport (
    LINE_END, OUTSIDE, PERIOD, SPACE, is_space, is_wordlike)
from dodona.core.segmenting.lexicon cimport ABBREVIATION, FOLLOWER, LIKE_CAPITAL

cdef enum:
    MAX_WORD = 20             # characters of a word or chunk to come that are looked at
    MAX_SPACES = 64           # of white space
    FIRST_AT_SPACE = 32       # number of the first template of the second set
    FIRST_KNOWN_WITHIN = 72
    FIRST_KNOWN_AT_SPACE = 84
    N_PLACE_TEMPLATES = 104
    NOTHING = 1               # in the place of a word where the paragraph ends
    MAX_OPENING = 3           # quotes and brackets before a word to come
    MAX_LINE = 120            # characters of a line to come that are counted
    LINE_STEP = 8             # lines of about the same length are alike
    IS_ABBREVIATION = ABBREVIATION | FOLLOWER

cdef uint64_t PLACE_SEEDS[N_PLACE_TEMPLATES]
cdef uint64_t M1 = multiplier(0), M2 = multiplier(1), M3 = multiplier(2), M4 = multiplier(3)
for _t in range(N_PLACE_TEMPLATES):
    PLACE_SEEDS[_t] = seed(_t + 1000)     # not those of parsers, should they ever share a table


cdef struct Ahead:            # a chunk to come
    uint64_t word             # hash of its first word, or of its first character if that is none
    uint64_t pattern          # kinds of the first two characters of the word
    uint64_t hash             # of all of it
    uint64_t shape
    uint64_t length


cdef struct Keys:
    uint64_t* key
    int n
    int template


cdef inline void put(Keys* keys, uint64_t a, uint64_t b, uint64_t c,
                     uint64_t d) noexcept nogil:
    cdef uint64_t key = PLACE_SEEDS[keys.template] + a * M1 + b * M2 + c * M3 + d * M4
    keys.key[keys.n] = mixed(mixed(key)) | 1
    keys.n += 1
    keys.template += 1


cdef inline uint64_t bucket(Py_ssize_t n) noexcept nogil:
    """1, 2, 3, 4, then coarser."""
    if n < 5:
        return n
    return 5 if n < 8 else 6 if n < 12 else 7 if n < 20 else 8 if n < 40 else 9


cdef Py_ssize_t look(Walk walk, Py_ssize_t i, Ahead* ahead) noexcept nogil:
    """Look at the chunk that begins here; returns where it ends."""
    cdef Py_ssize_t start = i, end = min(walk.n, i + MAX_WORD)
    cdef uint8_t kind, last = OUTSIDE
    cdef bint in_word = True
    ahead[0] = Ahead(0, 0, 0, 0, 0)
    while i < end:
        kind = walk.kind[i]
        if is_space(kind):
            break
        ahead.hash = hashed_on(ahead.hash, walk.low[i])
        if kind != last:
            ahead.shape = hashed_on(ahead.shape, kind)
            last = kind
        in_word = in_word and (i == start or is_wordlike(kind) and is_wordlike(walk.kind[start]))
        if in_word:
            ahead.word = ahead.hash
            if i < start + 2:
                ahead.pattern = ahead.pattern * 64 + kind
        i += 1
    ahead.length = bucket(i - start)
    return i


cdef void look_on(Walk walk, Py_ssize_t i, Ahead* ahead) noexcept nogil:
    """Look at the chunk after the white space here, unless a blank line comes first."""
    cdef int n_line_ends = 0
    cdef Py_ssize_t most = min(walk.n, i + MAX_SPACES)
    while i < most and is_space(walk.kind[i]):
        n_line_ends += walk.text.point[i] == c"\n"
        i += 1
    if i >= most or n_line_ends > 1:
        ahead[0] = Ahead(NOTHING, NOTHING, NOTHING, NOTHING, 0)
    else:
        look(walk, i, ahead)


cdef int fill_place(Walk walk, uint64_t* keys) noexcept nogil:
    """Write the keys of the place where the walk stands; returns how many there are."""
    cdef Ahead rest, after
    cdef Keys found = Keys(keys, 0, 0)
    cdef Py_ssize_t end = look(walk, walk.at, &rest)
    look_on(walk, end, &after)
    if walk.gap == walk.at:
        fill_within(walk, &rest, &after, &found)
        if walk.lexicon is not None:
            found.template = FIRST_KNOWN_WITHIN
            fill_known_within(walk, &after, end, &found)
    else:
        found.template = FIRST_AT_SPACE
        fill_at_space(walk, &rest, &after, &found)
        if walk.lexicon is not None:
            found.template = FIRST_KNOWN_AT_SPACE
            fill_known_at_space(walk, &rest, &found)
    return found.n


cdef inline uint64_t low_at(Walk walk, Py_ssize_t i) noexcept nogil:
    """The character, a space after the text, nothing before the sentence."""
    if i < walk.sentence_start:
        return 0
    return walk.low[i] if i < walk.n else c" "


cdef inline uint64_t kind_at(Walk walk, Py_ssize_t i) noexcept nogil:
    """The kind of the character; all white space is alike."""
    if i < walk.sentence_start:
        return OUTSIDE
    return SPACE if i >= walk.n or is_space(walk.kind[i]) else walk.kind[i]


cdef void fill_within(Walk walk, const Ahead* rest, const Ahead* after,
                      Keys* keys) noexcept nogil:
    cdef Py_ssize_t i = walk.at
    cdef uint64_t c3 = low_at(walk, i - 3), c2 = low_at(walk, i - 2), c1 = low_at(walk, i - 1)
    cdef uint64_t c = low_at(walk, i), d1 = low_at(walk, i + 1)
    cdef uint64_t k3 = kind_at(walk, i - 3), k2 = kind_at(walk, i - 2), k1 = kind_at(walk, i - 1)
    cdef uint64_t k = kind_at(walk, i), l1 = kind_at(walk, i + 1)
    cdef uint64_t l2 = SPACE if l1 == SPACE else kind_at(walk, i + 2)
    cdef uint64_t d2 = c" " if l1 == SPACE else low_at(walk, i + 2)
    cdef uint64_t token = walk.token.hash, kinds = k1 * 64 + k
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
    put(keys, walk.token.shape, rest.shape, 0, 0)
    put(keys, walk.chunk.shape, rest.shape, 0, 0)
    put(keys, walk.chunk.hash, rest.shape, 0, 0)
    put(keys, bucket(i - walk.token.start), kinds, l1, 0)
    put(keys, rest.length, kinds, c, 0)
    put(keys, rest.hash, after.pattern, 0, 0)
    put(keys, token, c, after.pattern, 0)
    put(keys, token, c, after.word, 0)
    put(keys, walk.before, c1, c, 0)
    put(keys, walk.token.shape, c, after.pattern, 0)
    put(keys, bucket(walk.n_tokens), kinds, rest.shape, 0)
    put(keys, c1 == c, kinds, l1, 0)


cdef void fill_at_space(Walk walk, const Ahead* rest, const Ahead* after,
                        Keys* keys) noexcept nogil:
    cdef Py_ssize_t i = walk.gap
    cdef uint64_t c2 = low_at(walk, i - 2), c1 = low_at(walk, i - 1)
    cdef uint64_t k2 = kind_at(walk, i - 2), k1 = kind_at(walk, i - 1), k = kind_at(walk, walk.at)
    cdef uint64_t token = walk.token.hash, chunk = walk.chunk.hash, pattern = rest.pattern
    cdef uint64_t n = bucket(walk.n_tokens), c = low_at(walk, walk.at)
    put(keys, walk.low[walk.gap], 0, 0, 0)
    put(keys, k1, k, 0, 0)
    put(keys, k2, k1, pattern, 0)
    put(keys, c1, pattern, 0, 0)
    put(keys, c2, c1, pattern, 0)
    put(keys, c1, c, 0, 0)
    put(keys, token, 0, 0, 0)
    put(keys, token, pattern, 0, 0)
    put(keys, chunk, 0, 0, 0)
    put(keys, chunk, pattern, 0, 0)
    put(keys, walk.chunk.shape, pattern, 0, 0)
    put(keys, walk.chunk.shape, rest.shape, 0, 0)
    put(keys, rest.word, k, 0, 0)
    put(keys, rest.word, pattern, c1, 0)
    put(keys, rest.hash, c1, 0, 0)
    put(keys, walk.before, token, 0, 0)
    put(keys, walk.before, token, pattern, 0)
    put(keys, walk.before, c1, pattern, 0)
    put(keys, walk.before2, walk.before, token, 0)
    put(keys, pattern, after.pattern, c1, 0)
    put(keys, after.word, c1, k, 0)
    put(keys, n, c1, pattern, 0)
    put(keys, n, k1, rest.word, 0)
    put(keys, token, rest.word, 0, 0)
    put(keys, c1, rest.word, after.word, 0)
    put(keys, bucket(i - walk.chunk.start), c1, pattern, 0)
    put(keys, walk.depth, k1, pattern, 0)
    put(keys, rest.length, c1, pattern, 0)
    put(keys, rest.shape, c1, after.pattern, 0)
    put(keys, walk.token.shape, pattern, after.pattern, n)
    put(keys, n, k1, pattern, rest.length)


cdef uint64_t class_ahead(Walk walk, Py_ssize_t i) noexcept nogil:
    """What the lexicon tells of the first word from here on: behind white space and quotes."""
    cdef Py_ssize_t end = min(walk.n, i + MAX_SPACES)
    cdef uint64_t hash = 0
    while i < end and is_space(walk.kind[i]):
        i += 1
    end = min(walk.n, i + MAX_OPENING)
    while i < end and not is_wordlike(walk.kind[i]) and not is_space(walk.kind[i]):
        i += 1
    end = min(walk.n, i + MAX_WORD)
    while i < end and is_wordlike(walk.kind[i]):
        hash = hashed_on(hash, walk.low[i])
        i += 1
    return walk.lexicon.of(hash)


cdef void fill_known_within(Walk walk, const Ahead* after, Py_ssize_t end,
                            Keys* keys) noexcept nogil:
    """Where `end` is that of the chunk."""
    cdef Py_ssize_t i = walk.at
    cdef uint64_t k1 = kind_at(walk, i - 1), k = kind_at(walk, i), c = low_at(walk, i)
    cdef uint64_t l1 = kind_at(walk, i + 1), known, next = 0
    cdef uint64_t where = 0 if i < walk.pattern_end else 1 + (i > walk.pattern_end)
    if k == PERIOD:
        next = class_ahead(walk, end) & LIKE_CAPITAL
    if walk.pattern:
        put(keys, walk.pattern, where, 0, 0)
        put(keys, walk.pattern, where, c, 0)
        put(keys, walk.pattern, where, k, l1)
        put(keys, walk.pattern * 4 + where, c, after.pattern, next)
    keys.template = FIRST_KNOWN_WITHIN + 4
    if not walk.lexicon.has_abbreviations:
        return
    if k == PERIOD:
        known = walk.lexicon.of(walk.token.hash)
        put(keys, known & IS_ABBREVIATION, l1, 0, 0)
        put(keys, known & ABBREVIATION, l1, after.pattern, 0)
        put(keys, known & IS_ABBREVIATION, l1, after.pattern, next)
        if walk.lexicon.has_writings:
            put(keys, known & LIKE_CAPITAL, k1, l1, bucket(i - walk.token.start))
            put(keys, next, after.pattern, l1, bucket(i - walk.token.start))
    elif k1 == PERIOD:
        keys.template = FIRST_KNOWN_WITHIN + 9
        known = walk.lexicon.of(walk.token.stem)
        put(keys, known & IS_ABBREVIATION, is_wordlike(<uint8_t> k), 0, 0)
        put(keys, known & ABBREVIATION, k, l1, 0)


cdef void fill_known_at_space(Walk walk, const Ahead* rest, Keys* keys) noexcept nogil:
    cdef Py_ssize_t i = walk.gap
    cdef uint64_t c1 = low_at(walk, i - 1), k1 = kind_at(walk, i - 1), pattern = rest.pattern
    cdef uint64_t known = 0, next = LIKE_CAPITAL & (
        walk.lexicon.of(rest.word) if is_wordlike(walk.kind[walk.at])
        else class_ahead(walk, walk.at))
    cdef uint64_t is_apart = i - walk.token.start == 1
    if k1 == PERIOD and walk.lexicon.has_abbreviations:
        known = walk.lexicon.of(walk.before if is_apart else walk.token.stem)
        put(keys, known & IS_ABBREVIATION, is_apart, pattern, 0)
        put(keys, known & IS_ABBREVIATION, is_apart, pattern, next)
        put(keys, known & ABBREVIATION, pattern, next, bucket(walk.n_tokens))
        put(keys, known & ABBREVIATION, walk.pattern, pattern, next)
    keys.template = FIRST_KNOWN_AT_SPACE + 4
    if walk.lexicon.has_writings:
        put(keys, next, pattern, c1, 0)
        put(keys, next, pattern, k1, rest.shape)
        put(keys, next, pattern, walk.token.shape, 0)
    keys.template = FIRST_KNOWN_AT_SPACE + 7
    if walk.pattern:
        put(keys, walk.pattern, k1, pattern, 0)
    keys.template = FIRST_KNOWN_AT_SPACE + 8
    if walk.n_line_ends:
        fill_line(walk, rest, next, k1, keys)


cdef void fill_line(Walk walk, const Ahead* rest, uint64_t next, uint64_t k1,
                    Keys* keys) noexcept nogil:
    """A line ends: a headline or an item of a list is over, or the text is wrapped there."""
    cdef uint64_t before = min(walk.gap - walk.line_start, MAX_LINE) // LINE_STEP
    cdef Py_ssize_t i = walk.at, end = min(walk.n, walk.at + MAX_LINE)
    cdef uint64_t follows, pattern = rest.pattern
    while i < end and walk.kind[i] != LINE_END:
        i += 1
    follows = (i - walk.at) // LINE_STEP
    put(keys, k1, pattern, 0, 0)
    put(keys, before, k1, pattern, 0)
    put(keys, before, follows, pattern, 0)
    put(keys, before + rest.length, k1, next, pattern)
    put(keys, rest.word, k1, 0, 0)
    put(keys, follows, k1, pattern, 0)
