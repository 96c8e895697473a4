"""Greedy search with a network, through many sentences side by side.

What a word adds to a state in some slot is a product of its row with the slot's matrix. Only about
half of them are ever asked for (few words become the second child from the right of anything), but
one at a time they would cost as much as all of them: the matrix comes from memory for a single row.
So each of many lanes goes through a sentence of its own, all of them by one transition a round. In
a round each slot's matrix is multiplied with the words that are new there in any lane, and that of
the classes with all states. A lane whose sentence is done takes the next. 1.22x on text to CoNLL-U,
with the same trees: sums are of integers, or of floats in one order, whatever is beside them.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.features.slots cimport MAX_SLOTS
from dodona.core.transitions.state cimport lay_out, state_size

cdef extern from "state_scores.h" namespace "dodona" nogil:
    void add_scores(const int16_t* a, const int16_t* b, int n, int16_t* to) noexcept

cdef enum:
    N_LANES = 64              # with fewer, rare slots have few words a round


cdef class Lanes(Workspace):
    def __init__(self):
        for lane in range(N_LANES):
            self.idle.push_back(lane)
        self.sentence.resize(N_LANES)
        self.words.resize(N_LANES)
        self.states.resize(N_LANES)
        self.blocks.resize(N_LANES)
        self.places.resize(N_LANES)
        self.products.resize(N_LANES)
        self.n_products.resize(N_LANES)

    cdef int16_t* new_product(self, int lane, size_t place, int hidden) except NULL nogil:
        """Room for a product, which is known by its place from now on."""
        cdef size_t first = <size_t> self.n_products[lane] * hidden
        if self.products[lane].size() < first + hidden:
            self.products[lane].resize(2 * first + 32 * <size_t> hidden)
        self.places[lane][place] = self.n_products[lane]
        self.n_products[lane] += 1
        return self.products[lane].data() + first


cdef class NeuralGreedy(Greedy):
    """A greedy parser of sentences that a network has read. Threads may share it."""

    def __init__(self, *model, **options):
        super().__init__(*model, **options)
        self.network = self.scorer

    cdef Workspace workspace(self):
        return Lanes()

    cdef long parse_all(self, Workspace space, Corpus corpus, int start, int stop) except -1 nogil:
        return self.run(<Lanes> space, corpus, start, stop)

    cdef long run(self, Lanes lanes, Corpus corpus, int start, int stop) except -1 nogil:
        cdef size_t i, n
        lanes.n_transitions = 0
        lanes.keys.resize(self.scorer.n_keys)
        lanes.scores.resize(self.actions.n_padded)
        while True:
            while not lanes.idle.empty() and start < stop:
                self.enter(lanes, corpus, start)
                start += 1
            n = lanes.running.size()
            if n == 0:
                return lanes.n_transitions
            self.score_lanes(lanes, lanes.running.data(), <int> n, lanes.found)
            for i in range(n, 0, -1):            # the last takes the place of one that is done
                if not self.step(lanes, lanes.running[i - 1],
                                 &lanes.found[(i - 1) * self.actions.n_padded]):
                    self.leave(lanes, corpus, lanes.running[i - 1])
                    lanes.running[i - 1] = lanes.running.back()
                    lanes.running.pop_back()

    cdef int enter(self, Lanes lanes, Corpus corpus, int sentence) except -1 nogil:
        """Begin a sentence in an idle lane."""
        cdef int lane = lanes.idle.back(), n_words = corpus.n_words[sentence]
        cdef int max_arcs = self.system.max_arcs(n_words)
        cdef size_t n_units = state_size(n_words, max_arcs) // sizeof(uint64_t)
        if lanes.blocks[lane].size() < n_units:
            lanes.blocks[lane].resize(n_units * 2)
        lay_out(&lanes.states[lane], lanes.blocks[lane].data(), n_words, max_arcs)
        lanes.places[lane].assign(<size_t> n_words * self.network.slots.n_slots, NONE)
        lanes.sentence[lane], lanes.n_products[lane] = sentence, 0
        lanes.words[lane] = corpus.words(sentence)
        self.system.start_state(&lanes.states[lane])
        lanes.idle.pop_back()
        if self.system.final(&lanes.states[lane]):
            return self.leave(lanes, corpus, lane)
        lanes.running.push_back(lane)
        return 0

    cdef int leave(self, Lanes lanes, Corpus corpus, int lane) except -1 nogil:
        """Complete the tree of a lane, write it into the corpus, and free the lane."""
        lanes.leaving = lane
        lanes.state = lanes.states[lane]
        self.complete(lanes, &lanes.words[lane])
        self.finish(lanes, &lanes.words[lane], corpus, lanes.sentence[lane])
        lanes.idle.push_back(lane)
        return 0

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        """As ever, where all products are there; else for the lane whose tree is completed."""
        if words.products != NULL:
            return Greedy.best_class(self, space, words, moves)
        return self.best_alone(<Lanes> space, words, moves)

    cdef int best_alone(self, Lanes lanes, const WordsC* words, int moves) except -2 nogil:
        cdef const int16_t* barriers = self.actions.barriers(&lanes.state, moves)
        lanes.states[lanes.leaving] = lanes.state
        self.score_lanes(lanes, &lanes.leaving, 1, lanes.found_alone)
        add_scores(barriers, lanes.found_alone.data(), self.actions.n_padded, lanes.scores.data())
        return self.best_scored(lanes, words, barriers)

    cdef int score_lanes(self, Lanes lanes, const int* which, int n,
                         vector[int16_t]& found) except -1 nogil:
        """The scores of the states in n lanes."""
        cdef size_t n_slots = self.network.slots.n_slots, n_atoms = self.network.slots.n_atoms
        cdef int i
        lanes.nodes.resize(n * n_slots)
        lanes.values.resize(n * n_atoms + 1)
        for i in range(n):
            self.network.slots.read_state(&lanes.states[which[i]], lanes.nodes.data() + i * n_slots,
                                    lanes.values.data() + i * n_atoms)
        for i in range(<int> n_slots):
            self.multiply(lanes, which, n, i)
        self.add_up(lanes, which, n)
        found.resize(<size_t> n * self.actions.n_padded)
        self.network.network.score_states(lanes.halves.data(), lanes.sums.data(), n, found.data())
        return 0

    cdef int multiply(self, Lanes lanes, const int* which, int n, int slot) except -1 nogil:
        """The products of words that are in this slot of their state for the first time."""
        cdef size_t place, n_slots = self.network.slots.n_slots
        cdef size_t size = self.network.network.packed_size
        cdef int i, lane, node
        lanes.sources.clear()
        lanes.targets.clear()
        for i in range(n):
            lane, node = which[i], lanes.nodes[i * n_slots + slot]
            if not 1 <= node <= lanes.states[lane].n_words:
                continue
            place = <size_t> (node - 1) * n_slots + slot
            if lanes.places[lane][place] == NONE:
                lanes.sources.push_back(lanes.words[lane].packed + (node - 1) * size)
                lanes.targets.push_back(
                    lanes.new_product(lane, place, self.network.network.hidden))
        if lanes.sources.empty():
            return 0
        self.network.network.unpack(lanes.rows, <int> lanes.sources.size(), lanes.sources.data())
        self.network.network.multiply_slot(lanes.rows, slot, lanes.targets.data())
        return 0

    cdef int add_up(self, Lanes lanes, const int* which, int n) except -1 nogil:
        """The hidden units of all states."""
        cdef const int16_t* rows[2 * MAX_SLOTS]
        cdef int n_slots = self.network.slots.n_slots, n_atoms = self.network.slots.n_atoms
        cdef size_t hidden = self.network.network.hidden
        cdef int i, k, lane, node
        lanes.halves.resize(2 * hidden * n)
        lanes.sums.resize(2 * n)
        for i in range(n):
            lane = which[i]
            for k in range(n_slots):
                node = lanes.nodes[<size_t> i * n_slots + k]
                rows[k] = self.network.row_of(&lanes.states[lane], k, node)
                if rows[k] == NULL:
                    rows[k] = lanes.products[lane].data() + hidden * lanes.places[lane][
                        <size_t> (node - 1) * n_slots + k]
            for k in range(n_atoms):
                rows[n_slots + k] = self.network.atom_row(
                    k, lanes.values[<size_t> i * n_atoms + k])
            self.network.network.prepare_state(
                rows, n_slots + n_atoms, lanes.halves.data() + 2 * hidden * i, &lanes.sums[2 * i])
        return 0

    cdef bint step(self, Lanes lanes, int lane, const int16_t* found) except -1 nogil:
        """Take the best transition; whether another follows."""
        cdef StateC* state = &lanes.states[lane]
        cdef const int16_t* barriers = self.actions.barriers(
            state, self.system.valid_moves(state))
        cdef int chosen
        add_scores(barriers, found, self.actions.n_padded, lanes.scores.data())
        lanes.state = state[0]
        chosen = self.best_scored(lanes, &lanes.words[lane], barriers)
        self.note(lanes)
        if chosen != NONE:               # else nothing that is valid here was ever seen
            self.system.take(&lanes.state, self.actions.move[chosen], self.actions.label[chosen])
            lanes.n_transitions += 1
        state[0] = lanes.state
        return chosen != NONE and not self.system.final(state)
