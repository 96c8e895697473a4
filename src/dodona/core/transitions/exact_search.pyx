"""Exact costs by search, where gold arcs are in reach one by one but not together.

In swap and graph-standard no way is known to count what an action loses. So the definition itself
is asked: the fewest errors of all derivations from the state after it. The search deepens: is there
a derivation without an error, with one, and so on? An error is what a move loses of the arcs hoped
for, each of which is in reach when looked at alone; so most states have an answer at once, and a
state in which so many errors were not enough is not entered again. It is still exponential in the
words that are left, stack and buffer together, and is meant for a handful of them.

What was built before is of no account, but for the links between the words that are left.
"""
from libc.stdint cimport int32_t, uint64_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport GoldC
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport StateC, copy, lay_out, state_size
from dodona.core.transitions.system cimport MoveCost, System


cdef struct Search:
    const GoldC* gold
    unordered_map[string, int32_t]* failed        # states, and how many errors were not enough
    vector[vector[uint64_t]]* blocks              # of the states on the way, by depth


cdef int enter(Search* search, System system, const StateC* before, int move, size_t depth,
               StateC* after) except -1 nogil:
    """The state after a move, in the room for states of that depth."""
    if search.blocks.size() <= depth:
        search.blocks.resize(depth + 1)
        search.blocks[0][depth].resize(
            state_size(before.n_words, before.max_arcs) // sizeof(uint64_t))
    lay_out(after, search.blocks[0][depth].data(), before.n_words, before.max_arcs)
    copy(after, before)
    return system.take(after, move, 0)


cdef int set_key(System system, const StateC* state, string& key) except -1 nogil:
    """What decides the future: the words of stack and buffer, and the links between them."""
    key.append(<const char*> &state.n_stack, sizeof(int32_t))
    key.append(<const char*> state.stack, state.n_stack * sizeof(int32_t))
    key.append(<const char*> state.buffer, state.n_buffer * sizeof(int32_t))
    return system.add_links(state, key)


cdef bint can_end(Search* search, System system, const StateC* state, int n_errors,
                  size_t depth) except -1 nogil:
    """Whether some derivation from here on makes no more than so many errors."""
    cdef int moves = system.valid_moves(state), move, hoped, lost
    cdef string key
    cdef StateC after
    if moves == 0:
        return True
    set_key(system, state, key)
    if search.failed.count(key) and search.failed[0][key] >= n_errors:
        return False
    hoped = system.arcs_hoped_for(state, search.gold)
    for move in range(MAX_MOVES - 1, -1, -1):        # arcs first, then SHIFT
        if moves >> move & 1:
            enter(search, system, state, move, depth, &after)
            lost = (hoped - system.arc_worth(state, search.gold, move)
                    - system.arcs_hoped_for(&after, search.gold))
            if lost <= n_errors and can_end(search, system, &after, n_errors - lost, depth + 1):
                return True
    search.failed[0][key] = n_errors
    return False


cdef int fewest_errors(Search* search, System system, const StateC* state) except -1 nogil:
    cdef int n_errors = 0
    while not can_end(search, system, state, n_errors, 1):
        n_errors += 1
    return n_errors


cdef int search_costs(System system, const StateC* state, const GoldC* gold,
                      MoveCost* costs) except -1 nogil:
    """For each valid move the arcs that it loses for good; labels are not looked at."""
    cdef unordered_map[string, int32_t] failed
    cdef vector[vector[uint64_t]] blocks
    cdef Search search = Search(gold, &failed, &blocks)
    cdef int moves = system.valid_moves(state), move, highest = 0
    cdef int n_arcs[MAX_MOVES]
    cdef bint is_first = True
    cdef StateC after
    for move in range(MAX_MOVES):
        if moves >> move & 1:
            enter(&search, system, state, move, 0, &after)
            n_arcs[move] = (system.arc_worth(state, gold, move)
                            + system.arcs_hoped_for(&after, gold)
                            - fewest_errors(&search, system, &after))
            highest = n_arcs[move] if is_first else max(highest, n_arcs[move])
            is_first = False
    for move in range(MAX_MOVES):
        if moves >> move & 1:
            costs[move] = MoveCost(highest - n_arcs[move], 0, NONE, 0)
    return 0
