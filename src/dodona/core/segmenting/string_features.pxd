"""Feature keys of a boundary between two letters, where words are written without spaces."""
from dodona.core.segmenting.feature_keys cimport Keys
from dodona.core.segmenting.text_scanner cimport TextScanner

cdef void fill_strings(TextScanner scanner, Keys* keys) noexcept nogil
cdef void fill_words(TextScanner scanner, Keys* keys) noexcept nogil
