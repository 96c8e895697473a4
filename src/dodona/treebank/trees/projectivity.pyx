"""Projectivity (Nivre & Nilsson 2005, section 2; Havelka 2007), in linear time.

An arc is projective when every word between its ends descends from its head. So the projective
arcs of a head are those that end in its *block*: the longest run of words around it that are all
its descendants. Blocks are measured bottom-up, each by skipping over the blocks of descendants. A
word is skipped at most once from the left and once from the right, because two heads on one side of
a word whose blocks both contain it lie in one another's blocks: hence linear time, which `evaluate`
and `validate` need for sentences of up to a million words (`conllu.reader`).

Heads are 1-based: word i + 1 has head heads[i], and 0 is the artificial root, left of all words.
"""
from libc.stdlib cimport calloc, free

from dodona.core.base.nodes cimport NONE


cdef Tree* new_tree(object heads) except NULL:
    """Allocate a tree with heads, children, preorder and sizes; a cycle is a ValueError."""
    cdef int n_words = len(heads), word = 1
    cdef size_t row = <size_t> n_words + 1
    cdef char* block = <char*> calloc(1, sizeof(Tree) + 8 * row * sizeof(int))
    if block == NULL:
        raise MemoryError
    cdef Tree* tree = <Tree*> block
    cdef int* rows = <int*> (block + sizeof(Tree))
    tree.n_words = n_words
    tree.head, tree.child, tree.sibling, tree.order = rows, rows + row, rows + 2*row, rows + 3*row
    rows += 4 * row
    tree.entry, tree.size, tree.left, tree.right = rows, rows + row, rows + 2*row, rows + 3*row
    try:
        fill_heads(tree, heads)
        if not number_subtrees(tree):
            while tree.size[word] != 0:
                word += 1
            raise ValueError("these heads do not form a tree: "
                             f"following them up from word {word} ends in a cycle")
    except BaseException:
        free(block)
        raise
    return tree


cdef int fill_heads(Tree* tree, object heads) except -1:
    cdef int word = 0
    cdef object given
    cdef long long head
    tree.head[0] = NONE
    for given in heads:
        word += 1
        if word > tree.n_words:
            break
        try:
            head = given
        except (TypeError, OverflowError):
            raise ValueError(f"word {word} has head {given!r}, not a word number") from None
        if not 0 <= head <= tree.n_words:
            raise ValueError(
                f"word {word} has head {head}, but the sentence has {tree.n_words} words")
        tree.head[word] = <int> head
    if word != tree.n_words:
        raise ValueError(f"the sequence has length {tree.n_words}, but yields {word} heads")
    return 0


cdef bint number_subtrees(Tree* tree) noexcept nogil:
    """Fill children, preorder and sizes; return whether the root dominates every word.

    Words that it does not dominate have size 0.
    """
    cdef int n_seen = 0, word, i
    for word in range(tree.n_words + 1):
        tree.child[word], tree.size[word] = NONE, 0
    for word in range(tree.n_words, 0, -1):
        tree.sibling[word] = tree.child[tree.head[word]]
        tree.child[tree.head[word]] = word
    word = 0
    while True:
        tree.entry[word] = n_seen
        tree.order[n_seen] = word
        tree.size[word] = 1
        n_seen += 1
        if tree.child[word] != NONE:
            word = tree.child[word]
            continue
        while word != 0 and tree.sibling[word] == NONE:
            word = tree.head[word]
        if word == 0:
            break
        word = tree.sibling[word]
    for i in range(n_seen - 1, 0, -1):
        word = tree.order[i]
        tree.size[tree.head[word]] += tree.size[word]
    return n_seen == tree.n_words + 1


cdef void measure_blocks(Tree* tree) noexcept nogil:
    """Fill left and right, bottom-up."""
    cdef int i, word, edge
    for i in range(tree.n_words, -1, -1):
        word = tree.order[i]
        edge = word - 1
        while edge > 0 and dominates(tree, word, edge):
            edge = tree.left[edge] - 1
        tree.left[word] = edge + 1
        edge = word + 1
        while edge <= tree.n_words and dominates(tree, word, edge):
            edge = tree.right[edge] + 1
        tree.right[word] = edge - 1


def is_projective(heads):
    """Return whether every arc of the tree is projective.

    >>> is_projective([2, 0, 2]), is_projective([3, 4, 0, 3])
    (True, False)
    """
    return not nonprojective_arcs(heads)


def nonprojective_arcs(heads):
    """Return the words whose arc from their head is not projective, from left to right.

    Between the ends of such an arc is a word that does not descend from its head.

    >>> nonprojective_arcs([3, 4, 0, 3])
    [2]
    """
    cdef Tree* tree = new_tree(heads)
    try:
        with nogil:
            measure_blocks(tree)
        return [word for word in range(1, tree.n_words + 1) if is_crossed(tree, word)]
    finally:
        free(tree)


def is_tree(heads):
    """Return whether every word has a head in the sentence and a path up to the root 0.

    Several words may depend on 0: `n_roots` counts them.

    >>> is_tree([2, 0, 2]), is_tree([2, 1, 0]), is_tree([0, 7])
    (True, False, False)
    """
    cdef Tree* tree
    try:
        tree = new_tree(heads)
    except ValueError:
        return False
    free(tree)
    return True


def n_roots(heads):
    """Return how many words depend on the artificial root.

    >>> n_roots([2, 0, 2, 0])
    2
    """
    return sum(1 for head in heads if head == 0)
