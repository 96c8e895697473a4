"""Expansion of multiword tokens: French "du" is "de le", English "don't" is "do n't".

A rule rewrites one whole token, or the ending or beginning of any token that has it. Few tokens
match a rule; some of these have a fixed rule, because training has seen them often and always
expanded alike, and for the others a model chooses by the token and its neighbours.
"""
from cython.operator cimport dereference
from libc.string cimport memset
from libcpp.utility cimport pair as entry_of

from dodona.core.base.hashing cimport hashed_on, mixed, multiplier, seed
from dodona.core.segmenting.characters cimport OUTSIDE
from dodona.core.segmenting.text_scanner cimport BEGINS_SENTENCE
from dodona.core.weights.linear cimport padded

SIDES = {"whole": WHOLE, "suffix": SUFFIX, "prefix": PREFIX}

cdef enum:
    N_TOKEN_TEMPLATES = 24
    N_REST_TEMPLATES = 2
    LONGEST = 4               # characters of an affix that is a feature

cdef uint64_t TOKEN_SEEDS[N_TOKEN_TEMPLATES + N_REST_TEMPLATES]
cdef uint64_t FIRST = multiplier(0), SECOND = multiplier(1)
for _t in range(N_TOKEN_TEMPLATES + N_REST_TEMPLATES):
    TOKEN_SEEDS[_t] = seed(_t + 2000)


cdef inline uint64_t address(int side, uint64_t hash) noexcept nogil:
    return mixed(hash + <uint64_t> side * SECOND)


def string_hash(str text, str side="whole"):
    """Return the hash of a token or affix in lower case; suffixes are hashed backwards.

    >>> string_hash("oak", "suffix") == string_hash("kao", "prefix")
    True
    """
    cdef uint64_t hash = 0
    for character in reversed(text) if side == "suffix" else text:
        hash = hashed_on(hash, ord(character))
    return hash


cdef class RuleIndex:
    """Index of the rules that match a token.

    `rules` are pairs of side and affix, numbered from 1. `hashes` (`string_hash`) are tokens with a
    fixed rule, `fixed_rules` the numbers of these, 0 for none. The model chooses among the first
    `n_chosen` rules; a token that matches a later rule always gets that. With `reads_rests`, it
    knows what the lexicon has of a token without the ending or beginning of a rule.
    """

    def __init__(self, rules, const uint64_t[::1] hashes, const unsigned int[::1] fixed_rules,
                 n_chosen=None, *, bint reads_rests=False):
        cdef vector[int] no_rules
        cdef unordered_map[uint64_t, int].iterator known
        cdef Py_ssize_t i
        cdef uint64_t hash
        self.n_rules = len(rules)
        self.n_chosen = self.n_rules if n_chosen is None else n_chosen
        self.reads_rests = reads_rests
        self.affix_of.resize(self.n_rules + 1)
        if not 0 <= self.n_chosen <= self.n_rules:
            raise ValueError(f"n_chosen is {n_chosen}, but there are {self.n_rules} rules")
        for number, (side, affix) in enumerate(rules, start=1):
            kind = SIDES[side]
            if not 0 < len(affix) <= MAX_AFFIX and kind != WHOLE:
                raise ValueError(f"an affix has 1 to {MAX_AFFIX} characters, not {affix!r}")
            hash = address(kind, string_hash(affix, side))
            self.rules.insert(entry_of[uint64_t, vector[int]](hash, no_rules))
            dereference(self.rules.find(hash)).second.push_back(number)
            self.filter[hash % N_FILTER] = True
            self.lengths[kind] |= 1u << min(len(affix), MAX_AFFIX)
            if kind != WHOLE:
                self.affix_of[number] = len(affix) if kind == SUFFIX else -len(affix)
        if hashes.shape[0] != fixed_rules.shape[0]:
            raise ValueError(f"{hashes.shape[0]} tokens, but {fixed_rules.shape[0]} fixed rules")
        for i in range(hashes.shape[0]):
            if fixed_rules[i] > <unsigned int> self.n_rules:
                raise ValueError(f"rule {fixed_rules[i]}, but there are {self.n_rules}")
            known = self.known.insert(entry_of[uint64_t, int](hashes[i], 0)).first
            dereference(known).second = fixed_rules[i]

    cdef int fixed_rule(self, const TokenSpan* token) noexcept nogil:
        """Return the fixed rule of a token, or AMBIGUOUS."""
        cdef unordered_map[uint64_t, int].iterator entry = self.known.find(token.hash)
        return AMBIGUOUS if entry == self.known.end() else dereference(entry).second

    cdef int candidates(self, TextScanner scanner, const TokenSpan* token,
                        vector[int]& found) except -1 nogil:
        """Find the rules that match a token; an affix must be shorter than the token."""
        cdef Py_ssize_t n = token.end - token.start, k
        cdef uint64_t hash = 0
        found.clear()
        if self.lengths[WHOLE]:
            self.find(WHOLE, token.hash, found)
        if self.lengths[SUFFIX]:
            for k in range(1, min(n - 1, MAX_AFFIX) + 1):
                hash = hashed_on(hash, scanner.low[token.end - k])
                if self.lengths[SUFFIX] >> k & 1:
                    self.find(SUFFIX, hash, found)
        hash = 0
        if self.lengths[PREFIX]:
            for k in range(1, min(n - 1, MAX_AFFIX) + 1):
                hash = hashed_on(hash, scanner.low[token.start + k - 1])
                if self.lengths[PREFIX] >> k & 1:
                    self.find(PREFIX, hash, found)

    cdef bint has_whole(self, uint64_t hash) noexcept nogil:
        """Whether a rule exists for exactly this token."""
        cdef uint64_t key = address(WHOLE, hash)
        return self.filter[key % N_FILTER] and self.rules.find(key) != self.rules.end()

    cdef int find(self, int side, uint64_t hash, vector[int]& found) except -1 nogil:
        cdef uint64_t key = address(side, hash)
        cdef unordered_map[uint64_t, vector[int]].iterator entry
        cdef size_t i
        if not self.filter[key % N_FILTER]:
            return 0
        entry = self.rules.find(key)
        if entry != self.rules.end():
            for i in range(dereference(entry).second.size()):
                found.push_back(dereference(entry).second[i])


cdef class TokenExpander:
    """Classifier of tokens by expansion rule; class 0 is ONE_WORD."""

    def __init__(self, RuleIndex index not None, PackedWeights weights not None):
        if weights.n_classes != index.n_chosen + 1:
            raise ValueError(f"weights for {weights.n_classes} classes, but there are "
                             f"{index.n_chosen} rules")
        self.index, self.weights = index, weights

    cdef int run(self, TextScanner scanner, vector[int]& rules) except -1 nogil:
        """Write the rule of each token of the scanner."""
        cdef vector[int] found
        cdef vector[int16_t] scores
        cdef size_t i
        cdef int rule
        rules.clear()
        rules.resize(scanner.tokens.size(), ONE_WORD)
        if self.index.n_rules == 0:
            return 0
        scores.resize(padded(self.weights.n_classes))
        for i in range(scanner.tokens.size()):
            self.index.candidates(scanner, &scanner.tokens[i], found)
            if found.empty():
                continue
            rule = self.index.fixed_rule(&scanner.tokens[i])
            rules[i] = self.choose(scanner, i, found, scores) if rule == AMBIGUOUS else rule

    cdef int choose(self, TextScanner scanner, size_t i, const vector[int]& found,
                    vector[int16_t]& scores) except -1 nogil:
        """Return the best of the matching rules, or ONE_WORD."""
        cdef uint64_t keys[MAX_TOKEN_KEYS]
        cdef int n = fill_token(scanner, i, self.index, found, keys), best = ONE_WORD
        cdef size_t k
        for k in range(found.size()):
            if found[k] > self.index.n_chosen:
                return found[k]
        memset(scores.data(), 0, scores.size() * sizeof(int16_t))
        self.weights.score(keys, n, scores.data())
        for k in range(found.size()):
            if scores[found[k]] > scores[best]:
                best = found[k]
        return best


cdef inline uint64_t affix(TextScanner scanner, const TokenSpan* token, int n) noexcept nogil:
    """Return the hash of the last n (n < 0: first -n) characters; 0 for a shorter token."""
    cdef uint64_t hash = 1
    cdef int k
    if token.end - token.start < (n if n > 0 else -n):
        return 0
    for k in range(n):
        hash = hashed_on(hash, scanner.low[token.end - 1 - k])
    for k in range(-n):
        hash = hashed_on(hash, scanner.low[token.start + k])
    return hash


cdef int fill_token(TextScanner scanner, size_t i, RuleIndex index, const vector[int]& found,
                    uint64_t* keys) noexcept nogil:
    """Write the keys of a token: its characters, and its neighbours in the sentence.

    If the token has a rule of its own, the affix keys are left out: they are the same at every
    occurrence and would outweigh the neighbours.
    """
    cdef const TokenSpan* token = &scanner.tokens[i]
    cdef uint64_t before = 0, after = 0, after_kinds = OUTSIDE, end2 = 0, end3 = 0, start2 = 0
    cdef uint64_t pair[MAX_TOKEN_KEYS][2]
    cdef int n = 0, k
    if not token.flags & BEGINS_SENTENCE:
        before = scanner.tokens[i - 1].hash
        start2 = affix(scanner, &scanner.tokens[i - 1], 2)
    if i + 1 < scanner.tokens.size() and not scanner.tokens[i + 1].flags & BEGINS_SENTENCE:
        after = scanner.tokens[i + 1].hash
        end2 = affix(scanner, &scanner.tokens[i + 1], 2)
        end3 = affix(scanner, &scanner.tokens[i + 1], 3)
        after_kinds = scanner.kind[scanner.tokens[i + 1].start]
    n = put_pair(pair, n, token.hash, 0)
    n = put_pair(pair, n, token.hash, before)
    n = put_pair(pair, n, token.hash, after)
    n = put_pair(pair, n, token.hash, start2)
    n = put_pair(pair, n, token.hash, end2)
    n = put_pair(pair, n, token.hash, end3)
    n = put_pair(pair, n, token.hash, after_kinds)
    n = put_pair(pair, n, token.hash, scanner.kind[token.start])
    if index.has_whole(token.hash):
        return mix_pairs(pair, n, keys)
    for k in range(1, LONGEST + 1):
        n = put_pair(pair, n, affix(scanner, token, k), 0)
        n = put_pair(pair, n, affix(scanner, token, -k), 0)
    n = put_pair(pair, n, 1, 0)
    n = put_pair(pair, n, affix(scanner, token, 2), before)
    n = put_pair(pair, n, affix(scanner, token, 2), after)
    n = put_pair(pair, n, affix(scanner, token, 3), affix(scanner, token, -3))
    n = put_pair(pair, n, affix(scanner, token, 2), scanner.kind[token.start])
    n = put_pair(pair, n, affix(scanner, token, 2), min(token.end - token.start, 8))
    mix_pairs(pair, n, keys)
    return fill_rests(scanner, token, index, found, keys, n) if index.reads_rests else n


cdef int fill_rests(TextScanner scanner, const TokenSpan* token, RuleIndex index,
                    const vector[int]& found, uint64_t* keys, int n) noexcept nogil:
    """Add keys of what a token is without the ending or beginning of each rule that matches it.

    A Hebrew token that begins like a preposition has one if the rest is a noun.
    """
    cdef uint64_t whole, rest
    cdef size_t k
    cdef int length
    if scanner.lexicon is None:
        return n
    whole = known_as(scanner, token.start, token.end)
    for k in range(found.size()):
        if n + N_REST_TEMPLATES > MAX_TOKEN_KEYS:
            break
        length = index.affix_of[found[k]]
        if length == 0:
            continue
        rest = known_as(scanner, token.start + max(-length, 0), token.end - max(length, 0))
        keys[n] = rest_key(0, rest, found[k])
        keys[n + 1] = rest_key(1, rest * 512 + whole, found[k])
        n += N_REST_TEMPLATES
    return n


cdef inline uint64_t rest_key(int template, uint64_t rest, int rule) noexcept nogil:
    return mixed(mixed(TOKEN_SEEDS[N_TOKEN_TEMPLATES + template] + rest * FIRST
                       + <uint64_t> rule * SECOND)) | 1


cdef uint64_t known_as(TextScanner scanner, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return 0 for an unknown word, and for others 1 more than the tag of the lexicon."""
    cdef uint64_t hash = 0
    cdef Py_ssize_t i
    cdef size_t slot
    for i in range(start, end):
        hash = hashed_on(hash, scanner.low[i])
    slot = scanner.lexicon.slot(hash)
    return 1 + scanner.lexicon.tag[slot] if scanner.lexicon.key[slot] else 0


cdef int mix_pairs(uint64_t (*pair)[2], int n, uint64_t* keys) noexcept nogil:
    cdef int k
    for k in range(n):
        keys[k] = mixed(mixed(TOKEN_SEEDS[k] + pair[k][0] * FIRST + pair[k][1] * SECOND)) | 1
    return n


cdef inline int put_pair(uint64_t (*pair)[2], int n, uint64_t a, uint64_t b) noexcept nogil:
    pair[n][0], pair[n][1] = a, b
    return n + 1
