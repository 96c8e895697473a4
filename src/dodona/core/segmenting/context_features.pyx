"""Feature keys of a candidate sentence end at white space, from the words on both sides.

In text without full stops, a sentence ends where grammar says so: after "with you", "take care"
begins another clause. The features read the grammatical classes of the words on both sides, whether
the sentence has a verb and the following words have another, the distance to the next full stop,
and how many words around have capitals, as in headlines.
"""
from libc.stdint cimport uint8_t, uint64_t

from dodona.core.segmenting.characters cimport LOWER
from dodona.core.segmenting.feature_keys cimport bucket, put
from dodona.core.segmenting.text_words cimport TextWord

cdef enum:
    N_NEAR = 5          # words on either side whose capitals are counted
    N_CLAUSE = 8        # words in which a verb is looked for
    N_FAR = 20          # words up to the next full stop that are counted
    N_REST = 40         # words up to the end of the paragraph that are counted
    N_NUMBERS = 4       # words on either side among which numbers are counted
    MAX_AHEAD = 1024    # characters
    MANY = 2            # verbs


cdef inline uint64_t tag_at(const TextWord* word, Py_ssize_t i, Py_ssize_t first,
                            Py_ssize_t end) noexcept nogil:
    """Return the tag of a word between first and end, 0 before, 1 after."""
    return 0 if i < first else 1 if i >= end else word[i].tag


cdef void fill_context(TextScanner scanner, Keys* keys) noexcept nogil:
    cdef const TextWord* word = scanner.words.data()
    cdef Py_ssize_t i = scanner.word, first = scanner.first_word, stop, end
    cdef const TextWord* next = word + i
    cdef uint8_t k1 = scanner.kind[scanner.gap - 1]
    cdef uint64_t a, a2, a3, b, b2, b3, u, verbs, verbs_ahead, ending, n, capitals, uppers, before
    # the paragraph ends there, or what is too far to be read
    end = min(<Py_ssize_t> next.stop, i + N_FAR)
    while end > i and word[end].start > scanner.at + MAX_AHEAD:
        end -= 1
    ending = 1 if end < next.stop else 2 if word[end].begins_paragraph else 0
    a, a2 = tag_at(word, i - 1, first, i), tag_at(word, i - 2, first, i)
    a3 = tag_at(word, i - 3, first, i)
    stop = end + (ending == 0)
    b, b2, b3 = word[i].tag, tag_at(word, i + 1, i, stop), tag_at(word, i + 2, i, stop)
    u = <uint64_t> next.kind
    n = bucket(scanner.n_tokens)
    verbs = min(next.n_verbs - word[first].n_verbs, MANY)
    stop = min(end, i + N_CLAUSE)
    verbs_ahead = min(word[stop].n_verbs - next.n_verbs, MANY)
    before = max(first, i - N_NEAR)
    stop = min(end, i + N_NEAR)
    capitals = (next.n_capitals - word[before].n_capitals) * 8 + (
        word[stop].n_capitals - next.n_capitals)
    uppers = (next.n_uppers - word[before].n_uppers > 1) * 2 + (
        word[stop].n_uppers - next.n_uppers > 1)
    put(keys, a, b, u, b2)
    put(keys, a2, a, b, u)
    put(keys, b, b2, b3, u)
    put(keys, a2, a, k1, u)
    put(keys, scanner.token.hash, b, u, 0)
    put(keys, a, next.hash, u, 0)
    put(keys, a, b, u * 32 + next.writing, word[i - 1].kind if i > first else 0)
    put(keys, verbs, verbs_ahead, k1, u)
    put(keys, verbs * 4 + verbs_ahead, a, b, u)
    put(keys, verbs * 4 + verbs_ahead, ending * 16 + n, u, k1)
    put(keys, ending, bucket(end - i), k1, u)
    put(keys, word[first].kind, u, k1, verbs)
    if k1 == LOWER and next.kind == LOWER and not scanner.n_line_ends:
        return      # two words of a sentence nearly always: the other keys take time for nothing
    put(keys, b, b2, u, k1)
    put(keys, a3, a2, a, u)
    put(keys, a2 * 31 + a, b, b2, u)
    put(keys, n, a, b, u)
    put(keys, capitals, u, k1, 0)
    put(keys, uppers, u, k1, word[stop].n_uppers > next.n_uppers)
    put(keys, verbs, k1, next.writing, u)
    put(keys, capitals >> 3, n, u, k1 * 4 + verbs)
    put(keys, word[first].tag, verbs, u, k1)
    put(keys, word[first].hash, u, k1, 0)
    put(keys, a, next.hash, b2, u)
    put(keys, scanner.token.hash, b, b2, u)
    put(keys, a, k1, u, verbs)
    put(keys, n, ending * 16 + bucket(end - i), verbs * 4 + verbs_ahead, k1 * 32 + u)
    fill_style(scanner, k1, a, keys)


cdef void fill_style(TextScanner scanner, uint8_t k1, uint64_t a, Keys* keys) noexcept nogil:
    """Add keys of the marks and numbers of the sentence, and of the rest of the paragraph."""
    cdef const TextWord* word = scanner.words.data()
    cdef Py_ssize_t i = scanner.word, first = scanner.first_word, rest
    cdef const TextWord* next = word + i
    cdef const TextWord* start = word + first
    cdef uint64_t u = next.kind, numbers, marks, ending, opened
    rest = min(<Py_ssize_t> next.end, i + N_REST)
    while rest > i and word[rest].start > scanner.at + MAX_AHEAD:
        rest -= 1
    ending = 1 if next.stop > rest else 2 if next.stop == next.end else 0
    marks = (next.n_commas > start.n_commas) * 2 + (next.n_colons > start.n_colons)
    numbers = (next.n_numbers - word[max(first, i - N_NUMBERS)].n_numbers) * 8 + (
        word[min(rest, i + N_NUMBERS)].n_numbers - next.n_numbers)
    opened = (next.n_quotes - start.n_quotes) % 2 * 2 + (scanner.depth > 0)
    put(keys, bucket(i - first), marks, k1, u)
    put(keys, numbers, k1, u, 0)
    put(keys, start.hash == next.hash, k1, u, 0)
    put(keys, start.kind * 32 + word[first + 1].kind,
        u * 32 + (word[i + 1].kind if i + 1 < rest else 0), k1, 0)
    put(keys, ending, bucket(rest - i), k1, u)
    put(keys, ending, start.kind, k1, u)
    put(keys, opened, k1, u, 0)
    put(keys, opened, a, u, 0)
    put(keys, bucket(rest - i), next.writing, k1, u)
    put(keys, start.tag, next.tag, k1, u)
