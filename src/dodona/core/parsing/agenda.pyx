"""The hypotheses of a beam: score all, choose the best candidates, only then copy states.

All hypotheses have taken the same number of actions, but those that are final wait as they are: the
score of a derivation is the plain sum over its actions, however many they are. Derivations differ
in length by what they leave unattached, swap or repair; to divide by the length would reward those
that take cheap detours.

Two derivations may lead to the same configuration (arc-eager can REDUCE early or late). From there
on they have the same future, so only the one with the better score stays.
"""
from libc.math cimport INFINITY
from libc.string cimport memcmp
from libcpp.algorithm cimport reverse

from dodona.core.base.nodes cimport NONE, n_nodes
from dodona.core.features.features cimport Look
from dodona.core.transitions.state cimport copy, front, lay_out, state_size, top
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    int dodona_n_equal(const uint64_t* one, const uint64_t* other) noexcept nogil
    int dodona_n_different(const uint64_t* one, const uint64_t* other, int n,
                           int most) noexcept nogil

MAX_WIDTH = WIDEST

cdef enum:
    MOST_DIFFERENT = 25       # per cent: with more, it is quicker to score anew


cdef inline uint64_t arc_hash(int node, int head, int label) noexcept nogil:
    """A number for an arc into a node; 0 if it has no head."""
    cdef uint64_t x = <uint64_t> (node + 2) << 42 ^ <uint64_t> (head + 2) << 21
    x = (x ^ <uint64_t> (label + 2)) * <uint64_t> 0x9e3779b97f4a7c15
    return 0 if head == NONE else (x ^ (x >> 32)) * <uint64_t> 0xd6e8feb86659fd93


cdef bint same(const StateC* one, const StateC* other) noexcept nogil:
    """Whether two states are equal, as `State` has it."""
    cdef size_t n = n_nodes(one.n_words)
    return (one.n_stack == other.n_stack and one.n_buffer == other.n_buffer
            and memcmp(one.stack, other.stack, one.n_stack * sizeof(int32_t)) == 0
            and memcmp(one.buffer, other.buffer, one.n_buffer * sizeof(int32_t)) == 0
            and memcmp(one.head - 1, other.head - 1, n * sizeof(int32_t)) == 0
            and memcmp(one.label - 1, other.label - 1, n * sizeof(int32_t)) == 0
            and memcmp(one.note, other.note, (n - 1) * sizeof(int32_t)) == 0)


cdef inline bint is_before(const Candidate* one, const Candidate* other) noexcept nogil:
    """Whether the one is better, or is to be preferred to another that is as good."""
    if one.score != other.score:
        return one.score > other.score
    return one.parent < other.parent or one.parent == other.parent and one.klass < other.klass


cdef class Agenda:
    """Up to `width` hypotheses, best first, and the candidates for the next step."""

    def __cinit__(self, int width, bint keeps_correct=False):
        if not 1 <= width <= WIDEST:
            raise ValueError(f"a beam is from 1 to {WIDEST} wide, not {width}")
        self.width, self.keeps_correct = width, keeps_correct
        self.floor = -INFINITY
        self.states.resize(width)
        self.looks.resize(width)
        self.n_keys.resize(width)
        self.ends.resize(width * N_PARTS)
        self.barriers.resize(width)
        self.twin.resize(width, NONE)
        self.near.resize(width)

    cdef int reserve(self, int n_words, int n_templates) except -1 nogil:
        """Make room for a sentence of that many words."""
        cdef size_t n_units = state_size(n_words) // sizeof(uint64_t)
        cdef int slot
        if self.block.size() < n_units * self.width:
            self.block.resize(n_units * self.width * 2)
        for slot in range(self.width):
            lay_out(&self.states[slot], &self.block[n_units * slot], n_words)
        self.n_templates = n_templates
        self.keys.resize(<size_t> n_templates * self.width)
        self.added.resize(n_templates)
        self.removed.resize(n_templates)

    cdef int begin(self, const StateC* start, bint is_correct) except -1 nogil:
        """One hypothesis: this configuration, which is not final."""
        copy(&self.states[0], start)
        self.steps.clear()
        self.candidates.clear()
        self.hypotheses.clear()
        self.hypotheses.push_back(Hypothesis(0, 0, NONE, 0, 0, False, is_correct))
        self.n_open = 1

    def derivation(self, int hypothesis):
        """The classes of a hypothesis's actions since `begin`."""
        cdef vector[Step] path
        self.find_path(self.hypotheses[hypothesis].last, path)
        return [step.klass for step in path]

    cdef int length(self, int hypothesis) noexcept nogil:
        """How many actions a hypothesis has taken since `begin`."""
        cdef int step = self.hypotheses[hypothesis].last, count = 0
        while step != NONE:
            step = self.steps[step].before
            count += 1
        return count

    cdef int find_path(self, int last, vector[Step]& path) except -1 nogil:
        """The steps of a derivation, told by its last one, in the order they were taken."""
        path.clear()
        while last != NONE:
            path.push_back(self.steps[last])
            last = self.steps[last].before
        reverse(path.begin(), path.end())
        return 0

    cdef StateC* state(self, int hypothesis) noexcept nogil:
        return &self.states[self.hypotheses[hypothesis].slot]

    cdef int describe(self, int hypothesis, Features features, Actions actions,
                      const WordsC* words) except -1 nogil:
        """Find the features of a hypothesis, what it forbids, and whether it has a twin.

        What sets hypotheses apart is often out of sight by now: three of ten look just like another
        one. They have its keys, and none of their own.
        """
        cdef StateC* state = self.state(hypothesis)
        cdef Look look
        features.read(state, words, &look)
        self.barriers[hypothesis] = actions.barriers(state, actions.system.valid_moves(state))
        self.looks[hypothesis] = features.hash_of(&look) + (
            self.barriers[hypothesis] - actions.barrier.data())
        self.twin[hypothesis] = self.near[hypothesis] = self.find_twin(hypothesis)
        if self.twin[hypothesis] == NONE:
            self.n_keys[hypothesis] = features.fill_parts_from(
                &look, &self.keys[<size_t> hypothesis * self.n_templates],
                &self.ends[hypothesis * N_PARTS])
        return 0

    cdef int find_twin(self, int hypothesis) noexcept nogil:
        """The first hypothesis that looks the same, and forbids the same, if it is an earlier one;
        64 bits of a hash tell."""
        cdef int other
        for other in range(hypothesis):
            if (self.looks[other] == self.looks[hypothesis] and self.twin[other] == NONE
                    and not self.hypotheses[other].is_final):
                return other
        return NONE

    cdef int find_near(self, int hypothesis) noexcept nogil:
        """The earlier hypothesis that has most keys in the same places, if these are enough."""
        cdef const uint64_t* keys = &self.keys[<size_t> hypothesis * self.n_templates]
        cdef int n_keys = self.n_keys[hypothesis], other, n
        cdef int fewest = n_keys * MOST_DIFFERENT // 100 + 1
        if self.twin[hypothesis] != NONE:
            return self.twin[hypothesis]
        self.near[hypothesis] = NONE
        for other in range(hypothesis):
            if (not self.hypotheses[other].is_final and self.twin[other] == NONE
                    and self.n_keys[other] == n_keys
                    and self.barriers[other] == self.barriers[hypothesis]):
                n = dodona_n_different(
                    keys, &self.keys[<size_t> other * self.n_templates], n_keys, fewest)
                if n < fewest:
                    fewest, self.near[hypothesis] = n, other
        return self.near[hypothesis]

    cdef int compare(self, int hypothesis) except -1 nogil:
        """Find the keys in which a hypothesis differs from the one that it was found to be near to.

        Hypotheses of one beam are much alike: `added` and `removed` are soon scored.
        """
        cdef const uint64_t* keys = &self.keys[<size_t> hypothesis * self.n_templates]
        cdef const uint64_t* others = &self.keys[
            <size_t> self.near[hypothesis] * self.n_templates]
        cdef uint64_t* added = self.added.data()
        cdef uint64_t* removed = self.removed.data()
        cdef int i = 0, end, n = 0
        cdef int n_keys = self.n_keys[hypothesis] if self.twin[hypothesis] == NONE else 0
        while i < n_keys:
            end = min(i + BLOCK, n_keys)
            if end - i == BLOCK and dodona_n_equal(keys + i, others + i) == BLOCK:
                i = end
            while i < end:
                # written in any case, kept if they differ: no branch for the processor to guess
                added[n], removed[n] = keys[i], others[i]
                n += keys[i] != others[i]
                i += 1
        self.n_changed = n

    cdef int offer(self, double score, int parent, int klass, bint is_correct) except -1 nogil:
        """Enter a candidate if it is among the best; of equals, those of the first parent and then
        of the first class."""
        cdef size_t i = self.candidates.size()
        cdef Candidate candidate = Candidate(score, parent, klass, is_correct)
        if <int> i < self.width:
            self.candidates.resize(i + 1)
        elif not is_before(&candidate, &self.candidates.back()):
            return 0
        else:
            i -= 1
        while i > 0 and is_before(&candidate, &self.candidates[i - 1]):
            self.candidates[i] = self.candidates[i - 1]
            i -= 1
        self.candidates[i] = candidate

    cdef int advance(self, Actions actions) except -1 nogil:
        """Make hypotheses of the candidates."""
        cdef size_t i
        cdef Candidate* candidate
        if self.candidates.empty():      # nothing that is valid was ever seen: that is the end
            self.n_open = 0
            return 0
        self.parents.swap(self.hypotheses)
        self.share_states()
        for i in range(self.candidates.size()):
            candidate = &self.candidates[i]
            self.hypotheses[i].score = candidate.score
            self.hypotheses[i].is_correct = candidate.is_correct
            if candidate.klass != NONE:
                self.grow(&self.hypotheses[i], candidate.klass, actions)
        self.candidates.clear()
        self.merge()
        self.n_open = 0
        for i in range(self.hypotheses.size()):
            self.n_open += not self.hypotheses[i].is_final

    cdef int share_states(self) except -1 nogil:
        """Give every candidate its parent's state: the first the state itself, others a copy."""
        cdef size_t i
        cdef int slot
        cdef Hypothesis* parent
        self.slots.clear()
        self.slots.resize(self.width, 1)         # 1: nobody's, 0: a parent's, -1: a child's
        for i in range(self.candidates.size()):
            self.slots[self.parents[self.candidates[i].parent].slot] = 0
        slot = 0
        self.hypotheses.resize(self.candidates.size())
        for i in range(self.candidates.size()):
            parent = &self.parents[self.candidates[i].parent]
            self.hypotheses[i] = parent[0]
            if self.slots[parent.slot] == 0:
                self.slots[parent.slot] = -1
                continue
            while self.slots[slot] != 1:
                slot += 1
            self.slots[slot] = -1
            self.hypotheses[i].slot = slot
            copy(&self.states[slot], &self.states[parent.slot])

    cdef int grow(self, Hypothesis* hypothesis, int klass, Actions actions) except -1 nogil:
        """Take an action; it can change the arcs of no other nodes than these three."""
        cdef StateC* state = &self.states[hypothesis.slot]
        cdef int[3] nodes = [top(state, 0), top(state, 1), front(state, 0)]
        cdef int[3] heads
        cdef int[3] labels
        cdef int i
        for i in range(3):
            heads[i], labels[i] = state.head[nodes[i]], state.label[nodes[i]]
        actions.system.take(state, actions.move[klass], actions.label[klass])
        for i in range(3):
            if heads[i] != state.head[nodes[i]] or labels[i] != state.label[nodes[i]]:
                hypothesis.arcs -= arc_hash(nodes[i], heads[i], labels[i])
                hypothesis.arcs += arc_hash(
                    nodes[i], state.head[nodes[i]], state.label[nodes[i]])
        hypothesis.is_final = actions.system.final(state)
        self.steps.push_back(Step(hypothesis.last, klass, hypothesis.note))
        hypothesis.last = <int32_t> self.steps.size() - 1

    cdef int merge(self) except -1 nogil:
        """Of equal configurations keep the best; it is correct if one of them is.

        A correct one that is told by its derivation, not by its configuration, stays.
        """
        cdef size_t i, j, n = 0
        cdef Hypothesis* one
        cdef Hypothesis* other
        for i in range(self.hypotheses.size()):
            one = &self.hypotheses[i]
            for j in range(n):
                other = &self.hypotheses[j]
                if (one.arcs == other.arcs and not (self.keeps_correct and one.is_correct)
                        and same(&self.states[one.slot], &self.states[other.slot])):
                    other.is_correct = other.is_correct or one.is_correct
                    break
            else:
                self.hypotheses[n] = one[0]
                n += 1
        self.hypotheses.resize(n)

    cdef int correct(self) noexcept nogil:
        """The best hypothesis that is correct; NONE if there is none."""
        cdef size_t i
        for i in range(self.hypotheses.size()):
            if self.hypotheses[i].is_correct:
                return <int> i
        return NONE
