"""Feature keys of a candidate sentence end: grammatical classes, verbs, capitals around it."""
from dodona.core.segmenting.feature_keys cimport Keys
from dodona.core.segmenting.text_scanner cimport TextScanner

cdef void fill_context(TextScanner scanner, Keys* keys) noexcept nogil
