"""The static oracles of swap: when to swap two words (Nivre 2009; Nivre, Kuhlmann & Hall 2009).

They sort the words into the projective order of the gold tree (each word between its left and right
dependents) and differ in when they swap s1 and s0, if s0 precedes s1 in that order:

  eager    immediately (the paper's first oracle)
  lazy     not while s0 and b belong to one maximal projective component: a part of the gold tree
           that arc-standard can build without a SWAP (the paper's second oracle)
  minimal  with lookahead: complete the derivation after SWAP and after SHIFT, by the lazy and by a
           more patient policy (`is_patient`), and choose the fewest swaps: never more than lazy,
           but not always the minimum, which the paper leaves open

Orders and components are computed once for each gold tree, as its plan.

Notation: s0 and s1 the two topmost words, b front of the buffer.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.arc_standard cimport gold_arc
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport LEFT_ARC, RIGHT_ARC, SHIFT, SWAP
from dodona.core.transitions.state cimport BUFFER, StateC, copy, front, lay_out, state_size, top
from dodona.core.transitions.system cimport System

cdef enum:
    IN_ORDER, CROSSING        # plan[NONE]: whether the tree is projective

cdef enum:
    FAILED = 1 << 30          # swaps of a derivation that misses a gold arc


cdef int set_order(const GoldC* gold, int32_t* order) except -1 nogil:
    """Compute the position of each node in the projective order: between its dependents.

    The root comes first; words without a gold head are ordered like its dependents.
    """
    cdef vector[int32_t] path, next_child
    cdef int word, node, i, count = 1
    next_child.assign(gold.first, gold.first + gold.n_words + 1)
    for i in range(gold.n_words + 1):
        order[i] = NONE
    order[0] = 0
    for word in range(1, gold.n_words + 1):
        if gold.head[word] <= 0:
            path.push_back(word)
        while not path.empty():
            node = path.back()
            i = next_child[node]
            if i < gold.first[node + 1] and (gold.child[i] < node or order[node] != NONE):
                next_child[node] += 1
                path.push_back(gold.child[i])
            elif order[node] == NONE:
                order[node] = count
                count += 1
            else:
                path.pop_back()


cdef int set_components(const GoldC* gold, int32_t* component) except -1 nogil:
    """Compute the top node of the maximal projective component of each node.

    Components are what the arc-standard oracle leaves on its stack without swaps.
    """
    cdef vector[int32_t] stack, n_waiting
    cdef int node, lower, upper
    for node in range(gold.n_words + 1):
        n_waiting.push_back(gold.first[node + 1] - gold.first[node])
        component[node] = node
    for node in range(gold.n_words + 1):
        stack.push_back(node)
        while stack.size() > 1:
            upper, lower = stack[stack.size() - 1], stack[stack.size() - 2]
            if gold.head[lower] == upper and n_waiting[lower] == 0:
                component[lower] = upper
                stack[stack.size() - 2] = upper
            elif gold.head[upper] == lower and n_waiting[upper] == 0:
                component[upper] = lower
            else:
                break
            stack.pop_back()
            n_waiting[stack.back()] -= 1
    for node in range(gold.n_words + 1):
        while component[component[node]] != component[node]:
            component[node] = component[component[node]]


cdef int make_plan(const GoldC* gold, int32_t* plan) except -1 nogil:
    """Write the order of all nodes, then their components."""
    cdef int node
    set_order(gold, plan)
    set_components(gold, plan + gold.n_words + 1)
    plan[NONE] = IN_ORDER
    for node in range(gold.n_words + 1):
        if plan[node] != node:
            plan[NONE] = CROSSING


cdef bint is_in_order(const GoldC* gold) noexcept nogil:
    """Whether the projective order is that of the sentence."""
    return gold.plan[NONE] == IN_ORDER


cdef bint is_under(const GoldC* gold, int node, int ancestor) noexcept nogil:
    while node != ancestor and node > 0:
        node = gold.head[node]
    return node == ancestor


cdef int n_missing(const StateC* state, const GoldC* gold, int subtree) noexcept nogil:
    """Count the words of a gold subtree in the buffer.

    NONE if one is on the stack below s0, or follows s1 in the projective order.
    """
    cdef const int32_t* order = order_of(gold)
    cdef int word, count = 0
    for word in range(1, gold.n_words + 1):
        if is_under(gold, word, subtree):
            if order[word] >= order[top(state, 1)]:
                return NONE
            if state.head[word] == NONE and word != top(state, 0):
                if state.place[word] != BUFFER:
                    return NONE
                count += 1
    return count


cdef bint is_patient(const StateC* state, const GoldC* gold) noexcept nogil:
    """Whether the largest gold subtree around s0 that can be built before SWAP is incomplete."""
    cdef int subtree = top(state, 0), missing = 0, found = 0
    while subtree > 0 and found != NONE:
        found = n_missing(state, gold, subtree)
        if found != NONE:
            missing = found
        subtree = gold.head[subtree]
    return missing > 0


cdef bint is_inverted(const StateC* state, const GoldC* gold) noexcept nogil:
    """Whether s1 and s0 must be swapped, now or later."""
    cdef const int32_t* order = order_of(gold)
    return can_swap(state) and order[top(state, 0)] < order[top(state, 1)]


cdef int planned_move(const StateC* state, const GoldC* gold, int policy) noexcept nogil:
    """Return the move of figure 2 of the paper, with one of three policies when to swap."""
    cdef int move = gold_arc(state, gold)
    cdef const int32_t* component = gold.plan + gold.n_words + 1
    if move != NONE:
        return move
    if is_inverted(state, gold):
        if (state.n_buffer == 0 or policy == EAGER
                or component[top(state, 0)] != component[front(state, 0)]
                and not (policy == PATIENT and is_patient(state, gold))):
            return SWAP
    return SHIFT if state.n_buffer > 0 else RIGHT_ARC


cdef bint is_idle(const StateC* state, const GoldC* gold, int word) noexcept nogil:
    """Whether a word has no gold head, and all of its gold dependents."""
    cdef int i
    for i in range(gold.first[word], gold.first[word + 1]):
        if state.head[gold.child[i]] == NONE:
            return False
    return gold.head[word] == NONE


cdef int absorbing_move(const StateC* state, const GoldC* gold, int policy) noexcept nogil:
    """Return the move for a partial tree, in which words that no gold arc needs are in the way."""
    cdef int move = gold_arc(state, gold)
    if move == NONE and state.n_stack > 2 and is_idle(state, gold, top(state, 1)):
        return LEFT_ARC
    if move == NONE and state.n_stack > 1 and is_idle(state, gold, top(state, 0)):
        return RIGHT_ARC
    return planned_move(state, gold, policy) if move == NONE else move


cdef bint keeps_all(System system, const StateC* state, const GoldC* gold, int move,
                    int policy) except -1 nogil:
    """Whether a derivation that continues by `move` and then by the policy has all gold arcs."""
    cdef vector[uint64_t] block
    cdef StateC after
    cdef int word
    block.resize(state_size(state.n_words) // sizeof(uint64_t))
    lay_out(&after, block.data(), state.n_words)
    copy(&after, state)
    system.take(&after, move, 0)
    while not system.final(&after):
        system.take(&after, absorbing_move(&after, gold, policy), 0)
    for word in range(1, state.n_words + 1):
        if gold.head[word] != NONE and after.head[word] != gold.head[word]:
            return False
    return True


cdef int n_swaps(System system, const StateC* state, const GoldC* gold, int move,
                 int policy) except -1 nogil:
    """Count the swaps of a derivation that continues by `move` and then by the policy."""
    cdef vector[uint64_t] block
    cdef StateC after
    cdef int word, count = 0
    block.resize(state_size(state.n_words) // sizeof(uint64_t))
    lay_out(&after, block.data(), state.n_words)
    copy(&after, state)
    while True:
        count += move == SWAP
        system.take(&after, move, 0)
        if system.final(&after):
            break
        move = planned_move(&after, gold, policy)
    for word in range(1, state.n_words + 1):
        if gold.head[word] != NONE and after.head[word] != gold.head[word]:
            return FAILED
    return count


cdef int minimal_move(System system, const StateC* state, const GoldC* gold) except -1 nogil:
    """Return the move with the fewest swaps according to two policies."""
    cdef int move = planned_move(state, gold, EAGER), policy, wait, swap
    if move != SWAP or state.n_buffer == 0:
        return move
    wait = swap = FAILED
    for policy in range(LAZY, PATIENT + 1):
        wait = min(wait, n_swaps(system, state, gold, SHIFT, policy))
        swap = min(swap, n_swaps(system, state, gold, SWAP, policy))
    return SHIFT if wait <= swap else SWAP
