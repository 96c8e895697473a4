"""Character kinds, which generalise over characters that training has not seen.

The tables cover all of Unicode, in pages of 256 that are filled when a text first needs them.
"""
import unicodedata
from _thread import allocate_lock  # `threading` takes longer to import

from libc.stdlib cimport calloc
from libcpp cimport bool as is_true

cdef extern from "first_come.h":
    cdef cppclass FirstCome:
        int resize(size_t n) except +
        is_true is_written(size_t index) noexcept nogil
        void set_written(size_t index) noexcept nogil

cdef enum:
    N_POINTS = 0x110000
    PAGE = 256
    N_PAGES = 0x1100
    REPLACEMENT = 0xfffd

cdef uint8_t* KINDS = <uint8_t*> calloc(N_POINTS, 1)
cdef uint32_t* LOWS = <uint32_t*> calloc(N_POINTS, sizeof(uint32_t))
cdef FirstCome READY      # pages that are filled
READY.resize(N_PAGES)
if KINDS == NULL or LOWS == NULL:
    raise MemoryError
_lock = allocate_lock()

BY_CHARACTER = {
    **dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", LINE_END),
    **dict.fromkeys(".。．｡।", PERIOD),
    **dict.fromkeys(",،、，､;；؛", COMMA),
    **dict.fromkeys("!?…！？؟‽¡¿", TERMINAL),
    **dict.fromkeys(":：", COLON),
    **dict.fromkeys("'’‘ʼ`´", APOSTROPHE),
    **dict.fromkeys("\"“”„«»‹›", QUOTE),
    **dict.fromkeys("/\\|", SLASH),
    **dict.fromkeys("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff", MARK),
}
BY_CATEGORY = {
    "Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Lm": LETTER, "Lo": LETTER, "Nl": LETTER,
    "Nd": DIGIT, "No": DIGIT, "Mn": MARK, "Mc": MARK, "Me": MARK, "Cf": MARK,
    "Pi": QUOTE, "Pf": QUOTE, "Ps": OPENING, "Pe": CLOSING, "Pd": DASH, "Pc": DASH,
    "Po": PUNCTUATION, "Sm": SYMBOL, "Sc": SYMBOL, "Sk": SYMBOL, "So": EMOJI,
}


def kind_of(character):
    """Return the kind of a character, as an integer.

    >>> kind_of("a") == kind_of("z") != kind_of("Z")
    True
    """
    if character in BY_CHARACTER:
        return BY_CHARACTER[character]
    category = unicodedata.category(character)
    if character.isspace():
        return SPACE if category == "Zs" else BLANK
    return BY_CATEGORY.get(category, OTHER)


def _fill(page):
    cdef uint32_t c
    with _lock:
        if READY.is_written(page):      # by another thread meanwhile, and read by others since
            return
        for c in range(page * PAGE, page * PAGE + PAGE):
            character = chr(c)
            KINDS[c] = kind_of(character)
            lower = character.lower()
            LOWS[c] = ord(lower) if len(lower) == 1 else c
            if KINDS[c] == DIGIT:
                LOWS[c] = c"0"
            elif is_space(KINDS[c]):
                LOWS[c] = c" "
        READY.set_written(page)


cdef class CodePoints:
    """A text as integer columns, made from its code points.

    >>> from array import array
    >>> CodePoints(array("I", map(ord, "Oak 12"))).lower()
    'oak 00'
    """

    def __init__(self, const uint32_t[::1] points):
        cdef size_t n = points.shape[0], i
        cdef uint32_t c
        with nogil:
            self.point.resize(n)
            self.low.resize(n)
            self.kind.resize(n)
            for i in range(n):
                c = points[i]
                if 0xd800 <= c < 0xe000:
                    c = REPLACEMENT
                if c >= N_POINTS or not READY.is_written(c // PAGE):
                    with gil:
                        if c >= N_POINTS:
                            raise ValueError(f"{c} is not a Unicode code point")
                        _fill(c // PAGE)
                self.point[i] = c
                self.low[i] = LOWS[c]
                self.kind[i] = KINDS[c]

    def __len__(self):
        return self.point.size()

    def lower(self):
        """Return the normalised text: in lower case, with 0 for every digit."""
        return "".join([chr(self.low[i]) for i in range(self.low.size())])
