"""Arc-standard parsing with online reordering (Nivre 2009; Nivre, Kuhlmann & Hall 2009).

SWAP moves the second topmost word back to the buffer, so that any two words can become neighbours
and any tree can be built. A pair is swapped at most once, from its order in the sentence, so every
derivation ends. The static oracles in `swap_oracles` decide when to swap.

Notation: s0 and s1 the two topmost words.
"""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.arc_standard cimport ArcStandard, gold_arc, kept
from dodona.core.transitions.exact_search cimport search_costs
from dodona.core.transitions.gold cimport EncodedGold, Gold, GoldC
from dodona.core.transitions.moves cimport LEFT_ARC, RIGHT_ARC, SHIFT, SWAP
from dodona.core.transitions.state cimport (
    BUFFER, GONE, StateC, add_arc_anywhere, copy, pop, push, top)
from dodona.core.transitions.swap_oracles cimport (
    EAGER, LAZY, MINIMAL, can_swap, is_in_order, keeps_all, make_plan, minimal_move, order_of,
    planned_move)
from dodona.core.transitions.system cimport MoveCost, State, System


cdef int words_after(const StateC* state, int move, vector[int32_t]& stack,
                     vector[int32_t]& buffer) except -1 nogil:
    """Write stack and buffer (its front last) after a move; NONE: no move."""
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
                    const int32_t* order, size_t depth) noexcept nogil:
    """Whether a stack word must be swapped with one above it or, later, in the buffer."""
    cdef int word = stack[depth], other
    cdef size_t i
    for i in range(depth + 1, stack.size() + buffer.size()):
        other = stack[i] if i < stack.size() else buffer[i - stack.size()]
        if word < other and order[other] < order[word]:
            return True
    return False


cdef int n_kept(const StateC* state, const GoldC* gold, int move, int fixed) except -1 nogil:
    """Return the most gold arcs that arc-standard can build after a move, with sorted words.

    A stack word that must be swapped counts as part of the buffer, and the buffer as sorted: all
    swaps towards the projective order are assumed, except for the word `fixed`.
    """
    cdef const int32_t* order = order_of(gold)
    cdef bint in_order = is_in_order(gold)
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


cdef inline bint is_left(const StateC* state, int node) noexcept nogil:
    """Whether a node is on the stack or in the buffer."""
    return node != NONE and state.place[node] != GONE


cdef class Swap(ArcStandard):
    """Arc-standard with SWAP; the artificial root is first, at the bottom of the stack.

    `costs` is exact, by search, while at most `exact_words` words are left on the stack and in the
    buffer; among the cheapest actions, `optimal` then prefers SWAP exactly where the static oracle
    swaps. Before that, costs are those of a static-dynamic oracle (de Lhoneux, Stymne & Nivre
    2017): arc-standard's, with the words in the projective order of the gold tree as far as swaps
    can still achieve it; for a projective tree, until a SWAP, they are arc-standard's own. SWAP
    costs 1 more where the static oracle does not swap, SHIFT where it does; the oracle's own
    derivation of any tree is free. Repairs by swaps outside the projective order are ignored: of
    all costs in all states of all trees of four words, 80% equal exhaustive search, 12% are too
    high, and 8% too low. `bounds` gives bounds of the exact costs for any number of words.
    """

    name = "swap"
    order = 7
    paper = "Nivre (2009)"
    builds = "all trees"
    exactness = "exact for six words, static-dynamic before"
    does = {**ArcStandard.does,
            "SWAP": "moves the second word of the stack back to the front of the buffer, so that "
                    "words meet that did not stand side by side"}
    oracles = {"static": LAZY, "eager": EAGER, "lazy": LAZY, "minimal": MINIMAL}
    projective_only = False
    takes_partial = False         # the projective order needs a complete tree
    searches = 6

    def __init__(self, labels, root="first", loss="labelled", root_label="root"):
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC", "SWAP")
        self.labelled = (False, True, True, False)
        self.left_arc, self.right_arc = LEFT_ARC, RIGHT_ARC
        self.when = ("a word in the buffer",
                     "two words on the stack, the lower one not the root",
                     "a word on the stack, above another or the root",
                     "two words on the stack, in the order of the sentence, neither the root")
        self.needed_arcs = ((RIGHT_ARC,), True), ((RIGHT_ARC, LEFT_ARC), False)
        System.__init__(self, labels, root, loss, root_label)

    cdef int plan(self, const GoldC* gold, int32_t* plan) except -1 nogil:
        return make_plan(gold, plan)

    def bounds(self, State state not None, Gold gold not None):
        """Return {action: (lower, upper)}, bounds of the exact cost of every valid action.

        The smallest loss after an action is at most the static oracle's from that state, and at
        least the number of gold arcs with an end that is no longer available.

        >>> from dodona import Action, Gold
        >>> system, gold = Swap(["dep"]), Gold(heads=[3, 0, 2], labels=["dep"] * 3)
        >>> state = system.step(system.step(system.start(3), Action("SHIFT")), Action("SHIFT"))
        >>> {action.move: pair for action, pair in system.bounds(state, gold).items()}
        {'SHIFT': (0, 1), 'LEFT-ARC': (1, 1), 'RIGHT-ARC': (2, 2), 'SWAP': (0, 0)}
        """
        cdef EncodedGold reference = self._priced(gold, state)
        cdef int move, moves = self._moves(state)
        arcs = {move: self._arcs_after(state, reference, move) for move in range(SWAP + 1)
                if moves >> move & 1}
        fewest = max((low for low, _ in arcs.values()), default=0)
        most = max((high for _, high in arcs.values()), default=0)
        found = {}
        for move, label in self._actions:
            if moves >> move & 1:
                low, high = arcs[move]
                right = NONE if label == NONE else self.gold_label(&state.c, &reference.c, move)
                lost = self.label_price * (right not in (NONE, label))
                found[self._named(state, (move, label))] = (
                    self.arc_price * max(fewest - high, 0) + lost,
                    self.arc_price * (most - low) + lost)
        return found

    def _arcs_after(self, State state, EncodedGold reference, int move):
        """Return bounds of the gold arcs that a move and its best continuation build."""
        cdef const GoldC* gold = &reference.c
        cdef State after = self.state_class(self, state.c.n_words)
        cdef int worth = self.arc_worth(&state.c, gold, move), hoped, built = 0
        copy(&after.c, &state.c)
        self.take(&after.c, move, 0)
        hoped = self.arcs_hoped_for(&after.c, gold)
        while not self.final(&after.c):
            move = planned_move(&after.c, gold, LAZY)
            built += self.arc_worth(&after.c, gold, move)
            self.take(&after.c, move, 0)
        return worth + built, worth + hoped

    # SHIFT, LEFT-ARC, RIGHT-ARC  as in arc-standard
    # SWAP       when  s1 is a word that comes before s0 in the sentence
    #            does  move s1 to the front of the buffer
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        return ArcStandard.valid_moves(self, state) | can_swap(state) << SWAP

    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        cdef int s0
        if move == SHIFT:
            return ArcStandard.take(self, state, move, label)
        if move == RIGHT_ARC:
            add_arc_anywhere(state, top(state, 1), label, top(state, 0))
            pop(state)
            return 0
        s0 = pop(state)
        if move == LEFT_ARC:
            add_arc_anywhere(state, s0, label, pop(state))
        else:
            state.buffer[state.n_buffer] = pop(state)
            state.place[state.buffer[state.n_buffer]] = BUFFER
            state.n_buffer += 1
        push(state, s0)

    # each       cost  while few words are left, the gold arcs that it loses, by search; else gold
    #                  arcs that can be kept before, less those kept after, as in arc-standard, with
    #                  all swaps of the projective order assumed; the label, if the arc
    #                  it builds is gold
    # SHIFT      cost  1 more where the static oracle swaps, if costs are not searched for
    # SWAP       cost  1 more where it does not, likewise
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef bint swaps
        if not self.few_are_left(state):
            return self.estimate(state, gold, costs)
        search_costs(self, state, gold, costs)
        costs[LEFT_ARC].label = self.gold_label(state, gold, LEFT_ARC)
        costs[RIGHT_ARC].label = self.gold_label(state, gold, RIGHT_ARC)
        swaps = self.static_move(state, gold) == SWAP
        costs[SHIFT].repairs, costs[SWAP].repairs = swaps, not swaps
        return 0

    # While few words are left, a search decides. Before that, a move is kept if the derivation of
    # a static oracle after it has all gold arcs; words that none of them needs are attached to
    # whatever is beside them. The next move of that derivation is kept then, so some move always
    # is, but now and then one is left out that would do.
    cdef int kept_moves(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int move, policy, found = 0, moves = self.valid_moves(state)
        if self.few_are_left(state):
            return System.kept_moves(self, state, gold)
        for move in range(SWAP + 1):
            for policy in range(EAGER, LAZY + 1):
                if moves >> move & 1 and not found >> move & 1 and (
                        keeps_all(self, state, gold, move, policy)):
                    found |= 1 << move
        return found

    cdef int arc_worth(self, const StateC* state, const GoldC* gold, int move) noexcept nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1)
        if move == LEFT_ARC:
            return gold.head[s1] == s0
        return move == RIGHT_ARC and gold.head[s0] == s1

    cdef int arcs_hoped_for(self, const StateC* state, const GoldC* gold) noexcept nogil:
        """Count the remaining words whose gold heads remain, too."""
        cdef int i, count = 0
        for i in range(1, state.n_stack):
            count += is_left(state, gold.head[state.stack[i]])
        for i in range(state.n_buffer):
            count += is_left(state, gold.head[state.buffer[i]])
        return count

    cdef int estimate(self, const StateC* state, const GoldC* gold,
                      MoveCost* costs) except -1 nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1), move, most = 0
        cdef int moves = self.valid_moves(state)
        cdef bint is_time = self.static_move(state, gold) == SWAP
        if is_time:                             # unless it is too late to save an arc
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
        for move in range(SWAP + is_time):      # without swaps that would repair an error
            most = max(most, costs[move].arcs)
        for move in range(4):
            costs[move].arcs = max(most - costs[move].arcs, 0)
        costs[SHIFT].arcs += is_time
        costs[SWAP].arcs += not is_time

    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        return self.oracle_move(state, gold, self.oracle)

    cdef int oracle_move(self, const StateC* state, const GoldC* gold, int oracle) except -1 nogil:
        cdef int move = gold_arc(state, gold)
        if move != NONE:
            return move
        if not can_swap(state):
            return SHIFT if state.n_buffer > 0 else RIGHT_ARC
        if oracle == MINIMAL:
            return minimal_move(self, state, gold)
        return planned_move(state, gold, oracle)
