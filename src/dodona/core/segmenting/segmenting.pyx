"""Finding tokens and sentences with packed weights, from left to right."""
from libc.stdint cimport int16_t, uint64_t

from dodona.core.segmenting.place_features cimport MAX_PLACE_KEYS, fill_place
from dodona.core.segmenting.places cimport BEGINS_SENTENCE, N_LABELS, SAME, SENTENCE, TOKEN
from dodona.core.segmenting.places import check_pairs
from dodona.core.weights.linear cimport BLOCK

MAX_BIAS = 1 << 12      # scores are within four times that


cdef class Segmenting:
    """Segments texts; `certain` is the table that `certain_pairs` makes. Threads may share it.

    `bias` is added to the score of a new sentence: the more, the more of them are found.
    """

    def __init__(self, bytes certain, PackedWeights weights not None, int bias=0,
                 Lexicon lexicon=None):
        if weights.n_classes != N_LABELS:
            raise ValueError(f"weights for {weights.n_classes} labels, but there are {N_LABELS}")
        if not -MAX_BIAS <= bias <= MAX_BIAS:
            raise ValueError(f"the bias is from {-MAX_BIAS} to {MAX_BIAS}, not {bias}")
        check_pairs(certain)
        self.certain, self.weights, self.bias = certain, weights, bias
        self.lexicon = lexicon

    def tokens(self, text, *, bint by_lines=False):
        """(start, end, whether a sentence begins) of each token of these CodePoints."""
        cdef Walk walk = self.walk(text, by_lines)
        with nogil:
            self.run(walk)
        return [(token.start, token.end, bool(token.flags & BEGINS_SENTENCE))
                for token in walk.tokens]

    cdef Walk walk(self, text, bint by_lines):
        return Walk(text, self.certain, by_lines, self.lexicon)

    cdef int run(self, Walk walk) except -1 nogil:
        """Walk through all of the text."""
        cdef uint64_t keys[MAX_PLACE_KEYS]
        cdef int16_t scores[BLOCK]
        cdef int n, best, label
        if not walk.begin(0, <Py_ssize_t> walk.text.kind.size()):
            return 0
        while walk.next_place():
            n = fill_place(walk, keys)
            for label in range(BLOCK):
                scores[label] = 0
            scores[SENTENCE] = <int16_t> self.bias
            self.weights.score(keys, n, scores)
            best = TOKEN
            if scores[SAME] > scores[TOKEN] and walk.may_join():
                best = SAME
            if scores[SENTENCE] > scores[best]:
                best = TOKEN if walk.by_lines else SENTENCE
            walk.take(best)
        walk.finish()
