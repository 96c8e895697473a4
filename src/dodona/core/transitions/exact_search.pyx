"""Exact costs by search, for systems whose gold arcs are reachable one by one but not together.

In swap and graph-standard no formula is known for what an action loses, so the definition is
computed: the fewest errors of all derivations from the state after it, by iterative deepening over
the number of errors. An error is what a move loses of the upper bound `arcs_hoped_for`, so most
searches end at once; states that failed with a number of errors are cached. The time is exponential
in the words that are left on stack and buffer, so the search is for a handful of them.

Earlier arcs do not matter, except for the links between the words that are left.
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


cdef struct ErrorSearch:
    const GoldC* gold
    unordered_map[string, int32_t]* failed        # states, and errors with which they fail
    vector[vector[uint64_t]]* blocks              # memory of states, by depth


cdef int enter(ErrorSearch* search, System system, const StateC* before, int move, size_t depth,
               StateC* after) except -1 nogil:
    """Make the state after a move in the memory for that depth."""
    if search.blocks.size() <= depth:
        search.blocks.resize(depth + 1)
        search.blocks[0][depth].resize(
            state_size(before.n_words, before.max_arcs) // sizeof(uint64_t))
    lay_out(after, search.blocks[0][depth].data(), before.n_words, before.max_arcs)
    copy(after, before)
    return system.take(after, move, 0)


cdef int set_key(System system, const StateC* state, string& key) except -1 nogil:
    """Write the key of a state: the words of stack and buffer, and the links between them."""
    key.append(<const char*> &state.n_stack, sizeof(int32_t))
    key.append(<const char*> state.stack, state.n_stack * sizeof(int32_t))
    key.append(<const char*> state.buffer, state.n_buffer * sizeof(int32_t))
    return system.add_links(state, key)


cdef bint can_end(ErrorSearch* search, System system, const StateC* state, int n_errors,
                  size_t depth) except -1 nogil:
    """Whether some derivation from this state makes at most `n_errors` errors."""
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


cdef int fewest_errors(ErrorSearch* search, System system, const StateC* state) except -1 nogil:
    cdef int n_errors = 0
    while not can_end(search, system, state, n_errors, 1):
        n_errors += 1
    return n_errors


cdef int search_costs(System system, const StateC* state, const GoldC* gold,
                      MoveCost* costs) except -1 nogil:
    """Compute for each valid move the arcs that it puts out of reach; labels are ignored."""
    cdef unordered_map[string, int32_t] failed
    cdef vector[vector[uint64_t]] blocks
    cdef ErrorSearch search = ErrorSearch(gold, &failed, &blocks)
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
