cdef struct Tree:   # one allocation: eight arrays of n_words + 1, by word, the artificial root at 0
    int n_words
    int* head
    int* child      # leftmost dependent, or NONE
    int* sibling    # next dependent of the same head, to the right, or NONE
    int* order      # words in preorder: every subtree is one slice
    int* entry      # index of a word in `order`
    int* size       # words in its subtree, itself included
    int* left       # first and last word of its block: the longest run of words around it that
    int* right      # are all its descendants

cdef Tree* new_tree(object heads) except NULL          # to be freed by `free`
cdef bint number_subtrees(Tree* tree) noexcept nogil
cdef void measure_blocks(Tree* tree) noexcept nogil

cdef inline bint dominates(const Tree* tree, int ancestor, int word) noexcept nogil:
    cdef int offset = tree.entry[word] - tree.entry[ancestor]
    return 0 <= offset < tree.size[ancestor]

cdef inline bint is_crossed(const Tree* tree, int dependent) noexcept nogil:
    """Return whether an arc is non-projective: its dependent lies outside the block of its head."""
    cdef int head = tree.head[dependent]
    return dependent < tree.left[head] or dependent > tree.right[head]
