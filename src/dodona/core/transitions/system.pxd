"""Interface of transition systems to search, training and the Python API."""
from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.gold cimport EncodedGold, Gold, GoldC
from dodona.core.transitions.state cimport StateC

from libc.stdint cimport int32_t
from libcpp.string cimport string

cdef enum:                    # positions of the artificial root; `ROOTS` has their names
    ROOT_FIRST, ROOT_LAST, ROOT_NONE

cdef enum:
    MANY_REPAIRS = 1 << 12    # upper bound of repairs in ranks

cdef struct MoveCost:
    int32_t arcs              # gold arcs lost by the move, whatever its label
    int32_t labels            # correct labels lost with them; < 0: labels of these arcs are wrong
    int32_t label             # the only label that loses no more; NONE if all cost the same
    int32_t repairs           # fewest repairs with and after the move; breaks ties of costs


cdef inline int32_t price(const MoveCost* cost, int label, int32_t arc_price,
                          int32_t label_price) noexcept nogil:
    """Return the cost of a move with a label, given the prices of a gold arc and of a label."""
    cdef int32_t n_labels = cost.labels + (cost.label != NONE and cost.label != label)
    return arc_price * cost.arcs + label_price * n_labels


cdef inline int32_t rank(const MoveCost* cost, int label, int32_t arc_price,
                         int32_t label_price) noexcept nogil:
    """Return the rank of a move, lower is better: fewest errors, then fewest repairs."""
    return (MANY_REPAIRS * price(cost, label, arc_price, label_price)
            + min(cost.repairs, MANY_REPAIRS - 1))


cdef class State:
    cdef StateC c
    cdef readonly System system


cdef class System:
    cdef readonly tuple labels
    cdef readonly str root
    cdef int root_place                 # `root` as an integer
    cdef readonly str loss
    cdef readonly str static_oracle     # the oracle that "static" stands for
    cdef int oracle                     # its id
    cdef readonly str root_label        # of words under the root in systems without a root node
    cdef readonly tuple moves           # their names; the position is the id
    cdef readonly tuple labelled        # whether each move takes a label
    cdef readonly tuple when            # preconditions of each move, in words
    cdef readonly int left_arc          # ids of the moves that build arcs, leftwards and rightwards
    cdef readonly int right_arc
    cdef readonly tuple left_moves      # all of them, if there are several
    cdef readonly tuple right_moves
    cdef int leftwards                  # bit set of `left_moves`
    cdef int joined                     # `joins` as an integer
    # (moves, whether under the root): a model must know one of each to have a valid action always
    cdef readonly tuple needed_arcs
    cdef int32_t arc_price              # cost of a missing arc
    cdef int32_t label_price            # cost of a wrong label
    cdef bint takes_notes               # whether `note_scores` is implemented
    cdef readonly int exact_words       # search for exact costs while at most so many are left
    cdef readonly dict other_names      # {move id: its name where `renamed`}
    cdef int32_t root_label_id          # NONE if it is not among the labels
    cdef dict _label_ids
    cdef dict _actions                  # (move id, label id) → Action
    cdef dict _other_actions            # move id → Action
    cdef dict _ids                      # Action → (move id, label id)
    cdef EncodedGold _encoded           # the last gold tree or graph, cached

    # Hooks that every system defines:
    cdef int valid_moves(self, const StateC* state) except -1 nogil          # a bit per move
    cdef int take(self, StateC* state, int move, int label) except -1 nogil
    cdef bint final(self, const StateC* state) except -1 nogil
    cdef int move_costs(self, const StateC* state, const GoldC* gold,
                        MoveCost* costs) except -1 nogil
    cdef int static_move(self, const StateC* state, const GoldC* gold) except -1 nogil

    # Hook for systems whose costs do not say which moves keep a partial tree in reach:
    cdef int kept_moves(self, const StateC* state, const GoldC* gold) except -1 nogil

    # Hook for systems that know the label of a gold arc without the costs:
    cdef int gold_label(self, const StateC* state, const GoldC* gold, int move) except -4 nogil

    # Hooks for several static oracles, and for what is computed once for each gold tree:
    cdef int oracle_move(self, const StateC* state, const GoldC* gold, int oracle) except -1 nogil
    cdef int plan(self, const GoldC* gold, int32_t* plan) except -1 nogil

    # Hooks for moves with two names, and for states that record something of the model's scores:
    cdef bint renamed(self, const StateC* state, int move) noexcept nogil
    cdef int note_scores(self, StateC* state, const Choices* choices) noexcept nogil
    cdef void repeat_note(self, StateC* state, int note) noexcept nogil

    # Hooks that graph systems define as well:
    cdef int max_arcs(self, int n_words) noexcept nogil                     # of a finished graph
    cdef int idle_label(self, const StateC* state, int move) noexcept nogil

    # Hooks for costs that are found by search (`exact_search`) while few words are left:
    cdef int arc_worth(self, const StateC* state, const GoldC* gold, int move) noexcept nogil
    cdef int arcs_hoped_for(self, const StateC* state, const GoldC* gold) noexcept nogil
    cdef int add_links(self, const StateC* state, string& key) except -1 nogil

    # Shared by all systems:
    cdef int arc_head(self, const StateC* state, int move) noexcept nogil
    cdef int arc_dependent(self, const StateC* state, int move) noexcept nogil
    cdef void show_pair(self, StateC* state, int head, int word) noexcept nogil
    cdef int root_node(self, int n_words) noexcept nogil
    cdef void start_state(self, StateC* state) noexcept nogil
    cdef int build_tree(self, GoldC* gold, void* block, int n_words, const int32_t* heads,
                        const int32_t* labels) except -1 nogil
    cdef bint few_are_left(self, const StateC* state) noexcept nogil
    cdef int attach_leftovers(self, StateC* state, int label) except -1 nogil
    cdef EncodedGold encode(self, Gold gold, int n_words)
    cdef EncodedGold _priced(self, Gold gold, State state)
