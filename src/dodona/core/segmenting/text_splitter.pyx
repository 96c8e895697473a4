"""Search for tokens and sentences with packed weights, greedily from left to right."""
from libc.stdint cimport int16_t, uint64_t

from dodona.core.segmenting.boundary_features cimport MAX_BOUNDARY_KEYS, fill_boundary
from dodona.core.segmenting.text_scanner cimport BEGINS_SENTENCE, N_LABELS, SAME, SENTENCE, TOKEN
from dodona.core.segmenting.text_scanner import check_pair_table
from dodona.core.weights.linear cimport BLOCK

cdef enum:
    MAX_SUMMED = 32         # keys whose weights, up to 127 * 8 each, sum to less than 2 ** 15

MAX_BIAS = 1 << 12      # scores are within four times that


cdef class TextSplitter:
    """Splits texts into tokens and sentences; thread-safe. `make_pair_table` makes `pair_table`.

    `bias` is added to the score of SENTENCE: a higher bias finds more sentences.
    """

    def __init__(self, bytes pair_table, PackedWeights weights not None, int bias=0,
                 LexiconIndex lexicon=None):
        if weights.n_classes != N_LABELS:
            raise ValueError(f"weights for {weights.n_classes} labels, but there are {N_LABELS}")
        if not -MAX_BIAS <= bias <= MAX_BIAS:
            raise ValueError(f"bias must be from {-MAX_BIAS} to {MAX_BIAS}, not {bias}")
        check_pair_table(pair_table)
        self.pair_table, self.weights = pair_table, weights
        self.bias, self.lexicon = bias, lexicon

    def tokens(self, text, *, bint by_lines=False):
        """Return (start, end, whether a sentence begins) for each token of CodePoints."""
        cdef TextScanner scanner = self.scanner(text, by_lines)
        with nogil:
            self.run(scanner)
        return [(token.start, token.end, bool(token.flags & BEGINS_SENTENCE))
                for token in scanner.tokens]

    cdef TextScanner scanner(self, text, bint by_lines, bytes forbidden=None):
        return TextScanner(text, self.pair_table, by_lines, self.lexicon, forbidden)

    cdef int run(self, TextScanner scanner) except -1 nogil:
        """Find the tokens of the scanner's text, up to the first sentence from `stop` on."""
        cdef uint64_t keys[MAX_BOUNDARY_KEYS]
        cdef int scores[N_LABELS]
        cdef int n, best
        if not scanner.begin(0, <Py_ssize_t> scanner.text.kind.size()):
            return 0
        while scanner.next_boundary():
            n = fill_boundary(scanner, keys)
            scores[SAME], scores[TOKEN], scores[SENTENCE] = 0, 0, self.bias
            self.add_scores(keys, n, n if scanner.words.empty() else MAX_SUMMED, scores)
            best = TOKEN
            if scores[SAME] > scores[TOKEN] and scanner.may_join():
                best = SAME
            if scores[SENTENCE] > scores[best] and scanner.may_end():
                best = TOKEN if scanner.by_lines else SENTENCE
            scanner.take(best)
            if best == SENTENCE and scanner.at >= scanner.stop:
                break
        scanner.finish()

    cdef int add_scores(self, const uint64_t* keys, int n, int most, int* scores) except -1 nogil:
        """Add the weights of the keys, of at most `most` together: more may exceed 16 bits."""
        cdef int16_t sums[BLOCK]
        cdef int first = 0, label
        while first < n:
            for label in range(BLOCK):
                sums[label] = 0
            self.weights.score(keys + first, min(most, n - first), sums)
            for label in range(N_LABELS):
                scores[label] += sums[label]
            first += most
        return 0
