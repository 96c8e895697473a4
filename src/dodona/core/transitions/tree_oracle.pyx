"""The exact dynamic oracle of arc-eager-tree: the effect of UNSHIFT, by dynamic programming.

A stack is a sequence of chains: a headless word, then words each of which depends on the word below
it. Once the buffer is empty, all but one of the headless words must get a head, and there is little
choice. The uppermost, x, is put back and meets one chain after the other, from the top: it becomes
a dependent of a word of the chain, whose headless word is then put back in turn, or it takes that
headless word as a dependent and continues. If it is never attached, it is the root. `end_worth` is
the best result, computed chain by chain from the bottom; of x, only gold arcs count.

Before that, all gold arcs between words of the buffer, and between these and the stack, can be
built as in arc-eager, with three exceptions. Some chain, or none, is the last that stays until the
end, and gold arcs across it are lost. For a chain above it to disappear, a word of the buffer must
take its headless word as a dependent; if that word depends on the chain itself, an arc is lost. And
a word that stays until the end loses a gold head in the buffer. `most` tries every chain.

No word of the buffer needs to wait for the end: what it would do there it can do when it comes to
the front, since the stack below it does not change in between.

Notation: s top of the stack, b front of the buffer, g(w) gold head of w.
"""
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC, label_is_wrong
from dodona.core.transitions.moves cimport LEFT_ARC, REDUCE, RIGHT_ARC
from dodona.core.transitions.repairs cimport After, head_of, live_word, place_of, stack_size
from dodona.core.transitions.state cimport BUFFER, GONE, STACK, StateC, front, top
from dodona.core.transitions.system cimport MoveCost, System


cdef struct Prospect:         # worths of the continuations of a state; a repair is worth -1
    const StateC* state
    const GoldC* gold
    int64_t scale             # more than all repairs together
    int64_t arc               # worth of a gold arc
    int64_t label             # worth of its label
    int32_t root_label
    int64_t* worth            # by stack index: if the headless word of its chain is put back next
    int64_t* best             # by stack index: the largest worth of all chains below


cdef inline int64_t root_worth(const Prospect* ahead, int word) noexcept nogil:
    """Return the worth of leaving the word over as the root."""
    if ahead.gold.head[word] != 0:
        return 0
    return ahead.arc - ahead.label * label_is_wrong(ahead.gold, word, ahead.root_label)


cdef int stack_index(const StateC* state, int word) noexcept nogil:
    """Return the index of a word on the stack, which is in the order of the sentence."""
    cdef int low = 0, high = state.n_stack - 1, middle
    while low < high:
        middle = (low + high) // 2
        if state.stack[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low


cdef int64_t end_worth(const Prospect* ahead, int word, int n_below) noexcept nogil:
    """Return the best worth of a headless word that is put back onto `n_below` stack words.

    It may take any number of chains as dependents, and then best becomes a dependent of the chain
    of the largest worth.
    """
    cdef const GoldC* gold = ahead.gold
    cdef const StateC* state = ahead.state
    cdef int64_t taken = 0, most = ahead.best[n_below]
    cdef int head = gold.head[word], i, child
    cdef bint awaits_head = head > 0 and head < word and state.place[head] == STACK
    for i in range(gold.first[word + 1] - 1, gold.first[word] - 1, -1):
        child = gold.child[i]
        if awaits_head and child < head:
            break
        if child < word and state.place[child] == STACK and state.head[child] == NONE:
            taken += ahead.arc
            most = max(most, taken + ahead.best[stack_index(state, child)])
    if awaits_head:
        return max(most, taken + ahead.arc + ahead.worth[stack_index(state, head)])
    return max(most, taken + root_worth(ahead, word))


cdef void set_worths(Prospect* ahead) noexcept nogil:
    """Compute worths chain by chain; the bottom word can be the root without UNSHIFT."""
    cdef const StateC* state = ahead.state
    cdef int i
    ahead.best[0] = 0
    for i in range(state.n_stack):
        ahead.best[i + 1] = ahead.best[i]
        if state.head[state.stack[i]] == NONE:
            ahead.worth[i] = end_worth(ahead, state.stack[i], i) - (i > 0)
            ahead.best[i + 1] = max(ahead.best[i], ahead.worth[i])
        else:
            ahead.worth[i] = ahead.worth[i - 1]


cdef int dependents_to_come(const After* after, int word) noexcept nogil:
    cdef const GoldC* gold = after.gold
    cdef int i = gold.first[word + 1] - 1, count = 0
    while i >= gold.first[word] and gold.child[i] > word:
        count += place_of(after, gold.child[i]) == BUFFER
        i -= 1
    return count


cdef inline bint has_head_in_buffer(const After* after, int word) noexcept nogil:
    cdef int head = after.gold.head[word]
    return head > 0 and place_of(after, head) == BUFFER


cdef int64_t root_in_buffer(const Prospect* ahead, const After* after) noexcept nogil:
    """Return the worth of the gold root if it is in the buffer."""
    cdef const GoldC* gold = after.gold
    cdef int64_t most = 0
    cdef int i
    for i in range(gold.first[0], gold.first[1]):
        if place_of(after, gold.child[i]) == BUFFER:
            most = max(most, root_worth(ahead, gold.child[i]))
    return most


cdef int64_t most(const Prospect* ahead, const After* after) noexcept nogil:
    """Return the largest worth after a move, of arcs that touch the stack and of the end."""
    cdef int n = stack_size(after), i = n + (after.place == STACK), word, head
    cdef int last = after.state.buffer[0] if after.state.n_buffer > 0 else after.moved
    cdef int64_t found = 0, gained = 0, lost = 0, worth
    cdef bint is_first = True, is_under = False, is_over = place_of(after, last) != BUFFER
    while not is_over and has_head_in_buffer(after, last):
        last = after.gold.head[last]         # up to the ancestor whose head is not in the buffer
    while i > 0:
        i -= 1
        word = live_word(after, i)
        head = head_of(after, word)
        if i < n:
            worth = ahead.worth[i]
        elif head == NONE:
            worth = end_worth(ahead, word, n) - (n > 0)
        else:
            worth = ahead.worth[n - 1]
        gained += ahead.arc * dependents_to_come(after, word)
        is_under = is_under or after.gold.head[last] == word
        if head == NONE:                     # if this chain stays until the end
            found = gained - lost + worth if is_first else max(found, gained - lost + worth)
            is_first = False
            if is_over:
                return found
            gained += ahead.arc * has_head_in_buffer(after, word)
            lost = ahead.arc * is_under      # if it disappears
    worth = gained - lost + root_in_buffer(ahead, after)
    return worth if is_first else max(found, worth)


cdef int64_t worth_of(const Prospect* ahead, int move) noexcept nogil:
    """Return the worth of a move and its continuations, up to a constant."""
    cdef const StateC* state = ahead.state
    cdef const GoldC* gold = ahead.gold
    cdef int s = top(state, 0), b = front(state, 0)
    cdef After after
    if move == LEFT_ARC:
        after = After(state, gold, True, s, GONE, b)
        return ahead.arc * (gold.head[s] == b) + most(ahead, &after)
    if move == REDUCE:
        if state.head[s] == NONE:
            after = After(state, gold, True, s, BUFFER, NONE)
            return most(ahead, &after) - 1
        after = After(state, gold, True, s, GONE, state.head[s])
        return most(ahead, &after)
    after = After(state, gold, True, b, STACK, s if move == RIGHT_ARC else NONE)
    return most(ahead, &after) + ahead.arc * (
        (move == RIGHT_ARC and gold.head[b] == s)
        - dependents_to_come(&after, b) - has_head_in_buffer(&after, b))


cdef int price_moves(System system, const StateC* state, const GoldC* gold,
                     MoveCost* costs) except -1 nogil:
    """Compute for each valid move its loss against the best, and the fewest repairs."""
    cdef vector[int64_t] memory
    cdef int64_t worths[REDUCE + 1]
    cdef int64_t highest = -1, scale = <int64_t> state.n_words + 1, lost
    cdef int move, moves = system.valid_moves(state)
    cdef Prospect ahead
    memory.resize(2 * (state.n_stack + 2))
    ahead = Prospect(state, gold, scale, scale * system.arc_price, scale * system.label_price,
                     system.root_label_id, memory.data(), memory.data() + state.n_stack + 2)
    set_worths(&ahead)
    for move in range(REDUCE + 1):
        if moves >> move & 1:
            worths[move] = worth_of(&ahead, move) + scale * 4 * state.n_words
            highest = max(highest, worths[move])
    for move in range(REDUCE + 1):
        costs[move] = MoveCost(0, 0, NONE, 0)
        if moves >> move & 1:
            # in full units: all repairs together are less than one
            lost = (highest + scale - 1) // scale - (worths[move] + scale - 1) // scale
            costs[move].arcs = lost // system.arc_price
            costs[move].labels = lost % system.arc_price
            costs[move].repairs = <int> (scale - 1 - (worths[move] + scale - 1) % scale)
    if moves >> LEFT_ARC & 1 and gold.head[top(state, 0)] == front(state, 0):
        costs[LEFT_ARC].label = gold.label[top(state, 0)]
    if moves >> RIGHT_ARC & 1 and gold.head[front(state, 0)] == top(state, 0):
        costs[RIGHT_ARC].label = gold.label[front(state, 0)]
    return 0
