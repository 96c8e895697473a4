# One block of memory per tree: eight rows of n + 1 ints, indexed by word, the artificial root at 0.
cdef struct Tree:
    int n_words
    int* head
    int* child      # leftmost dependent, or NONE
    int* sibling    # next dependent of the same head, to the right, or NONE
    int* order      # words in preorder: every subtree is one slice
    int* entry      # where a word stands in order
    int* size       # words in its subtree, itself included
    int* left       # its block: the longest run of words around it that are all its
    int* right      # descendants, from left to right inclusive

cdef Tree* new_tree(object heads) except NULL
cdef Tree* new_numbered_tree(object heads) except NULL
cdef void free_tree(Tree* tree) noexcept nogil
cdef void measure_block(Tree* tree, int word) noexcept nogil
cdef void measure_blocks(Tree* tree) noexcept nogil

cdef inline bint dominates(const Tree* tree, int ancestor, int word) noexcept nogil:
    cdef int offset = tree.entry[word] - tree.entry[ancestor]
    return 0 <= offset < tree.size[ancestor]

cdef inline bint is_crossed(const Tree* tree, int dependent) noexcept nogil:
    """An arc is projective when its dependent lies in the block of its head."""
    cdef int head = tree.head[dependent]
    return dependent < tree.left[head] or dependent > tree.right[head]
