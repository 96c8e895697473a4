"""Log-odds of a choice among scored classes."""
from libc.math cimport exp, log

cdef enum:
    MOST_ODDS = 20            # log-odds are cut off here: e^-20 is beyond any calibration


cdef inline double log_odds(double share, double rest) noexcept nogil:
    """Return the logarithm of the odds of a share against the rest, within MOST_ODDS."""
    if share <= rest * exp(-MOST_ODDS):
        return -MOST_ODDS
    if rest <= share * exp(-MOST_ODDS):
        return MOST_ODDS
    return log(share / rest)
