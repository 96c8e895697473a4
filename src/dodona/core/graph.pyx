"""Dependency graphs (Sagae & Tsujii 2008; Tokgöz & Eryiğit 2015): words with several heads.

A graph system joins two nodes by one arc at most and, its arcs never crossing, builds no more than
2n - 1 of them. An error is a gold arc missing or an arc built that is not gold, so a wrong label
counts twice: the arc with the right label is missing, and the one with the wrong label is too many.
"""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from .gold cimport Gold, GoldC, LinkC
from .graph_state cimport add_graph_arc, are_linked, find_link, is_path, mark_descendants
from .state cimport NONE, StateC, clear, push
from .system cimport MoveCost, State, System

cdef enum:
    N_ENDS = 2                # a gold link is seen from both ends


cdef class GraphState(State):
    """A state of a graph system: `heads` and `labels` hold a tuple for each word.

    >>> import dodona
    >>> state = dodona.system("graph-eager", labels=["root", "obj"]).start(2)
    >>> state.heads
    ((), ())
    """

    @property
    def heads(self):
        """Per word a tuple of its heads, ascending; empty where there is none yet."""
        return tuple(tuple(head for head, _ in self._arcs_into(d))
                     for d in range(1, self.c.n_words + 1))

    @property
    def labels(self):
        """Per word a tuple of labels, one for each of its heads."""
        return tuple(tuple(label for _, label in self._arcs_into(d))
                     for d in range(1, self.c.n_words + 1))

    @property
    def arcs(self):
        """Frozen set of (head, label, dependent)."""
        return frozenset((head, label, d) for d in range(1, self.c.n_words + 1)
                         for head, label in self._arcs_into(d))

    def _arcs_into(self, int dependent):
        cdef int arc = self.c.arc_in[dependent]
        found = []
        while arc != NONE:
            found.append((self.c.arcs[arc].head, self.system.labels[self.c.arcs[arc].label]))
            arc = self.c.arcs[arc].next_in
        return sorted(found)


cdef class GraphSystem(System):
    """A system of graphs; the artificial root 0 stands first, at the bottom of the stack.

    With `acyclic`, an arc that would close a cycle is not valid.
    """

    state_class = GraphState

    def __init__(self, labels, root, loss, root_label, acyclic):
        super().__init__(labels, root, loss, root_label)
        if root != "first":
            raise ValueError(f"{self.name} has its root first, at the bottom of the stack: "
                             f"root={root!r} is not possible")
        self.acyclic = acyclic
        self.label_price *= 2

    cdef int root_node(self, int n_words) noexcept nogil:
        return 0

    cdef int max_arcs(self, int n_words) noexcept nogil:
        # arcs that do not cross, 2n - 1 at most, and one from the root to each word by `finish`
        return 3 * n_words

    cdef void start_state(self, StateC* state) noexcept nogil:
        clear(state)
        state.root = 0
        push(state, 0)

    cdef bint can_link(self, const StateC* state, int head, int dependent) noexcept nogil:
        return (dependent != state.root and not are_linked(state, head, dependent)
                and not (self.acyclic and is_path(state, dependent, head)))

    cdef void arc_cost(self, const GoldC* gold, int head, int dependent,
                       MoveCost* cost) noexcept nogil:
        """What an arc between two nodes costs that are not linked yet: nothing if it is gold; else
        it is one too many, and a gold arc the other way is lost besides."""
        cdef const LinkC* link = find_link(gold, head, dependent)
        cost.label = NONE if link == NULL else link.label_out
        cost.arcs = 0 if cost.label != NONE else 1 + (link != NULL)
        cost.labels = 0

    cdef void attach_leftovers(self, StateC* state, int label) noexcept nogil:
        """Make every word reachable from the root, which adopts the words without a head and then,
        from left to right, a word of each cycle that hangs in the air."""
        cdef vector[char] marks
        cdef int word
        marks.resize(state.n_words + 1)
        for word in range(1, state.n_words + 1):
            if state.arc_in[word] == NONE:
                add_graph_arc(state, state.root, label, word)
        mark_descendants(state, state.root, marks.data())
        for word in range(1, state.n_words + 1):
            if not marks[word]:
                add_graph_arc(state, state.root, label, word)
                mark_descendants(state, word, marks.data())

    def _check_rebuilt(self, State state, Gold gold):
        for head, label, dependent in sorted(gold.arcs - state.arcs):
            raise ValueError(
                f"{self.name} cannot derive this graph: the arc {label!r} from {head} to "
                f"{dependent} is out of its reach (do arcs cross, or join two words both ways, or "
                "has a word no head?)")
        for head, _, dependent in sorted(state.arcs - gold.arcs):
            raise ValueError(
                f"{self.name} cannot derive this graph without an arc too many, from {head} to "
                f"{dependent} (has every word a head?)")

    cdef const GoldC* encode(self, Gold gold, int n_words) except NULL:
        """The gold graph as links; the last is kept, since costs are asked for state by state."""
        if self._gold_of is gold and gold.n_words == n_words:
            return &self._gold
        if gold.n_words != n_words:
            raise ValueError(f"gold has {gold.n_words} words, the state {n_words}")
        links = [{} for _ in range(n_words + 1)]         # other node → [label out, label in]
        for head, label, dependent in sorted(gold.arcs):
            if label not in self._label_ids:
                raise ValueError(f"word {dependent} has label {label!r}, which is not among the "
                                 f"system's labels: {', '.join(self.labels)}")
            for i, (node, other) in enumerate([(head, dependent), (dependent, head)]):
                labels = links[node].setdefault(other, [NONE, NONE])
                if labels[i] != NONE:
                    raise ValueError(
                        f"gold has two arcs from {head} to {dependent}, {self.labels[labels[i]]!r} "
                        f"and {label!r}: {self.name} can build only one, so give them one label")
                labels[i] = self._label_ids[label]
        self._fill_links(links, len(gold.arcs))
        self._gold_of = gold
        return &self._gold

    def _fill_links(self, links, size_t n_arcs):
        cdef size_t n_nodes = len(links), count = 0
        block = bytearray((n_nodes + 1) * sizeof(int32_t) + N_ENDS * n_arcs * sizeof(LinkC))
        cdef GoldC* gold = &self._gold
        gold.n_words = <int> n_nodes - 1
        gold.head = gold.label = gold.first = gold.child = NULL
        gold.first_link = <int32_t*> <char*> block
        gold.link = <LinkC*> (gold.first_link + n_nodes + 1)
        for node, others in enumerate(links):
            gold.first_link[<int> node] = <int> count
            for other, (label_out, label_in) in sorted(others.items()):
                gold.link[count] = LinkC(other, label_out, label_in)
                count += 1
        gold.first_link[n_nodes] = <int> count
        self._block = block

    def _settings(self):
        return *super()._settings(), self.acyclic

    def __reduce__(self):
        return type(self), (self.labels, self.root, self.loss, self.root_label, self.acyclic)

    def __repr__(self):
        return (f"system({self.name!r}, labels={list(self.labels)!r}, loss={self.loss!r}, "
                f"acyclic={bool(self.acyclic)})")
