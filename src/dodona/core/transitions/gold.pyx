"""Gold trees and graphs: `Gold` in Python, `GoldC` as columns in the core."""
from libc.stdint cimport uint32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.base.values import to_int

cdef enum:
    N_GOLD_COLUMNS = 4        # of a tree
    N_PLAN_COLUMNS = 2        # for `System.plan`


cdef size_t gold_size(int n_words) noexcept nogil:
    """Return the size in bytes of the block behind a GoldC."""
    return (N_GOLD_COLUMNS + N_PLAN_COLUMNS) * (<size_t> n_words + 4) * sizeof(int32_t)


cdef int32_t* build_gold(GoldC* gold, void* block, int n_words, const int32_t* heads,
                         const int32_t* labels, int root) noexcept nogil:
    """Fill the columns from heads (0: the root, NONE: unknown) and labels of the words in order.

    A label without a head is ignored. `root` is the node of head 0: 0 or, with the root last,
    n + 1. Returns the space for a plan, two columns from NONE on.
    """
    cdef size_t n = <size_t> n_words + 4
    cdef int32_t* column = <int32_t*> block
    cdef int32_t* head = column + 1
    cdef int32_t* label = column + n + 1
    cdef int32_t* first = column + 2 * n + 1
    cdef int32_t* child = column + 3 * n
    cdef int32_t* plan = column + N_GOLD_COLUMNS * n + 1
    cdef int d, h
    for d in range(-1, n_words + 3):
        head[d] = label[d] = NONE
        first[d] = 0
    for d in range(1, n_words + 1):
        h = heads[d - 1]
        head[d] = root if h == 0 else h
        if h != NONE:
            label[d] = labels[d - 1]
            first[head[d]] += 1
    sort_children(head, first, child, n_words)
    gold.n_words = n_words
    gold.head, gold.label, gold.first, gold.child, gold.plan = head, label, first, child, plan
    gold.first_link = NULL
    gold.link = NULL
    return plan


cdef void sort_children(const int32_t* head, int32_t* first, int32_t* child,
                        int n_words) noexcept nogil:
    """Turn the numbers of children in `first` into the start of each node's children."""
    cdef int d, h, start = 0
    # counting sort: first[h] becomes the start of h's children, then is moved on to their end …
    for h in range(n_words + 3):
        start += first[h]
        first[h] = start - first[h]
    for d in range(1, n_words + 1):
        h = head[d]
        if h != NONE:
            child[first[h]] = d
            first[h] += 1
    # … and back again: the end of h - 1 is the start of h
    for h in range(n_words + 2, 0, -1):
        first[h] = first[h - 1]
    first[0] = 0


cdef size_t links_size(int n_words, size_t n_arcs) noexcept nogil:
    """Return the size in bytes of the block behind a graph's GoldC; an arc has two links."""
    return (<size_t> n_words + 2) * sizeof(int32_t) + 2 * n_arcs * sizeof(LinkC)


cdef int build_links(GoldC* gold, void* block, int n_words, const GoldArc* arcs,
                     size_t n_arcs) except -1 nogil:
    """Fill in the links of a graph with at most one arc in each direction between two nodes."""
    cdef vector[pair[uint64_t, pair[int32_t, int32_t]]] ends     # (node, other), (is inward, label)
    cdef size_t i
    cdef int node = 0, n_links = 0
    cdef int32_t* first_link = <int32_t*> block
    cdef LinkC* links = <LinkC*> (first_link + n_words + 2)
    cdef LinkC* link = links
    gold.n_words = n_words
    gold.head = gold.label = gold.first = gold.child = gold.plan = NULL
    gold.first_link, gold.link = first_link, links
    ends.reserve(2 * n_arcs)
    for i in range(n_arcs):
        ends.push_back(end_of(arcs[i].head, arcs[i].dependent, False, arcs[i].label))
        ends.push_back(end_of(arcs[i].dependent, arcs[i].head, True, arcs[i].label))
    sort(ends.begin(), ends.end())
    first_link[0] = 0
    for i in range(ends.size()):
        while node < <int> (ends[i].first >> 32):
            node += 1
            first_link[node] = n_links
        if i == 0 or ends[i].first != ends[i - 1].first:
            link = &links[n_links]
            link.node = <int32_t> <uint32_t> ends[i].first
            link.label_out = link.label_in = NONE
            n_links += 1
        if ends[i].second.first:
            link.label_in = ends[i].second.second
        else:
            link.label_out = ends[i].second.second
    while node < n_words + 1:
        node += 1
        first_link[node] = n_links


cdef pair[uint64_t, pair[int32_t, int32_t]] end_of(int node, int other, bint is_inward,
                                                   int label) noexcept nogil:
    return pair[uint64_t, pair[int32_t, int32_t]](
        <uint64_t> node << 32 | <uint64_t> other, pair[int32_t, int32_t](is_inward, label))


cdef class Gold:
    """A reference tree (`heads`, `labels`) or graph (`arcs`); read-only.

    Words are numbered from 1; head 0 is the artificial root. A head or label of None is not
    annotated: any arc or label there costs nothing. A graph may have cycles, words with several
    heads, and words without one (`n_words` is needed if the last words have no arcs); unless it is
    a tree, its `heads` and `labels` are None. An arc of a graph with the label None is gold under
    any label, but heads are always annotated: an arc that is not in the graph is not gold.

    >>> gold = Gold(heads=[2, 0, 2], labels=["nsubj", "root", "obj"])
    >>> sorted(gold.arcs)
    [(0, 'root', 2), (2, 'nsubj', 1), (2, 'obj', 3)]
    >>> Gold(arcs=[(2, "nsubj", 1), (0, "root", 2)]).heads
    (2, 0)
    >>> Gold(arcs=[(2, "nsubj", 1), (0, "root", 2)], n_words=3)
    Gold(arcs=[(0, 'root', 2), (2, 'nsubj', 1)], n_words=3)
    """

    def __init__(self, heads=None, labels=None, *, arcs=None, n_words=None):
        if (heads is None) == (arcs is None):
            raise TypeError("Gold needs either heads (and labels) or arcs")
        if arcs is not None:
            if labels is not None:
                raise TypeError("the arcs carry their labels: leave out labels=")
            self._from_arcs(arcs, n_words)
        elif n_words is not None:
            raise TypeError("n_words goes with arcs: there are as many words as heads")
        else:
            self._from_heads(heads, labels)

    @staticmethod
    def from_sentence(sentence):
        """Return the tree of a sentence; a head or label "_" is not annotated.

        >>> from dodona import Sentence
        >>> Gold.from_sentence(Sentence.from_columns(["Speak"], heads=[0], deprels=["root"]))
        Gold(heads=[0], labels=['root'])
        """
        labels = [None if label == "_" else label for label in sentence.deprels]
        return Gold(heads=sentence.heads, labels=labels)

    def _from_heads(self, heads, labels):
        self.heads = tuple(None if head is None else to_int(head, "a head") for head in heads)
        self.n_words = len(self.heads)
        self.labels = ("_",) * self.n_words if labels is None else tuple(labels)
        if len(self.labels) != self.n_words:
            raise ValueError(f"{self.n_words} heads but {len(self.labels)} labels")
        self.arcs = frozenset((head, label, i + 1) for i, (head, label)
                              in enumerate(zip(self.heads, self.labels)) if head is not None)
        _check_arcs(self.arcs, self.n_words)
        word = _word_in_cycle(self.heads)
        if word:
            raise ValueError(f"the heads form a cycle through word {word}")

    def _from_arcs(self, arcs, n_words):
        self.arcs = frozenset((to_int(head, "a head"), label, to_int(dependent, "a dependent"))
                              for head, label, dependent in arcs)
        self.n_words = n_words if n_words is not None else max(
            (max(head, dependent) for head, _, dependent in self.arcs), default=0)
        _check_arcs(self.arcs, self.n_words)
        by_dependent = {dependent: (head, label) for head, label, dependent in self.arcs}
        if len(by_dependent) == len(self.arcs) == self.n_words:      # one head each
            heads = tuple(by_dependent[d][0] for d in range(1, self.n_words + 1))
            if not _word_in_cycle(heads):
                self.heads = heads
                self.labels = tuple(by_dependent[d][1] for d in range(1, self.n_words + 1))

    def __eq__(self, other):
        return (isinstance(other, Gold) and self.arcs == (<Gold> other).arcs
                and self.n_words == (<Gold> other).n_words)

    def __hash__(self):
        return hash((self.n_words, self.arcs))

    def __len__(self):
        return self.n_words

    def __repr__(self):
        if self.heads is None:
            last = max((max(head, dependent) for head, _, dependent in self.arcs), default=0)
            length = "" if last == self.n_words else f", n_words={self.n_words}"
            return f"Gold(arcs={sorted(self.arcs)!r}{length})"
        return f"Gold(heads={list(self.heads)!r}, labels={list(self.labels)!r})"

    def __reduce__(self):
        if self.heads is None:
            return _gold_from_arcs, (self.arcs, self.n_words)
        return Gold, (self.heads, self.labels)


cdef class EncodedGold:
    """A gold tree or graph as columns, in a block of `n_bytes` bytes."""

    def __cinit__(self, Gold gold not None, size_t n_bytes):
        self.gold, self.block = gold, bytearray(n_bytes)


def _gold_from_arcs(arcs, n_words):
    return Gold(arcs=arcs, n_words=n_words)


def _check_arcs(arcs, n_words):
    for head, _, dependent in arcs:
        if not 1 <= dependent <= n_words:
            raise ValueError(f"arc into {dependent}: dependents are words, numbered 1 to {n_words}")
        if not 0 <= head <= n_words:
            raise ValueError(
                f"word {dependent} has head {head}, but the sentence has {n_words} words")
        if head == dependent:
            raise ValueError(f"word {dependent} is its own head: a cycle")


def _word_in_cycle(heads):
    """Return a word that is its own ancestor, or 0 if there is none."""
    seen = [0] * (len(heads) + 1)        # word from which it was reached
    for start in range(1, len(heads) + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1] or 0
        if word and seen[word] == start:
            return word
    return 0
