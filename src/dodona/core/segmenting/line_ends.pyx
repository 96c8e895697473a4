"""Line ends inside paragraphs: does a line end because it is full, or because an item ends?

Prose is wrapped where the next word does not fit: a line, a space and the first word of the next
line are longer than the longest line. Where another word would have fitted, the line ended for a
reason of its own. Three such lines in a row, short and without a final mark, are a list.
"""
from libc.stdint cimport uint8_t

from dodona.core.segmenting.characters cimport (
    CLOSING, LINE_END, QUOTE, SYMBOL, CodePoints, is_space, is_wordlike, line_ends_at)

cdef enum:
    NARROWEST = 30      # characters of a line of wrapped prose
    LONGEST_ITEM = 40   # characters
    MIN_LINES = 3       # of a list
    MAX_LINES = 8       # read ahead
    VIEW = 1024         # characters read ahead
    SLACK_STEP = 8

cdef struct TextLine:
    Py_ssize_t length
    Py_ssize_t first_word   # its length
    uint8_t last_kind
    Py_ssize_t next         # start of the next line of the paragraph, or 0


cdef TextLine read_line(CodePoints text, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    """Read the line that begins at `start`, at a character that is not white space."""
    cdef TextLine line = TextLine(0, 0, 0, 0)
    cdef Py_ssize_t i = start, end = start
    cdef int n_line_ends = 0
    cdef const uint8_t* kind = text.kind.data()
    while i < n and kind[i] != LINE_END:
        if not is_space(kind[i]):
            end = i + 1
        elif not line.first_word:
            line.first_word = i - start
        i += 1
    line.length = end - start
    if not line.first_word:
        line.first_word = line.length
    line.last_kind = kind[end - 1]
    while i < n and is_space(kind[i]):
        n_line_ends += line_ends_at(text.point.data(), kind, i)
        i += 1
    if i < n and n_line_ends == 1:
        line.next = i
    return line


cdef bint is_item(const TextLine* line) noexcept nogil:
    return line.length <= LONGEST_ITEM and (
        is_wordlike(line.last_kind) or line.last_kind == CLOSING or line.last_kind == QUOTE
        or line.last_kind >= SYMBOL)


cdef bint is_item_end(CodePoints text, Py_ssize_t start, Py_ssize_t gap, Py_ssize_t next,
                      Py_ssize_t n, bint in_list) noexcept nogil:
    """Whether the line from start to gap is an item of a list; `next` begins the next line."""
    cdef TextLine line = TextLine(gap - start, 0, text.kind[gap - 1], next), follower
    cdef Py_ssize_t longest = max(NARROWEST, line.length), end = min(n, next + VIEW)
    cdef Py_ssize_t needed = 0      # by the fullest line so far, for another word
    cdef int n_lines = 1, least = 2 if in_list else MIN_LINES
    while is_item(&line) and line.next and line.next < end and n_lines < MAX_LINES:
        follower = read_line(text, line.next, end)
        longest = max(longest, follower.length)
        needed = max(needed, line.length + 1 + follower.first_word)
        if not is_item(&follower) or needed > longest:
            break
        n_lines += 1
        line = follower
    return n_lines >= least


cdef uint64_t line_slack(CodePoints text, Py_ssize_t start, Py_ssize_t gap, Py_ssize_t next,
                         Py_ssize_t n) noexcept nogil:
    """Return by how many characters another word would have fitted, in steps; 0 if not."""
    cdef TextLine line = read_line(text, next, min(n, next + VIEW))
    cdef Py_ssize_t needed = gap - start + 1 + line.first_word
    cdef Py_ssize_t longest = max(NARROWEST, max(gap - start, line.length))
    cdef Py_ssize_t end = min(n, next + VIEW)
    cdef int n_lines = 1
    while line.next and line.next < end and n_lines < MAX_LINES:
        line = read_line(text, line.next, end)
        longest = max(longest, line.length)
        n_lines += 1
    return 0 if needed > longest else 1 + min(longest - needed, 63) // SLACK_STEP
