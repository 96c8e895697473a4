"""Restoration of lifted arcs: `graphs.deplanarise` for labels that are numbers."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE


cdef struct LabelledArc:
    int32_t head
    int32_t dependent
    int32_t plain             # its label without the mark of a lifted arc
    int32_t wanted            # label of the head that the arc was lifted from, or NONE
    int32_t rank              # of its label with the mark, in alphabetical order


cdef inline uint64_t order_of(const LabelledArc& arc) noexcept nogil:
    return <uint64_t> arc.dependent << 32 | <uint64_t> arc.rank


cdef inline bint comes_before(const LabelledArc& a, const LabelledArc& b) noexcept nogil:
    """Order arcs by dependent, label and head."""
    if order_of(a) != order_of(b):
        return order_of(a) < order_of(b)
    return a.head < b.head


cdef inline bint is_written_before(const LabelledArc& a, const LabelledArc& b) noexcept nogil:
    """Order arcs by dependent, head and label."""
    if a.dependent != b.dependent:
        return a.dependent < b.dependent
    return a.head < b.head if a.head != b.head else a.rank < b.rank


cdef inline int unique(vector[LabelledArc]& arcs) except -1 nogil:
    """Sort the arcs and drop duplicates."""
    cdef size_t i, n = 0
    sort(arcs.begin(), arcs.end(), comes_before)
    for i in range(arcs.size()):
        if n == 0 or not (arcs[i].head == arcs[n - 1].head
                          and arcs[i].dependent == arcs[n - 1].dependent
                          and arcs[i].plain == arcs[n - 1].plain
                          and arcs[i].wanted == arcs[n - 1].wanted):
            arcs[n] = arcs[i]
            n += 1
    arcs.resize(n)


cdef inline int index_by_head(const vector[LabelledArc]& arcs, int n_words, vector[int32_t]& first,
                              vector[int32_t]& next_arc) except -1 nogil:
    """Build a linked list of the arcs from each node, in order, ended by NONE."""
    cdef int i
    first.clear()
    first.resize(n_words + 1, NONE)
    next_arc.resize(arcs.size())
    for i in range(<int> arcs.size() - 1, -1, -1):
        next_arc[i] = first[arcs[i].head]
        first[arcs[i].head] = i


cdef inline int rank_nodes(const vector[LabelledArc]& arcs,
                           vector[int32_t]& node_rank) except -1 nogil:
    """Rank the nodes breadth first from the root, unreachable ones last."""
    cdef vector[int32_t] order, first, next_arc
    cdef size_t i, at = 0
    cdef int32_t n_nodes = <int32_t> node_rank.size(), arc, dependent
    index_by_head(arcs, n_nodes - 1, first, next_arc)
    node_rank.assign(node_rank.size(), NONE)
    order.push_back(0)
    node_rank[0] = 0
    while at < order.size():
        arc = first[order[at]]
        while arc != NONE:
            dependent = arcs[arc].dependent
            if node_rank[dependent] == NONE:
                node_rank[dependent] = <int32_t> order.size()
                order.push_back(dependent)
            arc = next_arc[arc]
        at += 1
    for i in range(node_rank.size()):
        if node_rank[i] == NONE:
            node_rank[i] = n_nodes + <int32_t> i


cdef inline int find_head(const vector[LabelledArc]& arcs, const LabelledArc& lifted,
                          const vector[int32_t]& first, const vector[int32_t]& next_arc,
                          vector[int32_t]& seen_by, int32_t search) except -1 nogil:
    """Return the first node below the head of a lifted arc that has the wanted label.

    `seen_by` has the last search that visited each node.
    """
    cdef vector[int32_t] order
    cdef size_t at = 0
    cdef int32_t arc, dependent
    seen_by[lifted.head] = seen_by[lifted.dependent] = search
    order.push_back(lifted.head)
    while at < order.size():
        arc = first[order[at]]
        while arc != NONE:
            dependent = arcs[arc].dependent
            if arcs[arc].plain == lifted.wanted and dependent != lifted.dependent:
                return dependent
            if seen_by[dependent] != search:
                seen_by[dependent] = search
                order.push_back(dependent)
            arc = next_arc[arc]
        at += 1
    return lifted.head


cdef struct Lifted:
    int32_t head_rank
    int32_t dependent_rank
    int32_t rank
    int32_t arc


cdef inline bint is_above(const Lifted& a, const Lifted& b) noexcept nogil:
    if a.head_rank != b.head_rank:
        return a.head_rank < b.head_rank
    if a.dependent_rank != b.dependent_rank:
        return a.dependent_rank < b.dependent_rank
    return a.rank < b.rank


cdef inline void unlink(const vector[LabelledArc]& arcs, int32_t arc, vector[int32_t]& first,
                        vector[int32_t]& next_arc) noexcept nogil:
    """Remove an arc from the list of its head."""
    cdef int32_t* link = &first[arcs[arc].head]
    while link[0] != arc:
        link = &next_arc[link[0]]
    link[0] = next_arc[arc]


cdef inline bint link_in_order(const vector[LabelledArc]& arcs, int32_t arc,
                               vector[int32_t]& first,
                               vector[int32_t]& next_arc) noexcept nogil:
    """Insert an arc into the list of its head; return False if an equal arc exists."""
    cdef int32_t* link = &first[arcs[arc].head]
    while link[0] != NONE and order_of(arcs[link[0]]) < order_of(arcs[arc]):
        link = &next_arc[link[0]]
    if link[0] != NONE and order_of(arcs[link[0]]) == order_of(arcs[arc]):
        return False
    next_arc[arc] = link[0]
    link[0] = arc
    return True


cdef inline int restore_lifted(vector[LabelledArc]& arcs, const vector[int32_t]& plain_ranks,
                               int n_words) except -1 nogil:
    """Return lifted arcs to the heads that their labels name, topmost first."""
    cdef vector[int32_t] node_rank, first, next_arc, seen_by
    cdef vector[Lifted] lifted
    cdef size_t i, n = 0
    cdef LabelledArc* arc
    unique(arcs)
    node_rank.resize(n_words + 1)
    rank_nodes(arcs, node_rank)
    for i in range(arcs.size()):
        if arcs[i].wanted != NONE:
            lifted.push_back(Lifted(node_rank[arcs[i].head], node_rank[arcs[i].dependent],
                                    arcs[i].rank, <int32_t> i))
    sort(lifted.begin(), lifted.end(), is_above)
    index_by_head(arcs, n_words, first, next_arc)
    seen_by.resize(n_words + 1, NONE)
    for i in range(lifted.size()):
        arc = &arcs[lifted[i].arc]
        unlink(arcs, lifted[i].arc, first, next_arc)
        arc.head = find_head(arcs, arc[0], first, next_arc, seen_by, <int32_t> i)
        arc.wanted, arc.rank = NONE, plain_ranks[arc.plain]
        if not link_in_order(arcs, lifted[i].arc, first, next_arc):
            arc.dependent = NONE                     # a duplicate
    for i in range(arcs.size()):
        if arcs[i].dependent != NONE:
            arcs[n] = arcs[i]
            n += 1
    arcs.resize(n)
