"""Patterns of characters that mean the same in every language: addresses, dates, numbers.

They are matched where a token begins. The treebank decides whether a match is one token: a pattern
that it never splits, or does not contain, is always one token.

Characters are those of `CodePoints.low`: lower case, with 0 for every digit.
"""
from dodona.core.segmenting.characters cimport (
    DIGIT, LETTER, MARK, PERIOD, UPPER, CodePoints, is_space, is_wordlike)

cdef enum:
    MAX_LOCAL = 64      # characters of an e-mail address before its @
    MAX_NAME = 140      # characters of a hashtag or a mention
    MAX_DIGITS = 32     # of a number

PATTERNS = {
    "address": ADDRESS, "domain": DOMAIN, "mention": MENTION, "hashtag": HASHTAG, "date": DATE,
    "time": TIME, "number": NUMBER, "version": VERSION, "path": PATH, "emoticon": EMOTICON,
    "dotted": DOTTED, "initial": INITIAL,
}
# endings of hosts and files, digits written as 0; few can follow a full stop without a space
cdef const char* ENDINGS = (
    b" com org net edu gov info biz html htm php pdf doc docx xls xlsx ppt pptx txt csv json xml"
    b" yaml yml toml md py js ts css java cpp jpg jpeg png gif svg mp0 zip gz exe dll conllu ipynb"
    b" sh sql log cfg ini io uk de fr eu nl ca au jp ch se ")


cdef PatternMatch recognised(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                             Py_ssize_t end, bint after_space) noexcept nogil:
    """Match any pattern at `start`; `after_space` means that nothing directly precedes it."""
    cdef PatternMatch found
    cdef uint32_t c = low[start]
    cdef Py_ssize_t most = min(end, start + MAX_ATOM)
    if is_plain(low, kind, start, most):
        return PatternMatch(start, NO_PATTERN)
    found = address_at(low, kind, start, end)
    if found.pattern:
        return found
    if kind[start] == DIGIT:
        return numeric(low, kind, start, most)
    if is_wordlike(kind[start]):
        if c == c"v" and start + 1 < end and kind[start + 1] == DIGIT:
            found = numeric(low, kind, start + 1, most)
            if found.pattern == VERSION or found.pattern == NUMBER:
                return PatternMatch(found.end, VERSION)
            found.end = start + 1
            while found.end < most and kind[found.end] == DIGIT:
                found.end += 1
            return ended(kind, start, found.end, most, VERSION)
        return lettered(low, kind, start, most)
    if c == c"@" or c == c"#":
        return tag(low, kind, start, most)
    if after_space and c == c"." and start + 1 < end and kind[start + 1] == DIGIT:
        found.end = start + 1
        while found.end < most and kind[found.end] == DIGIT:
            found.end += 1
        return ended(kind, start, found.end, most, NUMBER)
    if after_space and (c == c"/" or c == c"~" or c == c"."):
        found = path(low, kind, start, most)
    if not found.pattern and after_space:
        found = emoticon(low, kind, start, most)
    return found


cdef inline bint is_plain(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                          Py_ssize_t most) noexcept nogil:
    """Whether a word has letters only: a quick test that spares most words all others."""
    cdef Py_ssize_t i = start
    if not is_wordlike(kind[start]) or kind[start] == DIGIT:
        return False
    while i < most and is_wordlike(kind[i]) and kind[i] != DIGIT:
        i += 1
    return i == most or is_space(kind[i]) or low[i] == c"," or low[i] == c"'"


cdef PatternMatch address_at(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                             Py_ssize_t end) noexcept nogil:
    """Match a URL or an e-mail address."""
    cdef Py_ssize_t found
    if not is_wordlike(kind[start]):
        return PatternMatch(start, NO_PATTERN)
    end = min(end, start + MAX_ATOM)
    found = url(low, kind, start, end)
    if found == start:
        found = email(low, kind, start, end)
    return PatternMatch(found, ADDRESS if found > start else NO_PATTERN)


cdef Py_ssize_t url(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                    Py_ssize_t most) noexcept nogil:
    cdef Py_ssize_t end, i
    if not (low[start] == c"h" or low[start] == c"f" or low[start] == c"w"):
        return start
    i = after(low, start, most, "www.")
    if i == start:
        i = after(low, start, most, "http")
        if i > start and i < most and low[i] == c"s":
            i += 1
        if i == start:
            i = after(low, start, most, "ftp")
        if i == start or after(low, i, most, "://") == i:
            return start
        i += 3
    end = i
    while i < most and not is_space(kind[i]) and not ends_url(low[i]):
        i += 1
        if is_wordlike(kind[i - 1]) or low[i - 1] == c"/":
            end = i             # trailing punctuation is not part of it
    return end if i > start + 4 else start


cdef Py_ssize_t email(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                      Py_ssize_t most) noexcept nogil:
    cdef Py_ssize_t i = start, end = start
    while i < most and i < start + MAX_LOCAL and in_local(low[i], kind[i]):
        i += 1
    if i >= most or low[i] != c"@":
        return start
    i += 1
    while i < most and is_host(low[i], kind[i]):
        i += 1
        if (i < most and low[i] == c"." and i + 1 < most
                and is_host(low[i + 1], kind[i + 1])):
            i += 2
            end = i
        elif end > start:
            end = i
    return end


cdef PatternMatch numeric(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                          Py_ssize_t most) noexcept nogil:
    """Match groups of digits: a date, time, number or version, according to the separators."""
    cdef Py_ssize_t i = start, group = start, date_end
    cdef int n_groups = 1, longest = 0
    cdef uint32_t between = 0, mark
    cdef bint is_mixed = False
    while i < most:
        while i < most and kind[i] == DIGIT:
            i += 1
        longest = max(longest, <int> (i - group))
        if i + 1 >= most or kind[i + 1] != DIGIT or not separates(low[i]):
            break
        mark = low[i]
        if between == 0:
            between = mark
        elif mark != between:
            is_mixed = True
            if not (between == c"," or between == c"." or between == c":"):
                break           # 2024-05-01.5
        n_groups += 1
        i += 1
        group = i
    if n_groups == 1 or longest > MAX_DIGITS:
        return PatternMatch(start, NO_PATTERN)
    if i < most and (kind[i] == DIGIT or is_wordlike(kind[i]) and between != c":"
                     and low[i] != c"t" and between != c"." and between != c","):
        return PatternMatch(start, NO_PATTERN)
    if between == c":":
        return PatternMatch(i, TIME)
    if (between == c"-" or between == c"/" or between == c".") and not is_mixed and n_groups == 3:
        if between != c"." or longest == 4 and group_lengths_date(kind, low, start, i):
            if longest > 4:
                return PatternMatch(start, NO_PATTERN)
            date_end = i
            if i + 1 < most and low[i] == c"t" and kind[i + 1] == DIGIT:
                date_end = clock(low, kind, i + 1, most)
            elif i < most and is_wordlike(kind[i]):
                return PatternMatch(start, NO_PATTERN)
            return PatternMatch(date_end, DATE)
    if between == c"-" or between == c"/":
        return PatternMatch(start, NO_PATTERN)
    if between == c"." and not is_mixed and n_groups > 2:
        return PatternMatch(i, VERSION)
    return PatternMatch(i, NUMBER)


cdef bint group_lengths_date(const uint8_t* kind, const uint32_t* low, Py_ssize_t start,
                             Py_ssize_t end) noexcept nogil:
    """Whether groups of digits have the lengths of a date: 1.5.2024 or 2024.05.01."""
    cdef Py_ssize_t i, group = start
    cdef int n = 0, length
    for i in range(start, end + 1):
        if i == end or low[i] == c".":
            length = <int> (i - group)
            if length > 2 and not (length == 4 and n != 1):
                return False
            n += 1
            group = i + 1
    return n == 3


cdef Py_ssize_t clock(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                      Py_ssize_t most) noexcept nogil:
    """Return the end of the time of day that follows the T of a date."""
    cdef Py_ssize_t i = start, end = start
    while i < most and (kind[i] == DIGIT or low[i] == c":" or low[i] == c"." or low[i] == c"z"
                        or low[i] == c"+" or low[i] == c"-"):
        i += 1
        if kind[i - 1] == DIGIT or low[i - 1] == c"z":
            end = i
    return end


cdef PatternMatch lettered(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                           Py_ssize_t most) noexcept nogil:
    """Match what begins with a letter: U.S, example.com, setup.py, C:\\Temp."""
    cdef Py_ssize_t i = start, part = start, end
    cdef int n_parts = 0, longest = 0
    while i < most:
        while i < most and (is_wordlike(kind[i]) or low[i] == c"_"):
            i += 1
        longest = max(longest, <int> (i - part))
        n_parts += 1
        if n_parts == 1 and i == start + 1 and i + 2 < most and low[i] == c":" and (
                low[i + 1] == c"\\"):
            return path(low, kind, i + 1, most)
        if i + 1 >= most or low[i] != c"." or not is_wordlike(kind[i + 1]):
            break
        i += 1
        part = i
    if n_parts == 1:
        if (i == start + 1 and (kind[start] == UPPER or kind[start] == LETTER)
                and i < most and kind[i] == PERIOD):
            return PatternMatch(i, INITIAL)
        return PatternMatch(start, NO_PATTERN)
    if longest <= 2 and kind[start] != DIGIT:
        return PatternMatch(i, INITIAL if longest == 1 and kind[start] == UPPER else DOTTED)
    if not is_ending(low, part, i):
        return PatternMatch(start, NO_PATTERN)
    end = i
    while i < most and low[i] == c"/":      # the path after a host
        while i < most and not is_space(kind[i]) and not ends_url(low[i]):
            i += 1
            if is_wordlike(kind[i - 1]) or low[i - 1] == c"/":
                end = i
    return PatternMatch(end, DOMAIN)


cdef PatternMatch tag(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                      Py_ssize_t most) noexcept nogil:
    """Match @name or #topic; a letter must come first, unlike in "#3" and "@2.95"."""
    cdef Py_ssize_t i = start + 1
    most = min(most, start + MAX_NAME)
    if i >= most or kind[i] == DIGIT or kind[i] == MARK or not is_wordlike(kind[i]):
        return PatternMatch(start, NO_PATTERN)
    while i < most and (is_wordlike(kind[i]) or low[i] == c"_"):
        i += 1
    return PatternMatch(i, MENTION if low[start] == c"@" else HASHTAG)


cdef PatternMatch path(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                       Py_ssize_t most) noexcept nogil:
    """Match a path: /usr/bin/env, ~/notes.txt, ./run, \\Temp\\x; a lone /name is none."""
    cdef Py_ssize_t i = start, end = start
    cdef int n_names = 0
    cdef bint is_relative = low[start] == c"~" or low[start] == c"."
    cdef uint32_t slash
    while i < most and i < start + 2 and (low[i] == c"~" or low[i] == c"."):
        i += 1
    if i >= most or low[i] != c"/" and low[i] != c"\\":
        return PatternMatch(start, NO_PATTERN)
    slash = low[i]
    while i < most and low[i] == slash:
        i += 1
        end = i
        while i < most and in_local(low[i], kind[i]):
            i += 1
            if is_wordlike(kind[i - 1]):
                end = i
        n_names += is_wordlike(kind[end - 1])
    if n_names + is_relative + (slash == c"\\") < 2:
        return PatternMatch(start, NO_PATTERN)
    return PatternMatch(end, PATH)


cdef PatternMatch emoticon(const uint32_t* low, const uint8_t* kind, Py_ssize_t start,
                           Py_ssize_t most) noexcept nogil:
    """Match eyes, an optional nose and a mouth, which may be repeated: :-) ;) :D :(( <3"""
    cdef Py_ssize_t i = start
    cdef uint32_t mouth
    if low[i] == c">" and i + 1 < most:
        i += 1
    if low[i] == c"<" and i + 1 < most and low[i + 1] == c"0":
        return ended(kind, start, i + 2, most, EMOTICON)
    if not (low[i] == c":" or low[i] == c";" or low[i] == c"="):
        return PatternMatch(start, NO_PATTERN)
    i += 1
    while i < most and i < start + 4 and (low[i] == c"-" or low[i] == c"'" or low[i] == c"^"):
        i += 1
    if i >= most or not is_mouth(low[i]):
        return PatternMatch(start, NO_PATTERN)
    mouth = low[i]
    while i < most and low[i] == mouth:
        i += 1
    return ended(kind, start, i, most, EMOTICON)


cdef inline PatternMatch ended(const uint8_t* kind, Py_ssize_t start, Py_ssize_t i, Py_ssize_t most,
                               uint8_t pattern) noexcept nogil:
    """Return a match from start to i, unless a letter or digit follows."""
    if i < most and is_wordlike(kind[i]):
        return PatternMatch(start, NO_PATTERN)
    return PatternMatch(i, pattern)


cdef inline bint is_mouth(uint32_t c) noexcept nogil:
    return (c == c")" or c == c"(" or c == c"d" or c == c"p" or c == c"o" or c == c"/"
            or c == c"\\" or c == c"|" or c == c"*" or c == c"]" or c == c"[" or c == c"}"
            or c == c"{" or c == c"$" or c == c"@" or c == c"s")


cdef inline bint separates(uint32_t c) noexcept nogil:
    return c == c"." or c == c"," or c == c":" or c == c"-" or c == c"/"


cdef inline bint in_local(uint32_t low, uint8_t kind) noexcept nogil:
    return is_wordlike(kind) or low == c"." or low == c"_" or low == c"-" or low == c"+"


cdef inline bint is_host(uint32_t low, uint8_t kind) noexcept nogil:
    return is_wordlike(kind) or low == c"-" or low == c"_"


cdef inline bint ends_url(uint32_t low) noexcept nogil:
    return low == c"<" or low == c">" or low == c'"'


cdef bint is_ending(const uint32_t* low, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether the characters from start to end are one of ENDINGS."""
    cdef const char* ending = ENDINGS
    cdef Py_ssize_t i
    while ending[0]:
        ending += 1             # skip the space before a word
        i = start
        while i < end and ending[0] and low[i] == <uint32_t> ending[0]:
            ending += 1
            i += 1
        if i == end and ending[0] == c" ":
            return True
        while ending[0] and ending[0] != c" ":
            ending += 1
    return False


cdef Py_ssize_t after(const uint32_t* low, Py_ssize_t start, Py_ssize_t end,
                      const char* wanted) noexcept nogil:
    """Return the end of the wanted characters at `start`, or `start` if they are not there."""
    cdef Py_ssize_t i = start
    while wanted[0]:
        if i >= end or low[i] != <uint32_t> wanted[0]:
            return start
        i += 1
        wanted += 1
    return i


def pattern_at(CodePoints text not None, Py_ssize_t start=0, bint after_space=True):
    """Return the name and the end of the pattern that matches at `start`, or None.

    >>> from array import array
    >>> pattern_at(CodePoints(array("I", map(ord, "2024-05-01."))))
    ('date', 10)
    """
    cdef PatternMatch found
    if not 0 <= start < len(text):
        raise IndexError(f"no character {start} among {len(text)}")
    found = recognised(text.low.data(), text.kind.data(), start, len(text), after_space)
    names = {number: name for name, number in PATTERNS.items()}
    return (names[found.pattern], found.end) if found.pattern else None
