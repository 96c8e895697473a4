"""Layout of the flat block behind a parser configuration; see state.pxd."""
from libc.string cimport memset

from dodona.core.base.nodes cimport NONE, n_nodes

cdef enum:
    N_COLUMNS = 11            # int32 columns by node
    N_SETS = 3                # uint64 columns by node
    N_GRAPH_COLUMNS = 5       # int32 columns by node, in graph systems only


cdef size_t graph_size(int n_words, int max_arcs) noexcept nogil:
    """Return the number of int32 for a graph: arcs, columns by node, and the last actions."""
    if max_arcs == 0:
        return 0
    return (N_GRAPH_COLUMNS * n_nodes(n_words) + N_HISTORY
            + <size_t> max_arcs * (sizeof(ArcC) // sizeof(int32_t)))


cdef size_t state_size(int n_words, int max_arcs=0) noexcept nogil:
    """Return the size in bytes of a sentence's block, a multiple of 8."""
    cdef size_t n_int32 = (N_COLUMNS + 2) * n_nodes(n_words) + graph_size(n_words, max_arcs)
    n_int32 += n_int32 & 1
    return N_SETS * n_nodes(n_words) * sizeof(uint64_t) + n_int32 * sizeof(int32_t)


cdef void lay_out(StateC* state, void* block, int n_words, int max_arcs=0) noexcept nogil:
    """Set the columns' pointers; the uint64 sets come first, for their alignment."""
    cdef size_t n = n_nodes(n_words)
    cdef uint64_t* sets = <uint64_t*> block
    cdef int32_t* column = <int32_t*> (sets + N_SETS * n)
    state.block, state.n_bytes, state.n_words = block, state_size(n_words, max_arcs), n_words
    state.left_labels = sets + 1
    state.right_labels = sets + n + 1
    state.labels_before = sets + 2 * n + 1
    state.stack = column
    state.buffer = column + n
    state.place = column + 2 * n + 1
    state.head = column + 3 * n + 1
    state.label = column + 4 * n + 1
    state.left = column + 5 * n + 1
    state.left2 = column + 6 * n + 1
    state.right = column + 7 * n + 1
    state.right2 = column + 8 * n + 1
    state.sibling = column + 9 * n + 1
    state.n_left = column + 10 * n + 1
    state.n_right = column + 11 * n + 1
    state.note = column + 12 * n + 1
    state.max_arcs = max_arcs
    state.arcs = NULL
    state.arc_in = state.arc_out = state.head2 = NULL
    state.n_heads = state.head_labels = state.history = NULL
    if max_arcs > 0:
        state.arc_in = column + 13 * n + 1
        state.arc_out = column + 14 * n + 1
        state.head2 = column + 15 * n + 1
        state.n_heads = column + 16 * n + 1
        state.head_labels = column + 17 * n + 1
        state.history = column + 18 * n
        state.arcs = <ArcC*> (state.history + N_HISTORY)


cdef void clear(StateC* state) noexcept nogil:
    """Reset to no arcs, an empty stack, and all words in the buffer."""
    cdef size_t n = n_nodes(state.n_words)
    cdef int i
    memset(state.block, 0, state.n_bytes)
    memset(state.head - 1, 0xff, 7 * n * sizeof(int32_t))       # head … sibling: NONE
    if state.max_arcs > 0:
        memset(state.arc_in - 1, 0xff, 3 * n * sizeof(int32_t))     # arc_in, arc_out, head2: NONE
    state.root = NONE
    state.n_stack = state.n_arcs = 0
    state.n_buffer = state.n_words
    for i in range(state.n_words):
        state.buffer[i] = state.n_words - i
        state.place[i + 1] = BUFFER
