"""Rollouts of a network in training: the states of a batch of sentences that it leads to.

The network learns from many states at once, but which states it meets depends on its scores. So the
words of a batch are encoded first; then a rollout follows each sentence by the network's current
scores, with the oracles and modes of linear training (`oracle_guide`), and each state is recorded:
the words in its slots, its atoms, and the oracle's verdict on every class. From these the network
then learns in one step.

Where sentences have several possible trees, as from several teachers, the first of them guides the
rollout, and the oracle judges each state by all of them.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t

from dodona.core.base.hashing cimport mixed
from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.slots cimport MAX_SLOTS
from dodona.core.search.actions cimport Actions
from dodona.core.learning.oracle_guide cimport FORBIDDEN, STATIC

cdef extern from "rollout_step.h" namespace "dodona" nogil:
    void add_up(float* units, const float* bias, const float* const* rows, int n_rows,
                int n_units) noexcept
    void classify(float* scores, const float* units, const float* weights, const float* bias,
                  int n_units, int n_classes) noexcept

# the oracle's verdicts on a class in a state
cdef enum:
    IS_BANNED, IS_ALLOWED, IS_OPTIMAL

BANNED = IS_BANNED
ALLOWED = IS_ALLOWED
OPTIMAL = IS_OPTIMAL

# with other trees a verdict is a set of bits: allowed, optimal by the first tree, by the second, …
cdef enum:
    ALLOWED_BIT = 1
    MOST_TREES = 7
ALLOWED_FLAG = ALLOWED_BIT
MAX_TREES = MOST_TREES

# the first rows of a batch stand for no node and for the root; the words follow
cdef enum:
    MISSING_ROW, ROOT_ROW, N_SPECIAL
N_SPECIAL_ROWS = N_SPECIAL


cdef inline const float* first_of(const float[::1] numbers) noexcept nogil:
    return &numbers[0] if numbers.shape[0] else NULL


cdef bint same_sizes(Corpus one, Corpus other) noexcept:
    """Return whether two corpora have sentences of the same lengths."""
    return one.n_words == other.n_words


cdef class RolloutRecorder(OracleGuide):
    """Records the states of rollouts through sentences of a corpus. Each thread needs its own.

    Random choices depend on the seed, the epoch and the sentence alone: a rollout is the same
    whatever else is in the batch, and with any number of threads.
    """

    def __init__(self, Corpus corpus, Actions actions, Slots slots, others=(), **options):
        super().__init__(corpus, actions, **options)
        slots.check(self.system)
        self.slots, self.others = slots, tuple(others)
        if len(self.others) >= MOST_TREES or (self.others and self.mode == STATIC):
            raise ValueError(f"up to {MOST_TREES} trees, and not for static training")
        for other in self.others:
            if not same_sizes(corpus, other):
                raise ValueError("the corpora of other trees must have the same sentences")
        self.other_golds.resize(len(self.others))
        self.other_blocks.resize(len(self.others))
        at = 0
        for size in slots.sizes(self.system):
            self.first_atom.push_back(at)
            at += size
        self.nodes.resize(slots.n_slots)
        self.values.resize(slots.n_atoms)

    @property
    def n_atom_rows(self):
        """The number of values of all atoms together."""
        return sum(self.slots.sizes(self.system))

    def roll_out(self, sentences, first_rows, const float[::1] products, const float[::1] atoms,
                 const float[::1] bias, const float[::1] weights, const float[::1] class_bias,
                 uint64_t salt, bint exploring):
        """Return the states of rollouts through some sentences: (rows, atom rows, verdicts).

        `first_rows` has the row of each sentence's first word; `products` has for each row and slot
        the contribution of its word to the hidden units, a multiple of four; `salt` changes with
        seed and epoch. The results are bytes: per state an int32 for each slot, an int32 for each
        atom, and a byte for each class (BANNED, ALLOWED or OPTIMAL; with other trees bits, see
        above).
        """
        cdef Step32 step
        cdef int sentence, n_words
        cdef int32_t first_row
        cdef Py_ssize_t n_rows, stride
        step.hidden = <int> bias.shape[0]
        stride = <Py_ssize_t> self.slots.n_slots * step.hidden
        n_rows = products.shape[0] // stride if stride else 0
        if (atoms.shape[0] != <Py_ssize_t> self.n_atom_rows * step.hidden
                or weights.shape[0] != <Py_ssize_t> step.hidden * self.actions.n_padded
                or class_bias.shape[0] != self.actions.n_padded
                or products.shape[0] != n_rows * stride or step.hidden % 4):
            raise ValueError("the arrays of a network do not fit together")
        step.products, step.atoms, step.bias = first_of(products), first_of(atoms), first_of(bias)
        step.weights, step.class_bias = first_of(weights), first_of(class_bias)
        self.units.resize(step.hidden)
        self.rows.clear()
        self.atom_rows.clear()
        self.verdicts.clear()
        for sentence, first_row in zip(sentences, first_rows, strict=True):
            if not 0 <= sentence < <int> self.corpus.n_words.size():
                raise IndexError(f"no sentence {sentence}")
            n_words = self.corpus.n_words[sentence]
            if not N_SPECIAL <= first_row <= n_rows - n_words:
                raise IndexError(f"no row {first_row} for {n_words} words among {n_rows} rows")
            self.random = mixed(salt ^ mixed(<uint64_t> sentence + 1))
            self.set_others(sentence)
            with nogil:
                self.roll_out_sentence(sentence, first_row, &step, exploring)
        return (PyBytes_FromStringAndSize(<char*> self.rows.data(), self.rows.size() * 4),
                PyBytes_FromStringAndSize(<char*> self.atom_rows.data(),
                                          self.atom_rows.size() * 4),
                PyBytes_FromStringAndSize(<char*> self.verdicts.data(), self.verdicts.size()))

    cdef int roll_out_sentence(self, int sentence, int32_t first_row, const Step32* step,
                               bint exploring) except -1 nogil:
        cdef int predicted
        self.begin(sentence)
        while not self.system.final(&self.state):
            self.record_state(first_row)
            self.predict(step)
            self.note_scores()
            self.set_costs()
            predicted = self.best(False)
            if predicted == NONE:        # no valid class can be learned
                self.rows.resize(self.rows.size() - self.slots.n_slots)
                self.atom_rows.resize(self.atom_rows.size() - self.slots.n_atoms)
                break
            self.target = self.static_class() if self.mode == STATIC else NONE
            self.record_verdicts()
            self.take(self.choose_next(predicted, exploring))    # by the costs of the first tree
        if self.gold.head != NULL:
            self.tally()
        return 0

    cdef int record_state(self, int32_t first_row) except -1 nogil:
        """Record the rows of the words in the slots, and of the atoms."""
        cdef int i, node
        self.slots.read_state(&self.state, self.nodes.data(), self.values.data())
        for i in range(self.slots.n_slots):
            node = self.nodes[i]
            self.rows.push_back(
                MISSING_ROW if node == NONE
                else ROOT_ROW if node == 0 or node > self.state.n_words
                else first_row + node - 1)
        for i in range(self.slots.n_atoms):
            self.atom_rows.push_back(self.first_atom[i] + self.values[i])
        return 0

    cdef void predict(self, const Step32* step) noexcept nogil:
        """Compute the scores of all classes in the state recorded last."""
        cdef const int32_t* rows = &self.rows[self.rows.size() - self.slots.n_slots]
        cdef const int32_t* atom_rows = (
            self.atom_rows.data() + self.atom_rows.size() - self.slots.n_atoms)
        cdef size_t n_slots = self.slots.n_slots, n_atoms = self.slots.n_atoms, i
        cdef size_t hidden = step.hidden
        cdef const float* added[2 * MAX_SLOTS]
        for i in range(n_slots):
            added[i] = step.products + (rows[i] * n_slots + i) * hidden
        for i in range(n_atoms):
            added[n_slots + i] = step.atoms + atom_rows[i] * hidden
        add_up(self.units.data(), step.bias, added, <int> (n_slots + n_atoms), step.hidden)
        classify(self.scores.data(), self.units.data(), step.weights, step.class_bias,
                 step.hidden, self.actions.n_padded)

    cdef int record_verdicts(self) except -1 nogil:
        """Record the oracle's verdict on each class."""
        cdef int c
        for c in range(self.actions.n_classes):
            if self.costs[c] == FORBIDDEN:
                self.verdicts.push_back(IS_BANNED)
            elif self.mode == STATIC:
                self.verdicts.push_back(IS_OPTIMAL if c == self.target else IS_ALLOWED)
            else:
                self.verdicts.push_back(
                    IS_OPTIMAL if self.costs[c] == self.cheapest else IS_ALLOWED)
        if not self.other_golds.empty():
            self.add_other_verdicts()
        return 0

    cdef int set_others(self, int sentence) except -1:
        """Set the other trees of a sentence."""
        cdef Corpus other
        for i, other in enumerate(self.others):
            other.set_gold(self.system, sentence, &self.other_golds[<size_t> i],
                           self.other_blocks[<size_t> i])
        return 0

    cdef int add_other_verdicts(self) except -1 nogil:
        """Turn the verdicts of the state recorded last into bits, with those by the other trees.

        The costs by the first tree, which guide the rollout, are restored at the end.
        """
        cdef size_t n = self.actions.n_classes, first = self.verdicts.size() - n, t, c
        cdef GoldC gold = self.gold
        for c in range(n):
            if self.verdicts[first + c] == IS_OPTIMAL:
                self.verdicts[first + c] = ALLOWED_BIT | 2
        for t in range(self.other_golds.size()):
            self.gold = self.other_golds[t]
            self.set_costs()
            for c in range(n):
                if self.costs[c] != FORBIDDEN and self.costs[c] == self.cheapest:
                    self.verdicts[first + c] |= 4 << t
        self.gold = gold
        self.set_costs()
        return 0

    cdef void tally(self) noexcept nogil:
        """Count the correct arcs of the final state; words without a head hang under the root."""
        cdef int word, head
        for word in range(1, self.state.n_words + 1):
            head = self.state.head[word]
            if head == NONE or head == self.state.root:
                head = 0
            self.n_words += 1
            if head == max(self.gold.head[word], 0) or (
                    self.gold.head[word] == self.state.root and head == 0):
                self.n_attached += 1
                self.n_labelled += self.state.label[word] == self.gold.label[word]
