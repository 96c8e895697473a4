"""Signals of how sure a linear tagger was of each tag: log-odds of its class among all classes."""
from libc.math cimport exp
from libc.stdint cimport int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.odds cimport MOST_ODDS, log_odds
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport N_RESERVED, WordsC
from dodona.core.tagging.tag_task cimport TagTask
from dodona.core.weights.packed cimport PackedWeights

cdef enum:
    UNITS = 256               # a score of 256 is 1 at a temperature of 1


def tag_signals(TagTask task not None, PackedWeights weights not None, Corpus corpus not None,
                double temperature):
    """Return the log-odds of the class of every word of a tagged corpus, a list per sentence.

    A class is judged given the classes of the words before it. A fixed class is certain; a word
    without a known class has 0.
    """
    cdef vector[uint64_t] keys
    cdef vector[int16_t] scores
    cdef WordsC words
    cdef int32_t* own
    cdef int s, i
    if not temperature > 0:
        raise ValueError(f"a temperature is above 0, not {temperature}")
    if corpus.n_columns != task.n_columns or weights.n_classes != task.n_classes:
        raise ValueError("the corpus or the weights are those of another task")
    keys.resize(task.features.n_templates)
    found = []
    for s in range(len(corpus)):
        words, own = corpus.words(s), task.own(corpus, s)
        odds = []
        for i in range(1, words.n_words + 1):
            if own[i] >= N_RESERVED and task.fixed_class(&words, i) == own[i] - N_RESERVED:
                odds.append(<double> MOST_ODDS)
                continue
            task.features.fill_static(&words, i, keys.data())
            task.features.fill_history(&words, i, keys.data() + task.features.n_static)
            scores.clear()
            scores.resize(task.n_padded, 0)
            weights.score(keys.data(), task.features.n_templates, scores.data())
            odds.append(odds_of(scores.data(), task.n_classes, own[i] - N_RESERVED,
                                1 / (UNITS * temperature)))
        found.append(odds)
    return found


cdef double odds_of(const int16_t* scores, int n_classes, int klass, double scale) noexcept nogil:
    """Return the log-odds of a class; 0 if it is none of these."""
    cdef int c, highest = scores[0]
    cdef double rest = 0
    if not 0 <= klass < n_classes:
        return 0
    for c in range(n_classes):
        highest = max(highest, scores[c])
    for c in range(n_classes):
        if c != klass:
            rest += exp((scores[c] - highest) * scale)
    return log_odds(exp((scores[klass] - highest) * scale), rest)
