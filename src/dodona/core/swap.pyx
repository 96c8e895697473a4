"""Arc-standard parsing with online reordering (Nivre 2009; Nivre, Kuhlmann & Hall 2009).

SWAP moves the second topmost word back to the buffer, so that any two words can become neighbours
and any tree can be built. A pair is swapped at most once, from its order in the sentence, so every
derivation ends. The oracles sort the words into the projective order of the gold tree (each word
between its left and right dependents) and differ in when they swap s1 and s0, where s0 comes first:

  eager    at once (the paper's first oracle)
  lazy     not while s0 and b are parts of one maximal projective component: one of the pieces that
           arc-standard can build of the gold tree without a SWAP (the paper's second oracle)
  minimal  look ahead: finish with SWAP and with SHIFT, each time as lazy does and as a more patient
           policy does (`is_patient`), and go the way of the fewest swaps: never more than lazy. The
           paper leaves open how few are enough; this is not always the least

Notation: s0 and s1 the two topmost words, b front of the buffer, g(w) gold head of w.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from .arc_standard cimport LEFT_ARC, RIGHT_ARC, SHIFT, ArcStandard, gold_arc, waits
from .gold cimport GoldC
from .state cimport (BUFFER, GONE, NONE, StateC, add_arc, copy, front, lay_out, pop, push,
                     state_size, top)
from .system cimport MoveCost, System

cdef enum:
    SWAP = RIGHT_ARC + 1

cdef enum:
    EAGER, LAZY, PATIENT

cdef enum:
    FAILED = 1 << 30          # swaps of a derivation that misses a gold arc


cdef void set_order(const GoldC* gold, int32_t* order) noexcept nogil:
    """The place of each node in the projective order: its left dependents, itself, the others."""
    cdef vector[int32_t] path, next_child
    cdef int node = 0, count = 0, i
    next_child.assign(gold.first, gold.first + gold.n_words + 1)
    path.push_back(0)
    for i in range(gold.n_words + 1):
        order[i] = NONE
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


cdef void set_components(const GoldC* gold, int32_t* component) noexcept nogil:
    """The top node of the maximal projective component of each node.

    They are what the arc-standard oracle has on its stack in the end, when it never swaps.
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


cdef void make_plan(const GoldC* gold, vector[int32_t]& plan) noexcept nogil:
    """Order of all nodes, then their components."""
    plan.resize(2 * (gold.n_words + 1))
    set_order(gold, plan.data())
    set_components(gold, plan.data() + gold.n_words + 1)


cdef inline bint can_swap(const StateC* state) noexcept nogil:
    return state.n_stack > 2 and top(state, 1) < top(state, 0)


cdef bint is_under(const GoldC* gold, int node, int ancestor) noexcept nogil:
    while node != ancestor and node > 0:
        node = gold.head[node]
    return node == ancestor


cdef int n_missing(const StateC* state, const GoldC* gold, const int32_t* order,
                   int subtree) noexcept nogil:
    """How many words of a gold subtree wait in the buffer; NONE if one waits on the stack below s0,
    or comes behind s1 in the projective order."""
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


cdef bint is_patient(const StateC* state, const GoldC* gold, const int32_t* order) noexcept nogil:
    """Whether the largest gold subtree around s0 that can be built before SWAP is incomplete."""
    cdef int subtree = top(state, 0), missing = 0, found = 0
    while subtree > 0 and found != NONE:
        found = n_missing(state, gold, order, subtree)
        if found != NONE:
            missing = found
        subtree = gold.head[subtree]
    return missing > 0


cdef bint is_inverted(const StateC* state, const GoldC* gold, const int32_t* plan) noexcept nogil:
    """Whether s1 and s0 must be swapped, now or later."""
    return can_swap(state) and plan[top(state, 0)] < plan[top(state, 1)]


cdef int planned_move(const StateC* state, const GoldC* gold, const int32_t* plan,
                      int policy) noexcept nogil:
    """Figure 2 of the paper, with one of three answers to when it is time to swap."""
    cdef int move = gold_arc(state, gold)
    cdef const int32_t* component = plan + gold.n_words + 1
    if move != NONE:
        return move
    if is_inverted(state, gold, plan):
        if (state.n_buffer == 0 or policy == EAGER
                or component[top(state, 0)] != component[front(state, 0)]
                and not (policy == PATIENT and is_patient(state, gold, plan))):
            return SWAP
    return SHIFT if state.n_buffer > 0 else RIGHT_ARC


cdef int n_swaps(System system, const StateC* state, const GoldC* gold, const int32_t* plan,
                 int move, int policy) noexcept nogil:
    """The swaps of a derivation that goes on from here by `move`, then by the policy."""
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
        move = planned_move(&after, gold, plan, policy)
    for word in range(1, state.n_words + 1):
        if gold.head[word] != NONE and after.head[word] != gold.head[word]:
            return FAILED
    return count


cdef int minimal_move(System system, const StateC* state, const GoldC* gold,
                      const int32_t* plan) noexcept nogil:
    cdef int move = planned_move(state, gold, plan, EAGER), policy, wait, swap
    if move != SWAP or state.n_buffer == 0:
        return move
    wait = swap = FAILED
    for policy in range(LAZY, PATIENT + 1):
        wait = min(wait, n_swaps(system, state, gold, plan, SHIFT, policy))
        swap = min(swap, n_swaps(system, state, gold, plan, SWAP, policy))
    return SHIFT if wait <= swap else SWAP


cdef void add_arc_anywhere(StateC* state, int head, int label, int dependent) noexcept nogil:
    """Build an arc; the dependent may lie inside the head's children built so far."""
    cdef int left = state.left[head], left2 = state.left2[head]
    cdef int right = state.right[head], right2 = state.right2[head]
    add_arc(state, head, label, dependent)
    if dependent < head and left != NONE and left < dependent:
        state.left[head] = left
        state.left2[head] = dependent if left2 == NONE else min(left2, dependent)
    elif dependent > head and right > dependent:
        state.right[head] = right
        state.right2[head] = max(right2, dependent)


cdef int n_waiting_for(const StateC* state, const GoldC* gold, int node) noexcept nogil:
    """Gold dependents of the node without a head."""
    cdef int i, count = 0
    for i in range(gold.first[node], gold.first[node + 1]):
        count += state.head[gold.child[i]] == NONE
    return count


cdef class Swap(ArcStandard):
    """Arc-standard with SWAP; the artificial root stands first, at the bottom of the stack.

    `costs` is a static-dynamic oracle (after de Lhoneux, Stymne & Nivre 2017). LEFT-ARC and
    RIGHT-ARC cost the gold arcs that can never be built afterwards, if all words on the stack and
    in the buffer are within reach of each other; where gold is still in reach, that is exact. SWAP
    is free where the lazy oracle swaps and costs 1 elsewhere; SHIFT costs 1 where it would take
    more swaps than the lazy oracle's to mend. So the lazy derivation of any tree is free; after an
    error costs are an estimate: of all costs in all states of all trees of four words, 77% equal
    exhaustive search, 22% are too high, and 1% too low.
    """

    oracles = ("static", "eager", "lazy", "minimal")     # "static" is lazy
    projective_only = False
    takes_partial = False         # the order to sort the words into is that of a whole tree

    def __init__(self, labels, root="first", loss="labelled", root_label="root"):
        self.name = "swap"
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "SWAP")
        self.labelled = (False, True, True, False)
        self.left_arc, self.right_arc = LEFT_ARC, RIGHT_ARC
        self.when = ("a word in the buffer",
                     "two words on the stack, the lower one not the root",
                     "a word on the stack, above another or the root",
                     "two words on the stack, in the order of the sentence, neither the root")
        System.__init__(self, labels, root, loss, root_label)
        self.check_root()

    cdef int max_steps(self, int n_words) noexcept nogil:
        return n_words * (n_words + 1)

    # SHIFT, LEFT-ARC, RIGHT-ARC  as in arc-standard
    # SWAP       when  s1 is a word that comes before s0 in the sentence
    #            does  move s1 to the front of the buffer
    cdef int valid_moves(self, const StateC* state) noexcept nogil:
        return ArcStandard.valid_moves(self, state) | can_swap(state) << SWAP

    cdef void take(self, StateC* state, int move, int label) noexcept nogil:
        cdef int s0
        if move == SHIFT:
            ArcStandard.take(self, state, move, label)
            return
        if move == RIGHT_ARC:
            add_arc_anywhere(state, top(state, 1), label, top(state, 0))
            pop(state)
            return
        s0 = pop(state)
        if move == LEFT_ARC:
            add_arc_anywhere(state, s0, label, pop(state))
        else:
            state.buffer[state.n_buffer] = pop(state)
            state.place[state.buffer[state.n_buffer]] = BUFFER
            state.n_buffer += 1
        push(state, s0)

    # SHIFT      cost  1 where the lazy oracle swaps or builds an arc, unless b goes under s0 first;
    #                  1 if s0 can only be in the way: it is complete and its gold head is gone
    # LEFT-ARC   cost  g(s1) on the stack or in the buffer, and not s0; gold dependents of s1
    #                  without a head; the label, if s0 = g(s1)
    # RIGHT-ARC  cost  the same of s0 and s1
    # SWAP       cost  1 where the lazy oracle does not swap
    cdef void move_costs(self, const StateC* state, const GoldC* gold,
                         MoveCost* costs) noexcept nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1), move
        cdef int arc = gold_arc(state, gold)
        cdef bint is_time = self.static_move(state, gold) == SWAP
        for move in range(4):
            costs[move].arcs = costs[move].labels = 0
            costs[move].label = NONE
        costs[SWAP].arcs = not is_time
        costs[SHIFT].arcs = is_time
        if s1 == NONE:
            return
        if arc != NONE:
            costs[SHIFT].arcs = arc == RIGHT_ARC or not is_under(gold, front(state, 0), s0)
        elif state.place[gold.head[s0]] == GONE and not waits(state, gold, s0):
            costs[SHIFT].arcs = 1
        if gold.head[s0] == s1:
            costs[RIGHT_ARC].label = gold.label[s0]
        if gold.head[s1] == s0:
            costs[LEFT_ARC].label = gold.label[s1]
        costs[LEFT_ARC].arcs = n_waiting_for(state, gold, s1) + (
            gold.head[s1] != s0 and state.place[gold.head[s1]] != GONE)
        costs[RIGHT_ARC].arcs = n_waiting_for(state, gold, s0) + (
            gold.head[s0] != s1 and state.place[gold.head[s0]] != GONE)

    cdef int static_move(self, const StateC* state, const GoldC* gold) noexcept nogil:
        return self.oracle_move(state, gold, 0)

    cdef int oracle_move(self, const StateC* state, const GoldC* gold, int oracle) noexcept nogil:
        cdef vector[int32_t] plan
        cdef int move = gold_arc(state, gold)
        if move != NONE:
            return move
        if not can_swap(state):
            return SHIFT if state.n_buffer > 0 else RIGHT_ARC
        make_plan(gold, plan)
        if oracle == 3:
            return minimal_move(self, state, gold, plan.data())
        return planned_move(state, gold, plan.data(), EAGER if oracle == 1 else LAZY)
