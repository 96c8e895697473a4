"""Greedy search with a network, through many sentences in lock-step.

What a word contributes to a state in some slot is the product of its row with the slot's matrix.
Only about half of these products are ever needed (few words become the second child from the right
of anything), but one at a time they would cost as much as all of them: the matrix comes from memory
for a single row. So each of many lanes holds a sentence, and all of them advance by one transition
a round. In a round each slot's matrix is multiplied with the words that are new there in any lane,
and that of the classes with all states. A lane whose sentence is done takes the next. 1.22x on text
to CoNLL-U, with the same trees: sums are of integers, or of floats in a fixed order.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.base.signals cimport STEPS_PER_CHECK, check_signals
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.slots cimport MAX_SLOTS
from dodona.core.features.words cimport WordsC
from dodona.core.network.arrays cimport Rows
from dodona.core.search.choosing cimport Chooser
from dodona.core.search.completion import TreeCompleter
from dodona.core.search.scoring cimport NeuralScorer
from dodona.core.search.search cimport Search
from dodona.core.search.workspace cimport Workspace
from dodona.core.transitions.state cimport StateC, lay_out, state_size

cdef extern from "state_scores.h" namespace "dodona" nogil:
    void add_scores(const int16_t* a, const int16_t* b, int n, int16_t* to) noexcept

cdef enum:
    N_LANES = 64              # with fewer, rare slots have few words a round
    MOST_PRODUCTS = 1024      # of a lane; they are dropped then, and computed again if needed
    PAGE = 16                 # products: their memory goes from lane to lane
    KEPT_PAGES = 512          # free ones (of 8 kB with 256 hidden units); others are released
    KEPT_WORDS = 48           # memory for longer sentences is released by their lanes


cdef class Lanes(Workspace):
    """Memory of one thread: a sentence, its state and its products for each lane."""
    cdef size_t hidden                  # units: numbers of a product
    cdef long n_transitions
    cdef int current                    # the lane that `state` is of
    cdef vector[int] running            # lanes with a sentence
    cdef vector[int] idle               # lanes without
    cdef vector[int] finished           # lanes whose tree is to be completed
    cdef vector[int] sentence           # from here on per lane
    cdef vector[WordsC] words
    cdef vector[StateC] states
    cdef vector[vector[uint64_t]] blocks        # memory behind the states
    cdef vector[vector[int32_t]] product_of     # per word and slot: a number, or NONE
    cdef vector[vector[vector[int16_t]]] pages  # per lane: memory of its products
    cdef vector[int] n_products         # so far: numbers are given in this order …
    cdef vector[int] first_product      # … and products before this one are dropped
    cdef vector[vector[int16_t]] free_pages
    cdef Rows rows                      # words to be multiplied with one slot …
    cdef vector[const char*] sources    # … their packed rows …
    cdef vector[int16_t*] targets       # … and their products
    cdef vector[int32_t] nodes          # per lane that is scored and slot
    cdef vector[int32_t] values         # per lane that is scored and atom
    cdef vector[int8_t] halves          # per lane that is scored: its hidden units, split
    cdef vector[int32_t] sums           # … and their sums
    cdef vector[int16_t] found          # per lane that is scored and class

    def __init__(self, int n_scores, size_t hidden):
        super().__init__(0, n_scores)
        self.hidden = hidden
        for lane in range(N_LANES):
            self.idle.push_back(lane)
        self.sentence.resize(N_LANES)
        self.words.resize(N_LANES)
        self.states.resize(N_LANES)
        self.blocks.resize(N_LANES)
        self.product_of.resize(N_LANES)
        self.pages.resize(N_LANES)
        self.n_products.resize(N_LANES)
        self.first_product.resize(N_LANES)

    cdef size_t size(self) noexcept nogil:
        cdef size_t n_bytes = Workspace.size(self), n_pages = self.free_pages.size()
        cdef int lane
        for lane in range(N_LANES):
            n_bytes += (self.blocks[lane].size() * sizeof(uint64_t)
                        + self.product_of[lane].size() * sizeof(int32_t))
            n_pages += self.pages[lane].size()
        return n_bytes + n_pages * PAGE * self.hidden * sizeof(int16_t)

    cdef void release(self, int lane) noexcept nogil:
        """Release the memory of a lane."""
        cdef vector[uint64_t] no_block
        cdef vector[int32_t] no_numbers
        self.blocks[lane].swap(no_block)
        self.product_of[lane].swap(no_numbers)

    cdef int drop_products(self, int lane) except -1 nogil:
        """Forget the products of a lane; other lanes get their memory."""
        cdef vector[int16_t] empty
        self.first_product[lane] = self.n_products[lane]
        while not self.pages[lane].empty():
            if self.free_pages.size() < KEPT_PAGES:
                self.free_pages.push_back(empty)
                self.free_pages.back().swap(self.pages[lane].back())
            self.pages[lane].pop_back()
        return 0

    cdef int16_t* new_product(self, int lane, size_t pair) except NULL nogil:
        """Make room for the product of a pair of word and slot."""
        cdef vector[int16_t] page, empty
        cdef int number = self.n_products[lane]
        if (number - self.first_product[lane]) % PAGE == 0:
            if self.free_pages.empty():
                page.resize(PAGE * self.hidden)
            else:
                page.swap(self.free_pages.back())
                self.free_pages.pop_back()
            self.pages[lane].push_back(empty)
            self.pages[lane].back().swap(page)
        self.product_of[lane][pair] = number
        self.n_products[lane] += 1
        return self.product(lane, number)

    cdef inline int16_t* product(self, int lane, int number) noexcept nogil:
        cdef unsigned at = number - self.first_product[lane]
        return self.pages[lane][at // PAGE].data() + (at % PAGE) * self.hidden


cdef class LaneChooser(Chooser):
    """A chooser for states in lanes, whose products are computed when they are needed."""
    cdef NeuralScorer network

    def __init__(self, NeuralScorer scorer not None, *rest):
        super().__init__(scorer, *rest)
        self.network = scorer

    cdef Workspace new_workspace(self):
        return Lanes(self.actions.n_padded, self.network.network.hidden)

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        return self.best_current(<Lanes> space, words, moves)

    cdef int best_current(self, Lanes lanes, const WordsC* words, int moves) except -2 nogil:
        """Return the best class for the workspace's state, which is that of its current lane."""
        lanes.states[lanes.current] = lanes.state
        self.score_lanes(lanes, &lanes.current, 1)
        return self.best_found(lanes, lanes.found.data(), words, moves)

    cdef int best_found(self, Lanes lanes, const int16_t* found, const WordsC* words,
                        int moves) except -2 nogil:
        """Return the best class of the given moves, given the scores of all."""
        cdef const int16_t* masks = self.actions.masks(&lanes.state, moves)
        add_scores(masks, found, self.actions.n_padded, lanes.scores.data())
        return self.best_scored(lanes, words, masks)

    cdef int score_lanes(self, Lanes lanes, const int* which, int n) except -1 nogil:
        """Score the states of n lanes: `found` has a row for each."""
        cdef size_t n_slots = self.network.slots.n_slots, n_atoms = self.network.slots.n_atoms
        cdef int i
        lanes.nodes.resize(n * n_slots)
        lanes.values.resize(n * n_atoms + 1)
        for i in range(n):
            self.network.slots.read_state(
                &lanes.states[which[i]], lanes.nodes.data() + i * n_slots,
                lanes.values.data() + i * n_atoms)
            if lanes.n_products[which[i]] - lanes.first_product[which[i]] >= MOST_PRODUCTS:
                lanes.drop_products(which[i])
        for i in range(<int> n_slots):
            self.multiply(lanes, which, n, i)
        self.add_up(lanes, which, n)
        lanes.found.resize(<size_t> n * self.actions.n_padded)
        self.network.network.score_states(
            lanes.halves.data(), lanes.sums.data(), n, lanes.found.data())
        return 0

    cdef int multiply(self, Lanes lanes, const int* which, int n, int slot) except -1 nogil:
        """Compute the products of words that are in this slot of their state for the first time."""
        cdef size_t pair, n_slots = self.network.slots.n_slots
        cdef size_t size = self.network.network.packed_size
        cdef int i, lane, node
        lanes.sources.clear()
        lanes.targets.clear()
        for i in range(n):
            lane, node = which[i], lanes.nodes[i * n_slots + slot]
            if not 1 <= node <= lanes.states[lane].n_words:
                continue
            pair = <size_t> (node - 1) * n_slots + slot
            if lanes.product_of[lane][pair] < lanes.first_product[lane]:
                lanes.sources.push_back(lanes.words[lane].packed + (node - 1) * size)
                lanes.targets.push_back(lanes.new_product(lane, pair))
        if lanes.sources.empty():
            return 0
        self.network.network.unpack(lanes.rows, <int> lanes.sources.size(), lanes.sources.data())
        self.network.network.multiply_slot(lanes.rows, slot, lanes.targets.data())
        return 0

    cdef int add_up(self, Lanes lanes, const int* which, int n) except -1 nogil:
        """Compute the hidden units of n lanes."""
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
                    rows[k] = lanes.product(
                        lane, lanes.product_of[lane][<size_t> (node - 1) * n_slots + k])
            for k in range(n_atoms):
                rows[n_slots + k] = self.network.atom_row(
                    k, lanes.values[<size_t> i * n_atoms + k])
            self.network.network.prepare_state(
                rows, n_slots + n_atoms, lanes.halves.data() + 2 * hidden * i, &lanes.sums[2 * i])
        return 0


cdef class LockStep(Search):
    """Greedy search for trees through sentences that a network has read, many at a time."""
    cdef LaneChooser lane_chooser

    def __init__(self, scorer, actions, *, one_root=True, root_label=0, constraints=None):
        chooser = LaneChooser(scorer, actions, constraints)
        super().__init__(
            chooser, TreeCompleter(chooser, one_root=one_root, root_label=root_label))
        self.lane_chooser = chooser

    cdef long parse_range(self, Workspace space, Corpus corpus, int start,
                          int stop) except -1 nogil:
        return self.run(<Lanes> space, corpus, start, stop)

    cdef long run(self, Lanes lanes, Corpus corpus, int start, int stop) except -1 nogil:
        cdef size_t i, n, n_scored = 0
        lanes.n_transitions = 0
        while True:
            while not lanes.idle.empty() and start < stop:
                self.enter(lanes, corpus, start)
                start += 1
            n = lanes.running.size()
            if n == 0:
                return lanes.n_transitions
            n_scored += n
            if n_scored >= STEPS_PER_CHECK:
                check_signals()
                n_scored = 0
            self.lane_chooser.score_lanes(lanes, lanes.running.data(), <int> n)
            lanes.finished.clear()
            for i in range(n, 0, -1):            # the last lane takes the place of a finished one
                if not self.step(lanes, lanes.running[i - 1],
                                 &lanes.found[(i - 1) * self.actions.n_padded]):
                    lanes.finished.push_back(lanes.running[i - 1])
                    lanes.running[i - 1] = lanes.running.back()
                    lanes.running.pop_back()
            for i in range(lanes.finished.size()):
                self.leave(lanes, corpus, lanes.finished[i])

    cdef int enter(self, Lanes lanes, Corpus corpus, int sentence) except -1 nogil:
        """Begin a sentence in an idle lane."""
        cdef int lane = lanes.idle.back(), n_words = corpus.n_words[sentence]
        cdef size_t n_units = state_size(n_words) // sizeof(uint64_t)
        if lanes.blocks[lane].size() < n_units:
            lanes.blocks[lane].resize(n_units)
        lay_out(&lanes.states[lane], lanes.blocks[lane].data(), n_words)
        lanes.product_of[lane].clear()
        lanes.product_of[lane].resize(
            <size_t> n_words * self.lane_chooser.network.slots.n_slots, NONE)
        lanes.sentence[lane] = sentence
        lanes.n_products[lane] = lanes.first_product[lane] = 0
        lanes.words[lane] = corpus.words(sentence)
        self.system.start_state(&lanes.states[lane])
        lanes.idle.pop_back()
        if self.system.final(&lanes.states[lane]):
            return self.leave(lanes, corpus, lane)
        lanes.running.push_back(lane)
        return 0

    cdef bint step(self, Lanes lanes, int lane, const int16_t* found) except -1 nogil:
        """Take the best transition in a lane; return whether its state is not final yet."""
        cdef int chosen
        lanes.state = lanes.states[lane]
        chosen = self.lane_chooser.best_found(
            lanes, found, &lanes.words[lane], self.system.valid_moves(&lanes.state))
        self.note_scores(lanes)
        if chosen != NONE:               # else no valid class was seen in training
            self.system.take(&lanes.state, self.actions.move[chosen], self.actions.label[chosen])
            lanes.n_transitions += 1
        lanes.states[lane] = lanes.state
        return chosen != NONE and not self.system.final(&lanes.state)

    cdef int leave(self, Lanes lanes, Corpus corpus, int lane) except -1 nogil:
        """Complete the tree of a lane, write it into the corpus, and free the lane."""
        lanes.current = lane
        lanes.state = lanes.states[lane]
        self.finish(lanes, &lanes.words[lane], corpus, lanes.sentence[lane])
        lanes.drop_products(lane)
        if lanes.words[lane].n_words > KEPT_WORDS:
            lanes.release(lane)
        lanes.idle.push_back(lane)
        return 0
