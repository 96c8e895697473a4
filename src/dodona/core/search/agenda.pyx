"""The hypotheses of a beam: score all, choose the best candidates, and only then copy states.

All open hypotheses have taken the same number of actions; final ones stay as they are. The score of
a derivation is the plain sum over its actions, however many they are. Derivations differ in length
by what they leave unattached, swap or repair; dividing by the length would reward cheap detours.

Two derivations may lead to the same configuration (arc-eager can REDUCE early or late). From there
on they have the same future, so only the one with the better score stays.
"""
from libc.math cimport INFINITY
from libc.string cimport memcmp
from libcpp.algorithm cimport reverse

from dodona.core.base.nodes cimport NONE, n_nodes
from dodona.core.features.features cimport StateAtoms
from dodona.core.transitions.state cimport copy, front, lay_out, state_size, top

MAX_WIDTH = WIDEST


cdef inline uint64_t arc_hash(int node, int head, int label) noexcept nogil:
    """Return a hash of the arc into a node; 0 if it has no head."""
    cdef uint64_t x = <uint64_t> (node + 2) << 42 ^ <uint64_t> (head + 2) << 21
    x = (x ^ <uint64_t> (label + 2)) * <uint64_t> 0x9e3779b97f4a7c15
    return 0 if head == NONE else (x ^ (x >> 32)) * <uint64_t> 0xd6e8feb86659fd93


cdef bint same(const StateC* one, const StateC* other) noexcept nogil:
    """Return whether two states are equal, as `State` defines it."""
    cdef size_t n = n_nodes(one.n_words)
    return (one.n_stack == other.n_stack and one.n_buffer == other.n_buffer
            and memcmp(one.stack, other.stack, one.n_stack * sizeof(int32_t)) == 0
            and memcmp(one.buffer, other.buffer, one.n_buffer * sizeof(int32_t)) == 0
            and memcmp(one.head - 1, other.head - 1, n * sizeof(int32_t)) == 0
            and memcmp(one.label - 1, other.label - 1, n * sizeof(int32_t)) == 0
            and memcmp(one.note, other.note, (n - 1) * sizeof(int32_t)) == 0)


cdef inline bint is_before(const Candidate* one, const Candidate* other) noexcept nogil:
    """Return whether one candidate ranks above another; ties go to parents, then classes."""
    if one.score != other.score:
        return one.score > other.score
    return one.parent < other.parent or one.parent == other.parent and one.klass < other.klass


cdef class Agenda:
    """Up to `width` hypotheses, best first, and the candidates for the next step."""

    def __cinit__(self, int width, bint keeps_correct=False):
        if not 1 <= width <= WIDEST:
            raise ValueError(f"a beam is from 1 to {WIDEST} wide, not {width}")
        self.width, self.keeps_correct, self.floor = width, keeps_correct, -INFINITY
        self.states.resize(width)
        self.signatures.resize(width)
        self.n_keys.resize(width)
        self.ends.resize(width * N_SECTIONS)
        self.masks.resize(width)
        self.duplicate_of.resize(width, NONE)

    cdef int reserve(self, int n_words, int n_templates) except -1 nogil:
        """Make room for a sentence of `n_words` words."""
        cdef size_t n_units = state_size(n_words) // sizeof(uint64_t)
        cdef int slot
        if self.block.size() < n_units * self.width:
            self.block.resize(n_units * self.width)
        for slot in range(self.width):
            lay_out(&self.states[slot], &self.block[n_units * slot], n_words)
        self.n_templates = n_templates
        self.keys.resize(<size_t> n_templates * self.width)

    cdef int begin(self, const StateC* start, bint is_correct) except -1 nogil:
        """Start from one hypothesis: this configuration, which is not final."""
        copy(&self.states[0], start)
        self.steps.clear()
        self.candidates.clear()
        self.hypotheses.clear()
        self.hypotheses.push_back(Hypothesis(0, 0, NONE, 0, 0, False, is_correct))
        self.n_open = 1

    def derivation(self, int hypothesis):
        """Return the classes of a hypothesis's actions since `begin`."""
        cdef vector[Step] path
        self.find_path(self.hypotheses[hypothesis].last, path)
        return [step.klass for step in path]

    cdef int length(self, int hypothesis) noexcept nogil:
        """Return how many actions a hypothesis has taken since `begin`."""
        cdef int step = self.hypotheses[hypothesis].last, count = 0
        while step != NONE:
            step = self.steps[step].before
            count += 1
        return count

    cdef int find_path(self, int last, vector[Step]& path) except -1 nogil:
        """Write the steps of the derivation that ends with `last`, in the order they were taken."""
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
        """Find the mask, the signature and, unless it duplicates another, the keys of a hypothesis.

        What sets hypotheses apart is often out of the templates' sight: three of ten have the
        signature of another one, and so its keys and scores.
        """
        cdef StateC* state = self.state(hypothesis)
        cdef StateAtoms atoms
        features.read(state, words, &atoms)
        self.masks[hypothesis] = actions.masks(state, actions.system.valid_moves(state))
        self.signatures[hypothesis] = features.signature(&atoms) + (
            self.masks[hypothesis] - actions.mask.data())
        self.duplicate_of[hypothesis] = self.find_duplicate(hypothesis)
        if self.duplicate_of[hypothesis] == NONE:
            self.n_keys[hypothesis] = features.fill_from_atoms(
                &atoms, &self.keys[<size_t> hypothesis * self.n_templates],
                &self.ends[hypothesis * N_SECTIONS])
        return 0

    cdef int find_duplicate(self, int hypothesis) noexcept nogil:
        """Return the first earlier hypothesis with the same signature, a hash of 64 bits."""
        cdef int other
        for other in range(hypothesis):
            if (self.signatures[other] == self.signatures[hypothesis]
                    and self.duplicate_of[other] == NONE and not self.hypotheses[other].is_final):
                return other
        return NONE

    cdef int offer(self, double score, int parent, int klass, bint is_correct) except -1 nogil:
        """Enter a candidate if it is among the best `width`."""
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
        """Turn the candidates into hypotheses."""
        cdef size_t i
        cdef Candidate* candidate
        if self.candidates.empty():      # no valid class was seen in training
            self.n_open = 0
            return 0
        self.parents.swap(self.hypotheses)
        self.share_states()
        for i in range(self.candidates.size()):
            candidate = &self.candidates[i]
            self.hypotheses[i].score = candidate.score
            self.hypotheses[i].is_correct = candidate.is_correct
            if candidate.klass != NONE:
                self.extend(&self.hypotheses[i], candidate.klass, actions)
        self.candidates.clear()
        self.merge()
        self.n_open = 0
        for i in range(self.hypotheses.size()):
            self.n_open += not self.hypotheses[i].is_final

    cdef int share_states(self) except -1 nogil:
        """Give each candidate its parent's state: the first child takes it over, others copy it."""
        cdef size_t i
        cdef int slot
        cdef Hypothesis* parent
        self.slots.clear()
        self.slots.resize(self.width, 1)         # 1: free, 0: a parent's, -1: a child's
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

    cdef int extend(self, Hypothesis* hypothesis, int klass, Actions actions) except -1 nogil:
        """Take an action, which can only change the arcs of these three nodes."""
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
        """Keep the best of equal configurations, which is correct if one of them is.

        With `keeps_correct`, correct is a derivation and not a configuration, and it stays.
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
        """Return the best hypothesis that is correct; NONE if there is none."""
        cdef size_t i
        for i in range(self.hypotheses.size()):
            if self.hypotheses[i].is_correct:
                return <int> i
        return NONE
