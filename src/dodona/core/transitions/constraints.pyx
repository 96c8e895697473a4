"""Constraints on arcs: tags, direction, leaves, and what a head has once.

Relations are numbers below 64, so that sets of them are single integers, and so are kinds of words.
Which relations, tags and rules there are, others say (`treebank/trees/ud_rules`). A rule about a
word that has no relation yet holds as soon as it gets one; by then it may have dependents, so it is
judged from both ends.

All of it looks at the heads and labels of a state and nothing else, and so does for every system of
trees, whatever its moves take back. Dependents are found by a look at every word, 25 of them on
average: that is cheaper than to keep sets of relations in states that are copied all the time.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport State, System

cdef enum:
    ALL = -1                  # as a set: every relation

RULES = ("tag", "direction", "head", "number", "children")


cdef inline uint64_t bit(int relation) noexcept nogil:
    return <uint64_t> 1 << relation


cdef inline bint is_word(const StateC* state, int node) noexcept nogil:
    return 0 < node <= state.n_words


cdef class Constraints:
    """Sets of relations, each an integer with a bit for each relation.

    `relation` has the number of each label; the rest is as in constraints.pxd.
    """

    def __init__(self, *, relation, children, by_tag, under_tag, rightwards, single, negation,
                 not_negated, owned, owner):
        cdef int i, k
        if len(children) > N_RELATIONS or max(relation, default=0) >= N_RELATIONS:
            raise ValueError(f"at most {N_RELATIONS} relations")
        for number in relation:
            self.relation.push_back(number)
        for i in range(N_RELATIONS):
            self.children[i] = self.parents[i] = <uint64_t> ALL
        for i, mask in enumerate(children):
            self.children[i] = mask
        for i in range(N_RELATIONS):
            for k in range(N_RELATIONS):
                if not self.children[i] >> k & 1:
                    self.parents[k] &= ~bit(i)
        for i in range(N_TAGS):
            self.by_tag[i], self.under_tag[i] = by_tag[i], under_tag[i]
        self.rightwards = rightwards
        for mask in single:
            self.single.push_back(mask)
        self.negation, self.not_negated = negation, not_negated
        self.owned, self.owner = owned, owner

    cdef void fill(self, const StateC* state, const int32_t* kinds, int head, int word,
                   uint64_t* masks) noexcept nogil:
        """For each rule, the relations that it allows for an arc between two words."""
        cdef int d, i, label
        cdef uint64_t under_head = 0, found, relation
        for i in range(N_RULES):
            masks[i] = <uint64_t> ALL
        if not is_word(state, head) or not is_word(state, word):  # no arc, or the root's
            return
        masks[BY_TAG] = self.by_tag[kinds[word] & (N_TAGS - 1)]
        masks[BY_HEAD] = self.under_tag[kinds[head] & (N_TAGS - 1)]
        if word < head:
            masks[BY_DIRECTION] = ~self.rightwards
        if state.head[head] != NONE and state.label[head] != NONE:
            relation = bit(self.relation[state.label[head]])
            found = self.children[self.relation[state.label[head]]]
            if kinds[head] & POSSESSES and relation & self.owner:
                found |= self.owned
            if kinds[word] & NEGATES and not relation & self.not_negated:
                found |= self.negation
            masks[BY_HEAD] &= found
        for d in range(1, state.n_words + 1):
            label = state.label[d]
            if d == word or label == NONE:
                continue
            if state.head[d] == head:
                under_head |= bit(self.relation[label])
            elif state.head[d] == word:
                relation = bit(self.relation[label])
                found = self.parents[self.relation[label]]
                if kinds[word] & POSSESSES and relation & self.owned:
                    found |= self.owner
                if kinds[d] & NEGATES and relation & self.negation:
                    found |= ~self.not_negated
                masks[BY_CHILDREN] &= found
        for i in range(<int> self.single.size()):
            if under_head & self.single[i]:
                masks[BY_NUMBER] &= ~self.single[i]

    cdef uint64_t allowed(self, const StateC* state, const int32_t* kinds, int head,
                          int word) noexcept nogil:
        """The relations that an arc between two words may have."""
        cdef uint64_t masks[N_RULES]
        cdef uint64_t result = <uint64_t> ALL
        cdef int i
        self.fill(state, kinds, head, word, masks)
        for i in range(N_RULES):
            result &= masks[i]
        return result

    cdef bint allows(self, System system, const StateC* state, const int32_t* kinds, int move,
                     int label) noexcept nogil:
        """Whether an action builds no arc, or one that is allowed."""
        if label == NONE:
            return True
        return self.allowed(state, kinds, system.arc_head(state, move),
                            system.arc_dependent(state, move)) >> self.relation[label] & 1

    cdef bint forbids_arc(self, System system, const StateC* state, const int32_t* kinds, int move,
                          int label) noexcept nogil:
        """Whether the head of the arc is not to have such a dependent, a leaf as it is."""
        cdef uint64_t masks[N_RULES]
        if label == NONE:
            return False
        self.fill(state, kinds, system.arc_head(state, move), system.arc_dependent(state, move),
                  masks)
        return not masks[BY_HEAD] >> self.relation[label] & 1

    cdef bint hold(self, const StateC* state, const int32_t* kinds) noexcept nogil:
        """Whether every arc that was built is allowed beside the others."""
        cdef int d
        for d in range(1, state.n_words + 1):
            if state.head[d] != NONE and state.label[d] != NONE and not (
                    self.allowed(state, kinds, state.head[d], d)
                    >> self.relation[state.label[d]] & 1):
                return False
        return True

    def broken(self, State state not None, kinds, action):
        """The rule of RULES that forbids a valid action; None if it is allowed."""
        cdef vector[int32_t] by_word
        cdef uint64_t masks[N_RULES]
        cdef System system = state.system
        move, label = system._check(state, action)
        if label == NONE:
            return None
        by_word.push_back(0)
        for kind in kinds:
            by_word.push_back(kind)
        if <int> by_word.size() != state.c.n_words + 1:
            raise ValueError("a kind for each word is needed")
        self.fill(&state.c, by_word.data(), system.arc_head(&state.c, move),
                  system.arc_dependent(&state.c, move), masks)
        for i, name in enumerate(RULES):
            if not masks[<int> i] >> self.relation[<int> label] & 1:
                return name
        return None
