"""Arc-eager parsing that repairs its mistakes (Honnibal & Johnson 2015) and two forerunners.

All three have no artificial root. They end with one word on the stack, the root, and an empty
buffer, and derive exactly the projective trees with one root.

  arc-eager-tree     Nivre & Fernández-González (2014): once the buffer is empty, UNSHIFT puts a
                     headless top back into it, so that it meets the words below it again
  nonmonotonic-2013  Honnibal, Goldberg & Johnson (2013): LEFT-ARC overwrites a head, and REDUCE
                     attaches a headless top to the word below it
  nonmonotonic       Honnibal & Johnson (2015): LEFT-ARC overwrites a head, and UNSHIFT may put
                     back a headless top at any time; SHIFT sets a bit of the word, which forbids
                     to shift it again

Table 1 of the 2015 paper, taken literally, gets stuck: LEFT-ARC must leave b in the buffer, UNSHIFT
needs two words on the stack, and SHIFT onto an empty stack must ignore the bit. REDUCE and UNSHIFT
are one move, whose name depends on the top of the stack, and thus one class of the model.

Notation: s top of the stack, b front of the buffer, g(w) gold head of w, A(w) its head so far.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.arc_eager cimport ArcEager
from dodona.core.transitions.choices cimport Choices, best_label
from dodona.core.transitions.gold cimport GoldC, dependents_at, label_is_wrong
from dodona.core.transitions.moves cimport LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT
from dodona.core.transitions.repairs cimport After, fewest_repairs
from dodona.core.transitions.state cimport (
    BUFFER, GONE, STACK, StateC, add_arc, front, next_word, pop, push, remove_arc, top)
from dodona.core.transitions.system cimport MoveCost
from dodona.core.transitions.tree_oracle cimport price_moves

UNSHIFT_DOES = "takes a SHIFT back: the top of the stack returns to the front of the buffer"
OVERWRITE_DOES = ("makes the front of the buffer the head of the top of the stack, in place of any "
                  "head that it had, and pops it")


cdef inline void unshift(StateC* state) noexcept nogil:
    """Move the top of the stack to the front of the buffer."""
    state.buffer[state.n_buffer] = pop(state)
    state.place[state.buffer[state.n_buffer]] = BUFFER
    state.n_buffer += 1


cdef class ArcEagerTree(ArcEager):
    """Arc-eager with the tree constraint: UNSHIFT once the buffer is empty, and only then.

    `costs` is exact for every projective gold tree with one root and every reachable state; among
    the cheapest actions, `optimal` prefers those after which the fewest UNSHIFTs are needed.
    `notes[0]` is 1 once the buffer has been empty; from then on SHIFT needs an empty stack.
    """

    name = "arc-eager-tree"
    order = 2
    paper = "Nivre & Fernández-González (2014)"
    builds = "projective trees with one root"
    does = {**ArcEager.does, "UNSHIFT": UNSHIFT_DOES}
    roots = ("none",)             # the last word on the stack is the root

    def __init__(self, labels, root="none", loss="labelled", root_label="root"):
        self.other_names = {REDUCE: "UNSHIFT"}
        super().__init__(labels, root, loss, root_label)
        # after UNSHIFT onto a headless word, neither SHIFT nor REDUCE is valid
        self.needed_arcs = (((RIGHT_ARC, LEFT_ARC), False),)
        self.when = ("a word in the buffer; once the buffer has been empty, also an empty stack",
                     "a word without a head on top of the stack, and one in the buffer",
                     "a word on the stack, and one in the buffer",
                     "a word with a head on top of the stack (REDUCE), or one without a head above "
                     "another word, and an empty buffer (UNSHIFT)")

    cdef bint renamed(self, const StateC* state, int move) noexcept nogil:
        return move == REDUCE and state.head[top(state, 0)] == NONE

    cdef bint final(self, const StateC* state) except -1 nogil:
        return state.n_buffer == 0 and state.n_stack == 1

    # SHIFT      when  the buffer is not empty, and never was or the stack is empty
    # LEFT-ARC   when  there are s and b, and s has no head
    # RIGHT-ARC  when  there are s and b
    # REDUCE     when  s has a head
    # UNSHIFT    when  s has none, is not the only word, and the buffer is empty
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int moves = 0
        if self.final(state):
            return 0
        if state.n_buffer == 0:
            return 1 << REDUCE
        moves = ArcEager.valid_moves(self, state)
        if state.note[0] and state.n_stack > 0:
            moves &= ~(1 << SHIFT)
        return moves

    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        if move == REDUCE and state.head[top(state, 0)] == NONE:
            unshift(state)
        else:
            ArcEager.take(self, state, move, label)
        if state.n_buffer == 0:
            state.note[0] = 1

    # each       cost  gold arcs that can be built before, less those that can be built after, the
    #                  one it builds among them; the label, if that one is gold
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        return price_moves(self, state, gold, costs)

    # Algorithm 1 of Goldberg & Nivre (2012), then REDUCE until one word is left; the last line is
    # for trees with several roots, which these systems cannot derive.
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int move, moves = self.valid_moves(state)
        if state.n_buffer == 0:
            return REDUCE
        move = ArcEager.static_move(self, state, gold)
        return move if moves >> move & 1 else RIGHT_ARC


cdef class NonMonotonic(ArcEagerTree):
    """Honnibal & Johnson (2015); `notes` has 1 for each word that has been shifted.

    `costs` is exact for every projective gold tree with one root and every reachable state; among
    the cheapest actions, `optimal` prefers those that leave the fewest repairs: words put back by
    UNSHIFT and heads overwritten by LEFT-ARC.

    >>> from dodona import Action, Gold
    >>> system, gold = NonMonotonic(["obj", "root"]), Gold(heads=[0, 1], labels=["root", "obj"])
    >>> state = system.start(2)
    >>> for action in [Action("SHIFT"), Action("SHIFT")]:      # the second is a mistake …
    ...     state = system.step(state, action)
    >>> print(*system.valid(state))                            # … that can be repaired
    UNSHIFT
    >>> state = system.step(state, Action("UNSHIFT"))
    >>> print(*system.optimal(state, gold))
    RIGHT-ARC:obj
    """

    cdef bint unshifts            # whether headless words can be put back

    name = "nonmonotonic"
    order = 4
    paper = "Honnibal & Johnson (2015)"
    does = {**ArcEager.does, "LEFT-ARC": OVERWRITE_DOES, "UNSHIFT": UNSHIFT_DOES}

    def __init__(self, labels, root="none", loss="labelled", root_label="root"):
        super().__init__(labels, root, loss, root_label)
        self.unshifts = True
        self.when = ("a word in the buffer that has not been shifted before, or an empty stack",
                     "a word on the stack, and one in the buffer",
                     "a word on the stack, and one in the buffer",
                     "a word with a head on top of the stack (REDUCE), or one without a head above "
                     "another word (UNSHIFT)")

    # SHIFT      when  there is a b, never shifted before, or there is no s
    # LEFT-ARC   when  there are s and b
    # RIGHT-ARC  when  there are s and b
    # REDUCE     when  s has a head
    # UNSHIFT    when  s has none and is not the only word on the stack
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int moves = 0
        if state.n_buffer > 0:
            if state.n_stack == 0 or not state.note[front(state, 0)]:
                moves |= 1 << SHIFT
            if state.n_stack > 0:
                moves |= 1 << LEFT_ARC | 1 << RIGHT_ARC
        if state.n_stack > 1:        # the word at the bottom never has a head
            moves |= 1 << REDUCE
        return moves

    # SHIFT      does  push b, note it as shifted
    # LEFT-ARC   does  b → s instead of any head that s has, pop s
    # RIGHT-ARC  does  s → b, push b
    # REDUCE     does  pop s
    # UNSHIFT    does  pop s, put it back before b
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        cdef int s = top(state, 0)
        if move == SHIFT:
            state.note[front(state, 0)] = 1
            push(state, next_word(state))
        elif move == LEFT_ARC:
            if state.head[s] != NONE:
                remove_arc(state, s)
            add_arc(state, front(state, 0), label, s)
            pop(state)
        elif move == RIGHT_ARC:
            add_arc(state, s, label, front(state, 0))
            push(state, next_word(state))
        elif state.head[s] != NONE:
            pop(state)
        else:
            unshift(state)

    # SHIFT      cost  nothing: the word can be put back
    # UNSHIFT    cost  nothing
    # REDUCE     cost  g(s) in the buffer; gold dependents of s in the buffer
    # RIGHT-ARC  cost  g(b) on the stack below s; b is the root; gold dependents of b on the stack;
    #                  the label, if s = g(b)
    # LEFT-ARC   cost  gold dependents of s in the buffer, and on the stack if s has no head; unless
    #                  b = g(s): g(s) behind b, or A(s) = g(s), or s has no head and g(s) is on the
    #                  stack or s is the root; the label, if b = g(s)
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0), to_come = 0
        cdef int head_of_s = gold.head[s], built = state.head[s]
        cdef bint headless = built == NONE
        costs[SHIFT] = costs[LEFT_ARC] = costs[RIGHT_ARC] = costs[REDUCE] = MoveCost(0, 0, NONE, 0)
        if s != NONE:
            to_come = dependents_at(state, gold, s, BUFFER)
            if not headless:
                costs[REDUCE].arcs = to_come + (state.place[head_of_s] == BUFFER)
        if s != NONE and b != NONE:
            self.right_arc_cost(state, gold, &costs[RIGHT_ARC])
            costs[LEFT_ARC].arcs = to_come
            if headless:
                costs[LEFT_ARC].arcs += dependents_at(state, gold, s, STACK)
            if head_of_s == b:
                costs[LEFT_ARC].label = gold.label[s]
            elif state.place[head_of_s] == BUFFER or (headless and (
                    state.place[head_of_s] == STACK or head_of_s == 0)):
                costs[LEFT_ARC].arcs += 1
                costs[LEFT_ARC].labels -= head_of_s == 0 and label_is_wrong(
                    gold, s, self.root_label_id)
            elif not headless and built == head_of_s:
                costs[LEFT_ARC].arcs += 1
                costs[LEFT_ARC].labels -= label_is_wrong(gold, s, state.label[s])
        return self.count_repairs(state, gold, costs)

    cdef void right_arc_cost(self, const StateC* state, const GoldC* gold,
                             MoveCost* cost) noexcept nogil:
        cdef int s = top(state, 0), b = front(state, 0), head_of_b = gold.head[b]
        cost.arcs = dependents_at(state, gold, b, STACK) + (
            head_of_b == 0 or head_of_b != s and state.place[head_of_b] == STACK)
        cost.labels = -(head_of_b == 0 and label_is_wrong(gold, b, self.root_label_id))
        cost.label = gold.label[b] if head_of_b == s else NONE

    cdef int count_repairs(self, const StateC* state, const GoldC* gold,
                           MoveCost* costs) except -1 nogil:
        """Count for each valid move its own repair, if it is one, and the fewest that remain."""
        cdef int s = top(state, 0), b = front(state, 0), moves = self.valid_moves(state)
        cdef bint headless = state.head[s] == NONE, unshifts = self.unshifts
        cdef After after
        if moves >> SHIFT & 1:
            after = After(state, gold, unshifts, b, STACK, NONE)
            costs[SHIFT].repairs = fewest_repairs(&after)
        if moves >> RIGHT_ARC & 1:
            after = After(state, gold, unshifts, b, STACK, s)
            costs[RIGHT_ARC].repairs = fewest_repairs(&after)
        if moves >> LEFT_ARC & 1:
            after = After(state, gold, unshifts, s, GONE, b)
            costs[LEFT_ARC].repairs = fewest_repairs(&after) + (not headless)
        if moves >> REDUCE & 1:
            if not headless:
                after = After(state, gold, unshifts, s, GONE, state.head[s])
            elif unshifts:
                after = After(state, gold, unshifts, s, BUFFER, NONE)
            else:
                after = After(state, gold, unshifts, s, GONE, top(state, 1))
            costs[REDUCE].repairs = fewest_repairs(&after) + headless


cdef class NonMonotonic2013(NonMonotonic):
    """Honnibal, Goldberg & Johnson (2013), where REDUCE continues until one word is left.

    `notes` has for each word the id of the label that REDUCE gives it if it has no head. At SHIFT,
    a search with a model records the label of the best RIGHT-ARC; without a model it is the first
    of the system's labels. `costs` is exact either way, for projective gold trees with one root.
    """

    name = "nonmonotonic-2013"
    order = 3
    paper = "Honnibal, Goldberg & Johnson (2013)"
    does = {**ArcEager.does, "LEFT-ARC": OVERWRITE_DOES,
            "REDUCE": "pops the top of the stack; if that has no head, the word below becomes its "
                      "head"}

    def __init__(self, labels, root="none", loss="labelled", root_label="root"):
        super().__init__(labels, root, loss, root_label)
        self.unshifts = False
        self.takes_notes = True
        self.needed_arcs = ()            # SHIFT is always valid, or else REDUCE
        self.when = ("a word in the buffer",
                     "a word on the stack, and one in the buffer",
                     "a word on the stack, and one in the buffer",
                     "two words on the stack")

    cdef bint renamed(self, const StateC* state, int move) noexcept nogil:
        return False

    # SHIFT records the label of the best RIGHT-ARC.
    cdef int note_scores(self, StateC* state, const Choices* choices) noexcept nogil:
        cdef int label = best_label(choices, RIGHT_ARC)
        self.repeat_note(state, label)
        return label

    cdef void repeat_note(self, StateC* state, int note) noexcept nogil:
        if state.n_buffer > 0:
            state.note[front(state, 0)] = note

    # SHIFT      when  there is a b
    # REDUCE     when  s is not the only word on the stack; the rest as in 2015
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        return NonMonotonic.valid_moves(self, state) | (state.n_buffer > 0) << SHIFT

    # SHIFT      does  push b
    # REDUCE     does  if s has no head, the word below s → s; pop s; the rest as in 2015
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        if move == SHIFT:
            push(state, next_word(state))
        elif move == REDUCE and state.head[top(state, 0)] == NONE:
            add_arc(state, top(state, 1), state.note[top(state, 0)], top(state, 0))
            pop(state)
        else:
            NonMonotonic.take(self, state, move, label)

    # SHIFT      cost  g(b) on the stack below s; gold dependents of b on the stack; b is the root
    #                  and the stack not empty; the label, if s = g(b) and another one is noted
    # REDUCE     cost  g(s) in the buffer; gold dependents of s in the buffer
    # RIGHT-ARC  cost  as in 2015
    # LEFT-ARC   cost  gold dependents of s in the buffer; unless b = g(s): g(s) behind b, or
    #                  A(s) = g(s), or s has no head and g(s) is the word below, or s is the root
    #                  and at the bottom; the label, if b = g(s)
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int s = top(state, 0), b = front(state, 0), to_come = 0
        cdef int head_of_s = gold.head[s], head_of_b = gold.head[b]
        cdef int kept = state.head[s], label = state.label[s]
        costs[SHIFT] = costs[LEFT_ARC] = costs[RIGHT_ARC] = costs[REDUCE] = MoveCost(0, 0, NONE, 0)
        if s != NONE:
            to_come = dependents_at(state, gold, s, BUFFER)
            costs[REDUCE].arcs = to_come + (state.place[head_of_s] == BUFFER)
            if kept == NONE:         # the head that s gets if nothing else does
                kept = top(state, 1) if state.n_stack > 1 else 0
                label = state.note[s] if state.n_stack > 1 else self.root_label_id
        if s != NONE and b != NONE:
            self.right_arc_cost(state, gold, &costs[RIGHT_ARC])
            costs[SHIFT].arcs = costs[RIGHT_ARC].arcs
            costs[SHIFT].labels = costs[RIGHT_ARC].labels + (
                head_of_b == s and label_is_wrong(gold, b, state.note[b]))
            costs[LEFT_ARC].arcs = to_come
            if head_of_s == b:
                costs[LEFT_ARC].label = gold.label[s]
            elif state.place[head_of_s] == BUFFER or kept == head_of_s:
                costs[LEFT_ARC].arcs += 1
                costs[LEFT_ARC].labels -= kept == head_of_s and label_is_wrong(gold, s, label)
        return self.count_repairs(state, gold, costs)
