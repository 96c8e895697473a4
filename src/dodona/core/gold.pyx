"""The reference: `Gold` for Python, and `GoldC`, the same as columns for the core."""
from .state cimport NONE


cdef size_t gold_size(int n_words) noexcept nogil:
    """Bytes of the block behind a GoldC."""
    return 6 * (<size_t> n_words + 4) * sizeof(int32_t)


cdef void build_gold(GoldC* gold, void* block, int n_words, const int32_t* heads,
                     const int32_t* labels, int root) noexcept nogil:
    """Fill the columns from heads (0: the root, NONE: unknown) and labels of the words in order.

    Without its head a label tells nothing.

    `root` is the node that stands for head 0: 0 itself or, with the root last, n + 1.
    """
    cdef size_t n = <size_t> n_words + 4
    cdef int32_t* column = <int32_t*> block
    cdef int d, h, start
    gold.n_words = n_words
    gold.head, gold.label = column + 1, column + n + 1
    gold.first, gold.child = column + 2 * n + 1, column + 3 * n
    gold.plan = column + 4 * n + 1
    gold.plan[NONE] = NONE
    for d in range(-1, n_words + 3):
        gold.head[d] = gold.label[d] = NONE
        gold.first[d] = 0
    for d in range(1, n_words + 1):
        h = heads[d - 1]
        gold.head[d] = root if h == 0 else h
        if h != NONE:
            gold.label[d] = labels[d - 1]
            gold.first[gold.head[d]] += 1
    # counting sort: first[h] becomes the start of h's children, then is moved on to their end …
    start = 0
    for h in range(n_words + 3):
        start += gold.first[h]
        gold.first[h] = start - gold.first[h]
    for d in range(1, n_words + 1):
        h = gold.head[d]
        if h != NONE:
            gold.child[gold.first[h]] = d
            gold.first[h] += 1
    # … and back again: the end of h - 1 is the start of h
    for h in range(n_words + 2, 0, -1):
        gold.first[h] = gold.first[h - 1]
    gold.first[0] = 0


cdef class Gold:
    """A reference tree (`heads`, `labels`) or graph (`arcs`); read-only.

    Words are numbered from 1; head 0 is the artificial root. A head or a label of None is not
    annotated: whatever is built there costs nothing.

    >>> gold = Gold(heads=[2, 0, 2], labels=["nsubj", "root", "obj"])
    >>> sorted(gold.arcs)
    [(0, 'root', 2), (2, 'nsubj', 1), (2, 'obj', 3)]
    >>> Gold(arcs=[(2, "nsubj", 1), (0, "root", 2)]).heads
    (2, 0)
    """

    def __init__(self, heads=None, labels=None, *, arcs=None):
        if (heads is None) == (arcs is None):
            raise TypeError("Gold needs either heads (and labels) or arcs")
        if arcs is not None:
            if labels is not None:
                raise TypeError("the arcs carry their labels: leave out labels=")
            self._from_arcs(arcs)
        else:
            self._from_heads(heads, labels)
        _check_arcs(self.arcs, self.n_words)
        if self.heads is not None:
            _check_acyclic(self.heads)

    def _from_heads(self, heads, labels):
        self.heads = tuple(None if head is None else int(head) for head in heads)
        self.n_words = len(self.heads)
        self.labels = ("_",) * self.n_words if labels is None else tuple(labels)
        if len(self.labels) != self.n_words:
            raise ValueError(f"{self.n_words} heads but {len(self.labels)} labels")
        self.arcs = frozenset((head, label, i + 1) for i, (head, label)
                              in enumerate(zip(self.heads, self.labels)) if head is not None)

    def _from_arcs(self, arcs):
        self.arcs = frozenset((int(head), label, int(dependent)) for head, label, dependent in arcs)
        self.n_words = max((max(head, dependent) for head, _, dependent in self.arcs), default=0)
        by_dependent = {dependent: (head, label) for head, label, dependent in self.arcs}
        if len(by_dependent) == len(self.arcs) == self.n_words:      # one head each: a tree
            self.heads = tuple(by_dependent[d][0] for d in range(1, self.n_words + 1))
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
            return f"Gold(arcs={sorted(self.arcs)!r})"
        return f"Gold(heads={list(self.heads)!r}, labels={list(self.labels)!r})"

    def __reduce__(self):
        if self.heads is None:
            return _gold_from_arcs, (self.arcs,)
        return Gold, (self.heads, self.labels)


def _gold_from_arcs(arcs):
    return Gold(arcs=arcs)


def _check_arcs(arcs, n_words):
    for head, _, dependent in arcs:
        if not 1 <= dependent <= n_words:
            raise ValueError(f"arc into {dependent}: dependents are words, numbered 1 to {n_words}")
        if not 0 <= head <= n_words:
            raise ValueError(
                f"word {dependent} has head {head}, but the sentence has {n_words} words")
        if head == dependent:
            raise ValueError(f"word {dependent} is its own head: a cycle")


def _check_acyclic(heads):
    seen = [0] * (len(heads) + 1)        # number of the walk that came by
    for start in range(1, len(heads) + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1] or 0
        if word and seen[word] == start:
            raise ValueError(f"the heads form a cycle through word {word}")
