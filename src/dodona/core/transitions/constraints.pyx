"""Constraints on arcs: by tag, direction, leaf relations, and relations unique below a head.

Relations are ids below 64, so that sets of them are integers. `treebank/trees/ud_rules` defines the
relations, tags and rules. A rule about a word without a relation applies as soon as it gets one; by
then it may have dependents, so rules are checked from both ends of an arc.

Only heads and labels of a state are read, so constraints work with every tree system. Dependents
are found by a scan of the sentence (25 words on average), which is cheaper than sets of relations
in states that are copied at every step.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport State, System

cdef enum:
    ALL = -1                  # the set of all relations

RULES = ("tag", "direction", "span", "head", "number", "children")


cdef inline uint64_t bit(int relation) noexcept nogil:
    return <uint64_t> 1 << relation


cdef inline bint is_word(const StateC* state, int node) noexcept nogil:
    return 0 < node <= state.n_words


cdef class Constraints:
    """Constraints as bit sets of relations; constraints.pxd describes the parameters."""

    def __init__(self, *, relation, children, by_tag, under_tag, rightwards, spanning, single,
                 negation, not_negated, owned, owner, oblique, argument):
        cdef int i, k
        if len(children) > N_RELATIONS or max(relation, default=0) >= N_RELATIONS:
            raise ValueError(f"constraints allow at most {N_RELATIONS} relations")
        for number in relation:
            self.relation.push_back(number)
        for i in range(N_RELATIONS):
            self.children[i] = self.parents[i] = <uint64_t> ALL
        self.leaves = self.once = 0
        for i, mask in enumerate(children):
            self.children[i] = mask
            if self.children[i] != <uint64_t> ALL:
                self.leaves |= bit(i)
        for i in range(N_RELATIONS):
            for k in range(N_RELATIONS):
                if not self.children[i] >> k & 1:
                    self.parents[k] &= ~bit(i)
        for i in range(N_TAGS):
            self.by_tag[i], self.under_tag[i] = by_tag[i], under_tag[i]
        self.rightwards, self.spanning = rightwards, spanning
        for mask in single:
            self.single.push_back(mask)
            self.once |= <uint64_t> mask
        self.negation, self.not_negated = negation, not_negated
        self.owned, self.owner = owned, owner
        self.oblique, self.argument = oblique, argument

    cdef void fill(self, const StateC* state, const int32_t* kinds, int head, int word,
                   uint64_t* masks) noexcept nogil:
        """Write for each rule the relations that it allows for an arc between two words."""
        cdef int i
        for i in range(N_RULES):
            masks[i] = <uint64_t> ALL
        if not is_word(state, head) or not is_word(state, word):  # no arc, or one from the root
            return
        masks[BY_TAG] = self.by_tag[kinds[word] & (N_TAGS - 1)]
        masks[BY_HEAD] = self.allowed_below(state, kinds, head, word)
        if word < head:
            masks[BY_DIRECTION] = ~self.rightwards
        elif not self.spans(state, kinds, head, word):
            masks[BY_SPAN] = ~self.spanning
        masks[BY_NUMBER] = self.allowed_beside(state, head, word)
        masks[BY_CHILDREN] = self.allowed_above(state, kinds, word)

    cdef uint64_t allowed_below(self, const StateC* state, const int32_t* kinds, int head,
                                int word) noexcept nogil:
        """Return the relations to the head that its tag and its own relation allow."""
        cdef uint64_t found, relation, allowed = self.under_tag[kinds[head] & (N_TAGS - 1)]
        if state.head[head] != NONE and state.label[head] != NONE:
            relation = bit(self.relation[state.label[head]])
            found = self.children[self.relation[state.label[head]]]
            if kinds[head] & POSSESSES and relation & self.owner:
                found |= self.owned
            if kinds[word] & NEGATES and not relation & self.not_negated:
                found |= self.negation
            allowed &= found
        return allowed

    cdef uint64_t allowed_above(self, const StateC* state, const int32_t* kinds,
                                int word) noexcept nogil:
        """Return the relations that a word may have, given its children."""
        cdef uint64_t found, relation, allowed = <uint64_t> ALL
        cdef int d
        for d in range(1, state.n_words + 1):
            if state.head[d] == word and state.label[d] != NONE:
                relation = bit(self.relation[state.label[d]])
                found = self.parents[self.relation[state.label[d]]]
                if kinds[word] & POSSESSES and relation & self.owned:
                    found |= self.owner
                if kinds[d] & NEGATES and relation & self.negation:
                    found |= ~self.not_negated
                allowed &= found
        return allowed

    cdef uint64_t allowed_beside(self, const StateC* state, int head, int word) noexcept nogil:
        """Return the relations to the head that its other children leave."""
        cdef uint64_t others = 0, allowed = <uint64_t> ALL
        cdef size_t i
        cdef int d
        for d in range(1, state.n_words + 1):
            if state.head[d] == head and d != word and state.label[d] != NONE:
                others |= bit(self.relation[state.label[d]])
        for i in range(self.single.size()):
            if others & self.single[i]:
                allowed &= ~self.single[i]
        return allowed

    cdef bint spans(self, const StateC* state, const int32_t* kinds, int head,
                    int word) noexcept nogil:
        """Whether a word and its head can be separated parts of one word, with those in between."""
        cdef int d
        if kinds[head] & GLUED:
            return False
        for d in range(head + 1, word):
            if kinds[d] & GLUED or state.head[d] != head or state.label[d] == NONE or (
                    not bit(self.relation[state.label[d]]) & self.spanning):
                return False
        return True

    cdef bint is_misplaced(self, const StateC* state, const int32_t* kinds,
                           int word) noexcept nogil:
        """Whether a word has the relation of an adjunct of predicates, but its head is none.

        The head's relation may be unknown when the arc is built; it is easier to change the label
        in the end (`ud_rules.repair_tree`) than to keep the head from its relation.
        """
        cdef int head = state.head[word]
        return (is_word(state, head) and bit(self.relation[state.label[word]]) & self.oblique
                and kinds[head] & NOMINAL and state.label[head] != NONE
                and bit(self.relation[state.label[head]]) & self.argument)

    cdef uint64_t allowed(self, const StateC* state, const int32_t* kinds, int head,
                          int word) noexcept nogil:
        """Return the relations that all rules allow for an arc between two words."""
        cdef uint64_t masks[N_RULES]
        cdef uint64_t result = <uint64_t> ALL
        cdef int i
        self.fill(state, kinds, head, word, masks)
        for i in range(N_RULES):
            result &= masks[i]
        return result

    cdef bint allows(self, System system, const StateC* state, const int32_t* kinds, int move,
                     int label) noexcept nogil:
        """Whether an action builds no arc, or an allowed one."""
        if label == NONE:
            return True
        return self.fits(state, kinds, system.arc_head(state, move),
                         system.arc_dependent(state, move), label)

    cdef bint fits(self, const StateC* state, const int32_t* kinds, int head, int word,
                   int label) noexcept nogil:
        """Whether all rules allow an arc with this label; children are read only where they count.
        """
        cdef uint64_t wanted = bit(self.relation[label])
        if not is_word(state, head) or not is_word(state, word):
            return True
        return (wanted & self.by_tag[kinds[word] & (N_TAGS - 1)] != 0
                and wanted & self.allowed_below(state, kinds, head, word) != 0
                and not (wanted & self.rightwards and word < head)
                and not (wanted & self.spanning and not self.spans(state, kinds, head, word))
                and not (wanted & self.once
                         and not wanted & self.allowed_beside(state, head, word))
                and not (wanted & self.leaves
                         and not wanted & self.allowed_above(state, kinds, word)))

    cdef bint forbids_arc(self, System system, const StateC* state, const int32_t* kinds, int move,
                          int label) noexcept nogil:
        """Whether the head of an action's arc may not have a dependent with this relation."""
        cdef int head = system.arc_head(state, move), word = system.arc_dependent(state, move)
        if label == NONE or not is_word(state, head) or not is_word(state, word):
            return False
        return not self.allowed_below(state, kinds, head, word) & bit(self.relation[label])

    cdef bint hold(self, const StateC* state, const int32_t* kinds) noexcept nogil:
        """Whether every arc of a state is allowed."""
        cdef int d
        for d in range(1, state.n_words + 1):
            if state.head[d] != NONE and state.label[d] != NONE and (
                    not self.fits(state, kinds, state.head[d], d, state.label[d])
                    or self.is_misplaced(state, kinds, d)):
                return False
        return True

    def broken(self, State state not None, kinds, action):
        """Return the one of RULES that forbids a valid action; None if it is allowed."""
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
            raise ValueError(f"{len(kinds)} kinds for {state.c.n_words} words")
        self.fill(&state.c, by_word.data(), system.arc_head(&state.c, move),
                  system.arc_dependent(&state.c, move), masks)
        for i, name in enumerate(RULES):
            if not masks[<int> i] >> self.relation[<int> label] & 1:
                return name
        return None
