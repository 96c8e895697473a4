"""Signals during long computations without the interpreter lock."""

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

cdef enum:
    STEPS_PER_CHECK = 1 << 14     # states that are scored between two checks: some 0.1 s


cdef inline int check_signals() except -1 nogil:
    """Raise what a signal's handler raises, as KeyboardInterrupt; only the main thread does."""
    with gil:
        PyErr_CheckSignals()
    return 0
