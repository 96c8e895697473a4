"""Scores of a state's classes: from the weights of its features, or from a network.

Both are small integers, which searches compare and beams add up. A network has read the words of
the sentence before; of a state it adds up what the words in its slots bring along.
"""
from dodona.core.features.features cimport N_PARTS
from dodona.core.features.slots cimport MAX_SLOTS
from dodona.core.weights.linear cimport MAX_KEYS, padded
from dodona.core.weights.packed cimport ALL_CLASSES

cdef enum:
    MOST_CLASSES = 1 << 13    # of a network


# of the memory for scores: words in front and the top of the stack come again within a sentence,
# pairs of tags in others, and all words together soon or never; with more, it is no longer in the
# cache
LOG_SIZES = 6, 8, 11, 5


cdef class StateScorer:
    """A model without its classes and its search. Threads may share it."""

    def check(self, System system not None):
        """Refuse a system whose states do not have what the model asks for."""
        raise NotImplementedError

    def check_corpus(self, Corpus corpus not None):
        """Refuse a corpus that was not made for this model."""
        raise NotImplementedError

    def new_memo(self, *, bint keeps_words):
        """An empty memory for scores, for one thread, or None if the model has no use for it.

        Searches for which the same words stand on stack and buffer more than once keep sums of
        these, too; a greedy one for trees has no use for them.
        """
        return None

    cdef int prepare(self, Corpus corpus) except -1 nogil:
        """Compute what `score` needs to know of the words of a corpus."""
        return 0

    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, Memo memo) except -1 nogil:
        """Add the score of each class to `scores`, or an outline of them where there is one.

        `keys` is room for what is needed on the way; the number of those that were written. What is
        scored again may be found in a memo of `new_memo`, if one is given, not None.
        """
        return 0

    cdef int score_first(self, const StateC* state, const WordsC* words, uint64_t* keys,
                         int16_t* scores, int n_lanes, Memo memo) except -1 nogil:
        """The same, if only the first numbers are wanted, and so many of them."""
        return self.score(state, words, keys, scores, memo)

    cdef int score_all(self, const StateC* state, const WordsC* words, uint64_t* keys,
                       int16_t* scores) except -1 nogil:
        """Add the score of each class, outline or not."""
        return self.score(state, words, keys, scores, None)

    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil:
        """Add the scores of classes that an outline only has bounds of: blocks from first to
        last - 1."""
        pass


cdef class LinearScorer(StateScorer):
    """Features of the state, and their weights."""

    def __init__(self, Features features not None, Scorer weights not None,
                 *, Outline outline=None):
        if features.n_templates > MAX_KEYS:
            raise ValueError(f"{features.n_templates} templates; at most {MAX_KEYS} can be packed")
        self.features, self.weights = features, weights
        self.n_classes, self.n_keys = weights.n_classes, features.n_templates
        if isinstance(weights, PackedWeights):
            self.packed = weights
        self.outline = outline
        self.n_lanes = ALL_CLASSES if outline is None else outline.n_lanes

    def check(self, System system not None):
        self.features.check(system)

    def check_corpus(self, Corpus corpus not None):
        if corpus.n_columns != len(self.features.columns):
            raise ValueError(
                f"{corpus.n_columns} columns, but features look at {self.features.columns}")

    def new_memo(self, *, bint keeps_words):
        if self.packed is None:
            return None
        return Memo((self.n_lanes or padded(self.n_classes)) * sizeof(int16_t),
                    LOG_SIZES if keeps_words else LOG_SIZES[:-1])

    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, Memo memo) except -1 nogil:
        cdef int ends[N_PARTS]
        cdef int n_keys
        if self.packed is None:
            return self.score_all(state, words, keys, scores)
        n_keys = self.features.fill_parts(state, words, keys, ends)
        self.packed.score_lanes(keys, n_keys, ends, memo, scores, self.n_lanes)
        return n_keys

    cdef int score_first(self, const StateC* state, const WordsC* words, uint64_t* keys,
                         int16_t* scores, int n_lanes, Memo memo) except -1 nogil:
        cdef int ends[N_PARTS]
        cdef int n_keys
        if memo is None:
            return self.score(state, words, keys, scores, memo)
        n_keys = self.features.fill_parts(state, words, keys, ends)
        self.packed.score_known(keys, n_keys, ends, memo, scores, n_lanes)
        return n_keys

    cdef int score_all(self, const StateC* state, const WordsC* words, uint64_t* keys,
                       int16_t* scores) except -1 nogil:
        cdef int n_keys = self.features.fill(state, words, keys)
        self.weights.score(keys, n_keys, scores)
        return n_keys

    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil:
        if self.packed is not None:
            self.packed.score_range(first, last, keys, n_keys, scores)


cdef class NeuralScorer(StateScorer):
    """Slots and atoms of the state, and a network that knows what each of them adds."""

    def __init__(self, Slots slots not None, Network network not None):
        if slots.n_slots != network.n_slots or slots.n_atoms != network.n_atoms:
            raise ValueError(
                f"a network for {network.n_slots} slots and {network.n_atoms} atoms, not for "
                f"{slots.n_slots} and {slots.n_atoms}")
        if network.n_scores > MOST_CLASSES:
            raise ValueError(f"{network.n_classes} classes; a network has at most {MOST_CLASSES}")
        self.slots, self.network = slots, network
        self.n_classes = network.n_classes

    def check(self, System system not None):
        self.slots.check(system)
        sizes = self.slots.sizes(system)
        if list(self.network.n_values) != sizes:
            raise ValueError(f"a network for atoms with {list(self.network.n_values)} values, but "
                             f"there are {sizes}")

    def check_corpus(self, Corpus corpus not None):
        if corpus.packed_size != self.network.packed_size:
            raise ValueError("a corpus whose words this network has not read")

    cdef int prepare(self, Corpus corpus) except -1 nogil:
        """The products of all words with all slots."""
        if corpus.n_products == 0:
            corpus.n_products = <size_t> self.network.n_slots * self.network.hidden
            corpus.products.resize(corpus.head.size() * corpus.n_products)
            self.network.multiply_slots(corpus.packed.data(), <int> corpus.head.size(),
                                        corpus.products.data())
        return 0

    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, Memo memo) except -1 nogil:
        cdef const int16_t* rows[2 * MAX_SLOTS]
        cdef int16_t found[MOST_CLASSES]
        cdef int32_t nodes[MAX_SLOTS]
        cdef int32_t values[MAX_SLOTS]
        cdef int n = self.slots.n_slots, i
        self.slots.read_state(state, nodes, values)
        for i in range(n):
            rows[i] = self.row_of(state, i, nodes[i])
            if rows[i] == NULL:
                rows[i] = words.products + (<size_t> (nodes[i] - 1) * n + i) * self.network.hidden
        for i in range(self.slots.n_atoms):
            rows[n + i] = self.atom_row(i, values[i])
        self.network.score(rows, n + self.slots.n_atoms, found)
        for i in range(self.n_classes):
            scores[i] = <int16_t> (scores[i] + found[i])
        return 0


def scorer_of(what, weights, *, outlined):
    """The scorer of features and their weights, or of slots and their network.

    Of packed weights it gives an outline of the scores: "narrow", "wide", or none, "no".
    """
    if isinstance(weights, Network):
        return NeuralScorer(what, weights)
    outline = None
    if outlined != "no" and isinstance(weights, PackedWeights):
        outline = weights.wide if outlined == "wide" else weights.narrow
    return LinearScorer(what, weights, outline=outline)
