"""Line ends inside paragraphs: lists with an item in each line, and wrapped prose."""
from libc.stdint cimport uint64_t

from dodona.core.segmenting.characters cimport CodePoints

cdef bint is_item_end(CodePoints text, Py_ssize_t start, Py_ssize_t gap, Py_ssize_t next,
                      Py_ssize_t n, bint in_list) noexcept nogil
cdef uint64_t line_slack(CodePoints text, Py_ssize_t start, Py_ssize_t gap, Py_ssize_t next,
                         Py_ssize_t n) noexcept nogil
