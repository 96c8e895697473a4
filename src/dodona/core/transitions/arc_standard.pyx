"""Arc-standard parsing (Nivre 2004) and its exact dynamic oracle (Goldberg, Sartorio & Satta 2014).

Arcs join the two topmost words of the stack, and a word is complete when it gets its head. Gold
arcs cannot be judged one by one: two may each be reachable, but not both. The oracle finds the tree
that keeps the most of them. Words of the buffer can be joined freely, so whole gold subtrees there
count as one word; what remains is a left row (the stack) and a right row, joined from their meeting
point outwards. `kept` is the largest number of gold arcs, by dynamic programming.

Notation: s0 and s1 the two topmost words, b front of the buffer, g(w) gold head of w.
"""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport LEFT_ARC, RIGHT_ARC, SHIFT
from dodona.core.transitions.state cimport StateC, add_arc, front, next_word, pop, push, top
from dodona.core.transitions.system cimport MoveCost, System

cdef enum:
    IMPOSSIBLE = -(1 << 29)


cdef int join_subtrees(const vector[int32_t]& left, const vector[int32_t]& buffer,
                       const GoldC* gold, vector[int32_t]& right) except -1 nogil:
    """Fill the right row; return the number of gold arcs inside its subtrees.

    A word of the buffer is part of the row if its gold head is not in the buffer, or if a gold
    descendant of it is on the stack.
    """
    cdef vector[char] waiting, in_buffer
    cdef int i, j, word, n_joined = 0
    waiting.resize(gold.n_words + 1, False)
    in_buffer.resize(gold.n_words + 1, False)
    for i in range(<int> left.size()):
        waiting[left[i]] = True
    for i in range(<int> buffer.size()):
        in_buffer[buffer[i]] = True
    for i in range(<int> buffer.size()):
        word = buffer[i]
        for j in range(gold.first[word], gold.first[word + 1]):
            waiting[word] |= waiting[gold.child[j]]
        if waiting[word] or gold.head[word] == NONE or not in_buffer[gold.head[word]]:
            right.push_back(word)
        else:
            n_joined += 1
    return n_joined


cdef inline void raise_to(int32_t* value, int32_t candidate) noexcept nogil:
    if candidate > value[0]:
        value[0] = candidate


cdef int kept(const vector[int32_t]& left, const vector[int32_t]& buffer,
              const GoldC* gold) except -1 nogil:
    """Return the most gold arcs that can be built from the words of a stack and a buffer.

    With left[i:] and right[:j] joined into one tree, `table[j][h]` is the most arcs if the h-th
    word of both rows is its top; the tree then becomes head or dependent of a neighbour.
    """
    cdef vector[int32_t] right, words
    cdef vector[int32_t] table, below
    cdef int n_joined = join_subtrees(left, buffer, gold, right)
    cdef int n_left = <int> left.size(), n_right = <int> right.size()
    cdef size_t n = n_left + n_right          # squares of it do not fit an int
    cdef int i, j, h, word, other
    cdef int32_t value
    words.insert(words.end(), left.begin(), left.end())
    words.insert(words.end(), right.begin(), right.end())
    table.resize((n_right + 1) * n, IMPOSSIBLE)
    table[n_left - 1] = 0
    for i in range(n_left - 1, -1, -1):
        below.clear()
        below.resize((n_right + 1) * n, IMPOSSIBLE)
        for j in range(n_right + 1):
            for h in range(i, n_left + j):
                value = table[j * n + h]
                if value < 0:
                    continue
                word = words[h]
                if i > 0:
                    other = words[i - 1]
                    raise_to(&below[j * n + i - 1], value + (gold.head[word] == other))
                    if i > 1:                                   # the root has no head
                        raise_to(&below[j * n + h], value + (gold.head[other] == word))
                if j < n_right:
                    other = words[n_left + j]
                    raise_to(&table[(j + 1) * n + h], value + (gold.head[other] == word))
                    if h > 0:
                        raise_to(&table[(j + 1) * n + n_left + j],
                                 value + (gold.head[word] == other))
        if i > 0:
            table.swap(below)
    return n_joined + table[n_right * n]


cdef class ArcStandard(System):
    """The arc-standard system; the artificial root is at the bottom of the stack.

    `costs` is exact for every projective gold tree and every reachable state. For a non-projective
    one it is an estimate, in which some action is always free.
    """

    name = "arc-standard"
    order = 5
    paper = "Nivre (2004); costs by Goldberg, Sartorio & Satta (2014)"
    joins = "stack"
    does = {
        "SHIFT": "puts the front of the buffer on top of the stack",
        "LEFT-ARC": "makes the top of the stack the head of the word below it, which is taken out",
        "RIGHT-ARC": "makes the second word of the stack the head of the top, which is popped",
    }
    default_templates = "rich-stack"
    most_words = 2000             # a state's costs take up to n³ steps

    def __init__(self, labels, root="first", loss="labelled", root_label="root"):
        self.moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
        self.labelled = (False, True, True)
        self.left_arc, self.right_arc = LEFT_ARC, RIGHT_ARC
        self.when = ("a word in the buffer",
                     "two words on the stack, the lower one not the root",
                     "a word on the stack, above another or the root")
        # only arcs empty the stack, the last one from the root
        self.needed_arcs = ((RIGHT_ARC,), True), ((RIGHT_ARC, LEFT_ARC), False)
        super().__init__(labels, root, loss, root_label)

    cdef bint final(self, const StateC* state) except -1 nogil:
        return state.n_buffer == 0 and state.n_stack == 1

    # SHIFT      when  the buffer is not empty
    # LEFT-ARC   when  s1 is a word
    # RIGHT-ARC  when  there is an s1
    cdef int valid_moves(self, const StateC* state) except -1 nogil:
        cdef int moves = 0
        if state.n_buffer > 0:
            moves |= 1 << SHIFT
        if state.n_stack > 1:
            moves |= 1 << RIGHT_ARC
        if state.n_stack > 2:
            moves |= 1 << LEFT_ARC
        return moves

    # SHIFT      does  push b
    # LEFT-ARC   does  s0 → s1, take s1 out
    # RIGHT-ARC  does  s1 → s0, pop s0
    cdef int take(self, StateC* state, int move, int label) except -1 nogil:
        cdef int s0
        if move == SHIFT:
            push(state, next_word(state))
        elif move == LEFT_ARC:
            s0 = pop(state)
            add_arc(state, s0, label, pop(state))
            push(state, s0)
        else:
            add_arc(state, top(state, 1), label, top(state, 0))
            pop(state)

    # each       cost  gold arcs that can be kept before, less those kept after, the arc it builds
    #                  among them; the label, if that arc is gold
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1), b = front(state, 0), move, most = 0
        cdef int word, first_word = gold.n_words + 1 if b == NONE else b
        cdef int moves = self.valid_moves(state)
        cdef int n_kept[3]
        cdef bint is_gold[3]
        cdef vector[int32_t] stack, buffer
        is_gold[SHIFT] = False
        is_gold[LEFT_ARC] = gold.head[s1] == s0
        is_gold[RIGHT_ARC] = gold.head[s0] == s1 and s1 != NONE
        for move in range(3):
            n_kept[move] = 0
            if moves >> move & 1:
                stack.assign(state.stack, state.stack + state.n_stack)
                if move == SHIFT:
                    stack.push_back(b)
                else:
                    stack.pop_back()
                if move == LEFT_ARC:
                    stack[stack.size() - 1] = s0
                buffer.clear()
                for word in range(first_word + (move == SHIFT), gold.n_words + 1):
                    buffer.push_back(word)
                n_kept[move] = is_gold[move] + kept(stack, buffer, gold)
                most = max(most, n_kept[move])
        for move in range(3):
            costs[move].arcs = most - n_kept[move]
            costs[move].labels = 0
            costs[move].label = NONE
        if is_gold[LEFT_ARC]:
            costs[LEFT_ARC].label = gold.label[s1]
        if is_gold[RIGHT_ARC]:
            costs[RIGHT_ARC].label = gold.label[s0]

    cdef int gold_label(self, const StateC* state, const GoldC* gold, int move) except -4 nogil:
        cdef int s0 = top(state, 0), s1 = top(state, 1)
        if move == LEFT_ARC:
            return gold.label[s1] if gold.head[s1] == s0 else NONE
        return gold.label[s0] if gold.head[s0] == s1 and s1 != NONE else NONE

    # A gold arc as soon as its dependent is complete; an unreachable tree ends in other arcs.
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil:
        cdef int move = gold_arc(state, gold)
        if move != NONE:
            return move
        return SHIFT if state.n_buffer > 0 else RIGHT_ARC
