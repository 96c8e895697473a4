"""Finding tokens and sentences with packed weights, from left to right."""
from libc.stdint cimport int16_t, uint64_t

from .place_features cimport MAX_PLACE_KEYS, fill_place
from .places cimport BEGINS_SENTENCE, N_LABELS, SAME, SENTENCE, TOKEN
from .places import check_pairs


cdef class Segmenting:
    """Segments texts; `certain` is the table that `certain_pairs` makes. Threads may share it."""

    def __init__(self, bytes certain, PackedWeights weights not None):
        if weights.n_classes != N_LABELS:
            raise ValueError(f"weights for {weights.n_classes} labels, but there are {N_LABELS}")
        check_pairs(certain)
        self.certain, self.weights = certain, weights

    def tokens(self, text, *, bint by_lines=False):
        """(start, end, whether a sentence begins) of each token of these CodePoints."""
        cdef Walk walk = self.walk(text, by_lines)
        with nogil:
            self.run(walk)
        return [(token.start, token.end, bool(token.flags & BEGINS_SENTENCE))
                for token in walk.tokens]

    cdef Walk walk(self, text, bint by_lines):
        return Walk(text, self.certain, by_lines)

    cdef void run(self, Walk walk) noexcept nogil:
        """Walk through all of the text."""
        cdef uint64_t keys[MAX_PLACE_KEYS]
        cdef int16_t scores[8]
        cdef int n, best, label
        if not walk.begin(0, <Py_ssize_t> walk.text.kind.size()):
            return
        while walk.next_place():
            n = fill_place(walk, keys)
            for label in range(8):
                scores[label] = 0
            self.weights.score(keys, n, scores)
            best = TOKEN
            if scores[SAME] > scores[TOKEN] and walk.may_join():
                best = SAME
            if scores[SENTENCE] > scores[best]:
                best = TOKEN if walk.by_lines else SENTENCE
            walk.take(best)
        walk.finish()
