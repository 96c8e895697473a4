"""Dependency graphs (Sagae & Tsujii 2008; Tokgöz & Eryiğit 2015): words with several heads.

A graph system joins two nodes by at most one arc, and its arcs never cross, so it builds at most
2n - 1 of them. An error is a missing gold arc or an arc that is not gold, so a wrong label counts
twice: the arc with the correct label is missing, and the one with the wrong label is superfluous.
"""
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.gold cimport (
    ANY, EncodedGold, Gold, GoldArc, GoldC, LinkC, build_links, links_size)
from dodona.core.transitions.graph_state cimport (
    add_graph_arc, are_linked, find_link, is_path, mark_descendants)
from dodona.core.transitions.state cimport StateC
from dodona.core.transitions.system cimport MoveCost, State, System


def _in_order(arc):
    """Return a sort key of an arc whose label may be None."""
    return arc[0], arc[1] or "", arc[2]


cdef class GraphState(State):
    """A state of a graph system; `heads` and `labels` have a tuple for each word.

    >>> import dodona
    >>> state = dodona.system("graph-eager", labels=["root", "obj"]).start(2)
    >>> state.heads
    ((), ())
    """

    @property
    def heads(self):
        """The heads of each word as a tuple, ascending."""
        return tuple(tuple(head for head, _ in self._arcs_into(d))
                     for d in range(1, self.c.n_words + 1))

    @property
    def labels(self):
        """The labels of each word as a tuple, in the order of its heads."""
        return tuple(tuple(label for _, label in self._arcs_into(d))
                     for d in range(1, self.c.n_words + 1))

    @property
    def arcs(self):
        """The arcs so far, as a frozenset of (head, label, dependent)."""
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
    """Base class of graph systems; the artificial root 0 is at the bottom of the stack.

    With `acyclic`, an arc that would close a cycle is not valid.
    """

    state_class = GraphState
    builds = "graphs without crossing arcs"
    builds_graphs = True
    default_templates = "graph"

    def __init__(self, labels, root, loss, root_label, acyclic):
        super().__init__(labels, root, loss, root_label)
        self.acyclic = acyclic
        self.label_price *= 2

    cdef int max_arcs(self, int n_words) noexcept nogil:
        # at most 2n - 1 arcs that do not cross, and one from the root to each word by `finish`
        return 3 * n_words

    cdef bint can_link(self, const StateC* state, int head, int dependent) except -1 nogil:
        return (dependent != state.root and not are_linked(state, head, dependent)
                and not (self.acyclic and is_path(state, dependent, head)))

    cdef void arc_cost(self, const GoldC* gold, int head, int dependent,
                       MoveCost* cost) noexcept nogil:
        """Compute the cost of an arc between two nodes that are not linked yet.

        A gold arc costs nothing; another is superfluous, and loses a gold arc in the opposite
        direction.
        """
        cdef const LinkC* link = find_link(gold, head, dependent)
        cdef bint is_arc = link != NULL and link.label_out != NONE
        cost.label = link.label_out if is_arc and link.label_out != ANY else NONE
        cost.arcs = 0 if is_arc else 1 + (link != NULL)
        cost.labels = cost.repairs = 0

    cdef int attach_leftovers(self, StateC* state, int label) except -1 nogil:
        """Make every word reachable from the root.

        The root becomes head of the words without a head and then, from left to right, of a word of
        each unreachable cycle.
        """
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
        unlabelled = {(head, dependent) for head, label, dependent in gold.arcs if label is None}
        built = {(head, None if (head, dependent) in unlabelled else label, dependent)
                 for head, label, dependent in state.arcs}
        for head, label, dependent in sorted(gold.arcs - built, key=_in_order):
            raise ValueError(
                f"{self.name} cannot derive this graph: the arc {label!r} from {head} to "
                f"{dependent} is out of its reach (do arcs cross, or join two words both ways, or "
                "has a word no head?)")
        for head, _, dependent in sorted(built - gold.arcs, key=_in_order):
            raise ValueError(
                f"{self.name} cannot derive this graph without a superfluous arc from {head} to "
                f"{dependent} (has every word a head?)")

    cdef EncodedGold encode(self, Gold gold, int n_words):
        """Return the gold graph as links; the last one is cached for the states of a sentence."""
        cdef EncodedGold encoded = self._encoded
        if encoded is not None and encoded.gold is gold and gold.n_words == n_words:
            return encoded
        if gold.n_words != n_words:
            raise ValueError(f"gold has {gold.n_words} words, the state {n_words}")
        cdef vector[GoldArc] arcs
        labels = {}
        for head, label, dependent in sorted(gold.arcs, key=_in_order):
            if label is not None and label not in self._label_ids:
                raise ValueError(f"word {dependent} has label {label!r}, which is not among the "
                                 f"system's labels: {', '.join(self.labels)}")
            if (head, dependent) in labels:
                raise ValueError(
                    f"gold has two arcs from {head} to {dependent}, {labels[head, dependent]!r} "
                    f"and {label!r}: {self.name} can build only one, so give them one label")
            labels[head, dependent] = label
            arcs.push_back(GoldArc(head, self._label_ids.get(label, ANY), dependent))
        encoded = EncodedGold(gold, links_size(n_words, arcs.size()))
        build_links(&encoded.c, <char*> encoded.block, n_words, arcs.data(), arcs.size())
        self._encoded = encoded
        return encoded

    def _settings(self):
        return *super()._settings(), self.acyclic

    def __reduce__(self):
        arguments = self.labels, self.root, self.loss, self.root_label, self.acyclic
        return type(self), arguments, (self.static_oracle, self.exact_words)

    def __repr__(self):
        return (f"system({self.name!r}, labels={list(self.labels)!r}, loss={self.loss!r}, "
                f"acyclic={bool(self.acyclic)})")
