"""Scores of a state's classes: from the weights of its features, or from a network.

Both are small integers, which searches compare and beams add up. A network has read the words of
the sentence before; for a state it adds up the contributions of the words in its slots.
"""
from libc.string cimport memcpy

from dodona.core.features.features cimport N_SECTIONS
from dodona.core.features.slots cimport MAX_SLOTS
from dodona.core.weights.linear cimport MAX_KEYS
from dodona.core.weights.packed cimport ALL_CLASSES

cdef enum:
    MOST_CLASSES = 1 << 13    # of a network


# Logarithms of the sizes of score caches, by section of the keys: words in front and the top of the
# stack recur within a sentence, pairs of tags in others, all words together soon or never. Larger
# ones fall out of the processor's cache.
LOG_SIZES = 6, 8, 11, 5


cdef class StateScorer:
    """A model without its classes and its search. Threads may share it."""

    def __cinit__(self):
        self.tree_head = NONE

    def check(self, System system not None):
        """Refuse a system whose states lack what the model reads."""
        raise NotImplementedError

    def check_corpus(self, Corpus corpus not None):
        """Refuse a corpus that was not encoded for this model."""
        raise NotImplementedError

    def new_cache(self, int n_numbers, *, bint keeps_words):
        """Return an empty cache for rows of `n_numbers` scores, or None if the model needs none.

        `keeps_words`: for searches in which the same words stand on stack and buffer more than
        once, as in beams and graphs; greedy search for trees has no use for their sums.
        """
        return None

    cdef int prepare(self, Corpus corpus, int sentence) except -1 nogil:
        """Compute what scoring needs about the words of a sentence."""
        return 0

    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, ScoreCache cache) except -1 nogil:
        """Add the score of each class to `scores`; `cache` may be None. `keys` is scratch."""
        return 0

    cdef int score_sketch(self, const StateC* state, const WordsC* words, uint64_t* keys,
                          int16_t* lanes, ScoreCache cache) except -1 nogil:
        """Add the narrow sketch of the scores to `lanes`; return how many keys were written."""
        return 0

    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil:
        """Add the scores of the classes first … last - 1, whole blocks, given the keys."""
        pass

    cdef int score_hypothesis(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                              Actions actions, const WordsC* words) except -1 nogil:
        """Write the row of a hypothesis of the workspace's agenda, and its mask."""
        return 0


cdef class LinearScorer(StateScorer):
    """Features of the state, and their weights."""

    def __init__(self, Features features not None, FeatureScorer weights not None):
        if features.n_templates > MAX_KEYS:
            raise ValueError(f"{features.n_templates} templates; at most {MAX_KEYS} can be packed")
        self.features, self.weights = features, weights
        self.n_classes, self.n_keys = weights.n_classes, features.n_templates
        self.tree_head = features.tree_head
        if isinstance(weights, PackedWeights):
            self.packed, self.adds_up = weights, True
            self.narrow, self.wide = weights.narrow, weights.wide

    def check(self, System system not None):
        self.features.check(system)

    def check_corpus(self, Corpus corpus not None):
        if corpus.n_columns != len(self.features.columns):
            raise ValueError(
                f"{corpus.n_columns} columns, but features look at {self.features.columns}")

    def new_cache(self, int n_numbers, *, bint keeps_words):
        if self.packed is None:
            return None
        return ScoreCache(n_numbers * sizeof(int16_t),
                          LOG_SIZES if keeps_words else LOG_SIZES[:-1])

    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, ScoreCache cache) except -1 nogil:
        cdef int ends[N_SECTIONS]
        cdef int n_keys
        if cache is None:
            n_keys = self.features.fill(state, words, keys)
            return self.weights.score(keys, n_keys, scores)
        n_keys = self.features.fill_sections(state, words, keys, ends)
        self.packed.score_lanes(keys, n_keys, ends, cache, scores, ALL_CLASSES)
        return 0

    cdef int score_sketch(self, const StateC* state, const WordsC* words, uint64_t* keys,
                          int16_t* lanes, ScoreCache cache) except -1 nogil:
        cdef int ends[N_SECTIONS]
        cdef int n_keys = self.features.fill_sections(state, words, keys, ends)
        self.packed.score_lanes(keys, n_keys, ends, cache, lanes, self.narrow.n_lanes)
        return n_keys

    cdef void score_range(self, int first, int last, const uint64_t* keys, int n_keys,
                          int16_t* scores) noexcept nogil:
        self.packed.score_range(first, last, keys, n_keys, scores)

    cdef int score_hypothesis(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                              Actions actions, const WordsC* words) except -1 nogil:
        """Score a hypothesis unless it duplicates another, or has a signature of earlier steps."""
        cdef int16_t* row
        cdef int16_t* cached
        cdef bint is_known
        cdef bint has_sketch = space.sketch is not None
        cdef size_t n_bytes = space.row_size * sizeof(int16_t)
        agenda.describe(hypothesis, self.features, actions, words)
        if agenda.duplicate_of[hypothesis] != NONE:
            return 0
        row = space.row(hypothesis)
        cached = <int16_t*> space.by_signature.entry_at(
            0, agenda.signatures[hypothesis] | 1, &is_known)
        if is_known:
            memcpy(row, cached, n_bytes)
            return 0
        memcpy(row, agenda.masks[hypothesis] + (actions.n_padded if has_sketch else 0), n_bytes)
        self.packed.score_lanes(
            &agenda.keys[<size_t> hypothesis * agenda.n_templates], agenda.n_keys[hypothesis],
            &agenda.ends[hypothesis * N_SECTIONS], space.sums, row,
            space.row_size if has_sketch else ALL_CLASSES)
        memcpy(cached, row, n_bytes)
        return 0


cdef class NeuralScorer(StateScorer):
    """Slots and atoms of the state, and a network with a row of numbers for each of them."""

    def __init__(self, Slots slots not None, Network network not None):
        if slots.n_slots != network.n_slots or slots.n_atoms != network.n_atoms:
            raise ValueError(
                f"a network for {network.n_slots} slots and {network.n_atoms} atoms, not for "
                f"{slots.n_slots} and {slots.n_atoms}")
        if network.n_scores > MOST_CLASSES:
            raise ValueError(f"{network.n_classes} classes; a network has at most {MOST_CLASSES}")
        self.slots, self.network, self.logs = slots, network, LogScores()
        self.n_classes = network.n_classes
        self.adds_up = self.is_batched = True

    def check(self, System system not None):
        self.slots.check(system)
        sizes = self.slots.sizes(system)
        if list(self.network.n_values) != sizes:
            raise ValueError(f"a network for atoms with {list(self.network.n_values)} values, but "
                             f"there are {sizes}")

    def check_corpus(self, Corpus corpus not None):
        if corpus.packed_size != self.network.packed_size:
            raise ValueError("a corpus whose words this network has not read")

    cdef int prepare(self, Corpus corpus, int sentence) except -1 nogil:
        """Multiply all words of a sentence with all slots."""
        cdef int n_words = corpus.n_words[sentence]
        if corpus.with_products != sentence:
            corpus.with_products = NONE
            corpus.products.resize(
                <size_t> n_words * self.network.n_slots * self.network.hidden)
            self.network.multiply_slots(corpus.words(sentence).packed, n_words,
                                        corpus.products.data())
            corpus.with_products = sentence
        return 0

    cdef int score(self, const StateC* state, const WordsC* words, uint64_t* keys,
                   int16_t* scores, ScoreCache cache) except -1 nogil:
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

    cdef int score_hypothesis(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                              Actions actions, const WordsC* words) except -1 nogil:
        """Score a hypothesis by logarithms of probabilities."""
        cdef StateC* state = agenda.state(hypothesis)
        cdef const int16_t* masks = actions.masks(state, actions.system.valid_moves(state))
        agenda.masks[hypothesis] = masks
        memcpy(space.row(hypothesis), masks, actions.n_padded * sizeof(int16_t))
        self.score(state, words, NULL, space.row(hypothesis), None)
        self.logs.normalise(space.row(hypothesis), masks, self.n_classes)
        return 0
