"""Simple words of a text: maximal runs of word characters; any other character is its own word.

They are read once, before segmentation, with what the features of sentence ends need of them: their
grammatical classes, and counts of verbs and capitals, from which any window takes its own by two
look-ups. A sentence without a full stop ends where a second clause begins.
"""
from libc.stdint cimport uint32_t

from dodona.core.base.hashing cimport hashed_on
from dodona.core.segmenting.characters cimport (
    COLON, COMMA, DIGIT, LOWER, PERIOD, QUOTE, TERMINAL, UPPER, is_space, is_wordlike,
    line_ends_at)
from dodona.core.segmenting.lexicon_index cimport VERB_TAG, WRITING

cdef enum:
    N_ENDING = 3            # characters of the ending of an unknown word
    FIRST_ENDING = 1 << 16  # tags of endings lie above those of the lexicon

cdef TextWord NO_WORDS      # all counts are 0


cdef int read_words(CodePoints text, LexiconIndex lexicon,
                    vector[TextWord]& words) except -1 nogil:
    """Read the words of a text, and one word more, which stands for its end."""
    cdef Py_ssize_t i = 0, n = <Py_ssize_t> text.kind.size(), start
    cdef const uint8_t* kind = text.kind.data()
    cdef int n_line_ends = 2
    cdef bint is_upper
    cdef TextWord word = NO_WORDS
    words.clear()
    while True:
        while i < n and is_space(kind[i]):
            n_line_ends += line_ends_at(text.point.data(), kind, i)
            i += 1
        word.begins_paragraph = n_line_ends > 1 or i == n
        word.start, word.kind, word.tag = i, 0, 0
        if i == n:
            words.push_back(word)
            break
        start, n_line_ends = i, 0
        word.kind = kind[i]
        i += 1
        is_upper = word.kind == UPPER
        if is_wordlike(word.kind):
            while i < n and is_wordlike(kind[i]):
                is_upper = is_upper and kind[i] != LOWER
                i += 1
        look_up(text.low.data(), start, i, lexicon, &word)
        words.push_back(word)
        word.n_verbs += word.tag & VERB_TAG != 0 and word.tag < FIRST_ENDING
        word.n_capitals += word.kind == UPPER
        word.n_uppers += is_upper and i > start + 1
        word.n_numbers += word.kind == DIGIT
        word.n_commas += word.kind == COMMA
        word.n_colons += word.kind == COLON
        word.n_quotes += word.kind == QUOTE
    find_stops(words)


cdef void look_up(const uint32_t* low, Py_ssize_t start, Py_ssize_t end, LexiconIndex lexicon,
                  TextWord* word) noexcept nogil:
    """Set the tag and the usual case of the word from start to end."""
    cdef uint64_t hash = 0
    cdef Py_ssize_t i
    for i in range(start, end):
        hash = hashed_on(hash, low[i])
    word.hash = hash
    i = lexicon.slot(hash)
    word.tag, word.writing = lexicon.tag[i], lexicon.value[i] & WRITING
    if word.tag == 0:
        hash = 0
        for i in range(max(start, end - N_ENDING), end):
            hash = hashed_on(hash, low[i])
        word.tag = hash | FIRST_ENDING


cdef void find_stops(vector[TextWord]& words) noexcept nogil:
    """Set the indices of the next stop and of the next paragraph."""
    cdef int i = <int> words.size() - 1, stop = i, end = i
    while i >= 0:
        if words[i].kind == PERIOD or words[i].kind == TERMINAL:
            stop = i
        words[i].stop, words[i].end = stop, end
        if words[i].begins_paragraph:
            stop = end = i
        i -= 1


cdef Py_ssize_t word_from(const vector[TextWord]& words, Py_ssize_t at) noexcept nogil:
    """Return the index of the first word that begins at `at` or later."""
    cdef Py_ssize_t low = 0, high = <Py_ssize_t> words.size(), middle
    while low < high:
        middle = (low + high) // 2
        if words[middle].start < at:
            low = middle + 1
        else:
            high = middle
    return low


def simple_words(CodePoints text not None):
    """Return the runs of word characters of a text, in lower case.

    >>> from array import array
    >>> simple_words(CodePoints(array("I", map(ord, "Don't!"))))
    ['don', 't']
    """
    cdef size_t i, start = 0
    found = []
    low = text.lower()
    for i in range(text.kind.size() + 1):
        if i == text.kind.size() or not is_wordlike(text.kind[i]):
            if start < i:
                found.append(low[start:i])
            start = i + 1
    return found
