"""Derivations of the static oracle."""
from dodona.core.transitions.gold cimport GoldC

cdef bint is_partial(const GoldC* gold) noexcept nogil
