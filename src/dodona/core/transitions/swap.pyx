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

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.arc_standard cimport ArcStandard, gold_arc, kept
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport LEFT_ARC, RIGHT_ARC, SHIFT, SWAP
from dodona.core.transitions.state cimport (
    BUFFER, StateC, add_arc, copy, front, lay_out, pop, push, state_size, top)
from dodona.core.transitions.system cimport MoveCost, System

cdef enum:
    EAGER, LAZY, PATIENT

cdef enum:
    IN_ORDER, CROSSING        # plan[NONE] once made: whether the tree is projective

cdef enum:
    FAILED = 1 << 30          # swaps of a derivation that misses a gold arc


cdef void set_order(const GoldC* gold, int32_t* order) noexcept nogil:
    """The place of each node in the projective order: its left dependents, itself, the others.

    The root comes first, then the words under it; so do words without a gold head.
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


cdef const int32_t* plan_of(const GoldC* gold) noexcept nogil:
    """Order of all nodes, then their components; worked out once for each gold tree."""
    cdef int node
    if gold.plan[NONE] == NONE:
        set_order(gold, gold.plan)
        set_components(gold, gold.plan + gold.n_words + 1)
        gold.plan[NONE] = IN_ORDER
        for node in range(gold.n_words + 1):
            if gold.plan[node] != node:
                gold.plan[NONE] = CROSSING
    return gold.plan


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


cdef void words_after(const StateC* state, int move, vector[int32_t]& stack,
                      vector[int32_t]& buffer) noexcept nogil:
    """Stack and buffer (its front last) after a move, or (NONE) as they are."""
    cdef int s0
    stack.assign(state.stack, state.stack + state.n_stack)
    buffer.assign(state.buffer, state.buffer + state.n_buffer)
    if move == SHIFT:
        stack.push_back(buffer.back())
        buffer.pop_back()
    elif move != NONE:
        s0 = stack.back()
        stack.pop_back()
        if move == SWAP:
            buffer.push_back(stack.back())
        if move != RIGHT_ARC:
            stack[stack.size() - 1] = s0


cdef bint must_move(const vector[int32_t]& stack, const vector[int32_t]& buffer,
                    const int32_t* order, size_t place) noexcept nogil:
    """Whether a word of the stack is to be swapped with one above it or, later, of the buffer."""
    cdef int word = stack[place], other
    cdef size_t i
    for i in range(place + 1, stack.size() + buffer.size()):
        other = stack[i] if i < stack.size() else buffer[i - stack.size()]
        if word < other and order[other] < order[word]:
            return True
    return False


cdef int n_kept(const StateC* state, const GoldC* gold, int move, int fixed) noexcept nogil:
    """The most gold arcs that arc-standard can build after a move, once the words are in order.

    A word of the stack that must be swapped counts as part of the buffer already, and the buffer as
    sorted: what SWAP can do for the gold tree is taken for granted, but for one word that stays.
    """
    cdef const int32_t* order = plan_of(gold)
    cdef bint in_order = gold.plan[NONE] == IN_ORDER
    cdef vector[int32_t] stack, buffer, left, right, at
    cdef size_t i
    words_after(state, move, stack, buffer)
    at.resize(gold.n_words + 1, NONE)
    for i in range(stack.size()):
        if in_order or stack[i] == fixed or not must_move(stack, buffer, order, i):
            left.push_back(stack[i])
        else:
            at[order[stack[i]]] = stack[i]
    for i in range(buffer.size()):
        at[order[buffer[i]]] = buffer[i]
    for i in range(at.size()):
        if at[i] != NONE:
            right.push_back(at[i])
    return kept(left, right, gold)


cdef class Swap(ArcStandard):
    """Arc-standard with SWAP; the artificial root stands first, at the bottom of the stack.

    `costs` is a static-dynamic oracle (de Lhoneux, Stymne & Nivre 2017): that of arc-standard with
    the words in the projective order of the gold tree, as far as swaps can still bring them
    there; for a projective tree, until a SWAP, they are arc-standard's. SWAP costs 1 more where the
    static oracle does not swap, SHIFT where it does; the oracle's own derivation of any tree is
    free. Repairs by a SWAP that no projective order asks for are left out of account: of all costs
    in all states of all trees of four words, 80% equal exhaustive search, 12% are too high, and 8%
    too low.
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

    # each       cost  gold arcs that can be kept before, less those kept after, as in arc-standard,
    #                  with the swaps of the projective order taken for granted; the label, if the
    #                  arc it builds is gold
    # SHIFT      cost  1 more where the static oracle swaps
    # SWAP       cost  1 more where it does not
    cdef void move_costs(self, const StateC* state, const GoldC* gold,
                         MoveCost* costs) noexcept nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1), move, most = 0
        cdef int moves = self.valid_moves(state)
        cdef bint is_time = self.static_move(state, gold) == SWAP
        if is_time:                             # unless it comes too late to keep an arc
            is_time = n_kept(state, gold, NONE, NONE) > n_kept(state, gold, NONE, s1)
        for move in range(4):
            costs[move].arcs = costs[move].labels = 0
            costs[move].label = NONE
            if moves >> move & 1:
                costs[move].arcs = n_kept(state, gold, move, NONE)
        if gold.head[s0] == s1 and s1 != NONE:
            costs[RIGHT_ARC].label = gold.label[s0]
            costs[RIGHT_ARC].arcs += 1
        if gold.head[s1] == s0 and s1 != NONE:
            costs[LEFT_ARC].label = gold.label[s1]
            costs[LEFT_ARC].arcs += 1
        for move in range(SWAP + is_time):      # a swap that is not planned would repair an error
            most = max(most, costs[move].arcs)
        for move in range(4):
            costs[move].arcs = max(most - costs[move].arcs, 0)
        costs[SHIFT].arcs += is_time
        costs[SWAP].arcs += not is_time

    cdef int static_move(self, const StateC* state, const GoldC* gold) noexcept nogil:
        return self.oracle_move(state, gold, self.oracle)

    cdef int oracle_move(self, const StateC* state, const GoldC* gold, int oracle) noexcept nogil:
        cdef int move = gold_arc(state, gold)
        if move != NONE:
            return move
        if not can_swap(state):
            return SHIFT if state.n_buffer > 0 else RIGHT_ARC
        if oracle == 3:
            return minimal_move(self, state, gold, plan_of(gold))
        return planned_move(state, gold, plan_of(gold), EAGER if oracle == 1 else LAZY)
