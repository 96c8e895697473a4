"""The pseudo-projective transform (Nivre & Nilsson 2005): crossing arcs for projective parsers.

`projectivise` moves the dependent of a non-projective arc up to the head of its head, shortest arc
first and leftmost among equals, until the tree is projective. Labels record the lifts:

    scheme      a lifted word   a head it was lifted past
    baseline    nmod            obj
    head        nmod↑obj        obj          ↑ and the label of the head it left
    path        nmod↑           obj↓
    head+path   nmod↑obj        obj↓         a word can be both: obj↑conj↓

`deprojectivise` takes the lifted words top-down and looks below the head of each, breadth first and
left to right, for the head it came from: the first word with the label after ↑ (head); the first
word reached over ↓ alone that has no ↓ below it (path); the first word reached over ↓ alone with
the label after ↑ (head+path). If there is none, the word stays. The word's own subtree is not
searched, so no cycle can arise, and the last root cannot move.

↑ and ↓ are reserved: a treebank whose labels contain one is refused.
"""
from collections import namedtuple

from libc.stdlib cimport calloc, free
from libcpp.algorithm cimport pop_heap, push_heap, rotate
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.treebank.trees.projectivity cimport (
    Tree, is_crossed, measure_block, measure_blocks, new_tree)

SCHEMES = ("baseline", "head", "path", "head+path")
Projectivised = namedtuple("Projectivised", "heads labels n_lifted")

cdef str UP_ARROW = "↑"
cdef str DOWN_ARROW = "↓"

cdef enum Mark:
    LIFTED = 1
    PASSED = 2


def lifted(str label not None):
    """Return whether the label marks a lifted word.

    >>> lifted("nmod↑obj"), lifted("obj↓")
    (True, False)
    """
    return UP_ARROW in label


def plain(str label not None):
    """Return the label without the marks of the transform.

    >>> plain("nmod↑obj↓"), plain("obj↓"), plain("obj")
    ('nmod', 'obj', 'obj')
    """
    if UP_ARROW in label:
        label = label[:label.index(UP_ARROW)]
    return label[:label.index(DOWN_ARROW)] if DOWN_ARROW in label else label


cdef check(heads, labels, scheme):
    if scheme not in SCHEMES:
        raise ValueError(f"unknown scheme {scheme!r}: expected one of {', '.join(SCHEMES)}")
    if len(heads) != len(labels):
        raise ValueError(f"{len(heads)} heads, but {len(labels)} labels")


def projectivise(heads, labels, scheme="head"):
    """Lift the non-projective arcs of a tree and mark them in the labels.

    >>> projectivise([3, 4, 0, 3], ["det", "nmod", "root", "obj"], "head+path")
    Projectivised(heads=[3, 3, 0, 3], labels=['det', 'nmod↑obj', 'root', 'obj↓'], n_lifted=1)
    """
    scheme, *labels = map(str.__str__, (scheme, *labels))   # plain, from subclasses as well
    check(heads, labels, scheme)
    cdef int i = 0
    cdef str label
    for label in labels:
        i += 1
        if UP_ARROW in label or DOWN_ARROW in label:
            raise ValueError(
                f"word {i} has label {label!r}, but ↑ and ↓ are reserved for the "
                "pseudo-projective transform: rename the label, or deprojectivise first")
    cdef Tree* tree = new_tree(heads)
    cdef char* marks = <char*> calloc(tree.n_words + 1, 1)
    cdef int n_lifted = 0
    try:
        if marks == NULL:
            raise MemoryError
        with nogil:
            n_lifted = lift_arcs(tree, marks)
        if n_lifted == 0:
            return Projectivised(list(heads), list(labels), 0)
        return Projectivised(
            [tree.head[i + 1] for i in range(tree.n_words)],
            [encode(heads, labels, scheme, i, marks[i + 1]) for i in range(tree.n_words)],
            n_lifted)
    finally:
        free(marks)
        free(tree)


cdef str encode(heads, labels, str scheme, int i, int mark):
    cdef str label = labels[i]
    if mark & LIFTED and scheme != "baseline":
        label += UP_ARROW
        if scheme != "path":
            label += <str> labels[heads[i] - 1]
    if mark & PASSED and scheme in ("path", "head+path"):
        label += DOWN_ARROW
    return label


cdef int lift_arcs(Tree* tree, char* marks) except -1 nogil:
    """Lift arcs until the tree is projective; return how many words were lifted.

    A lift takes descendants from one word only, the old head. So only the arcs of that head can
    become non-projective, and a non-projective arc stays so until it is lifted itself. Measuring
    the whole tree after each lift takes over a minute for a crossing chain of 5,000 words.
    """
    cdef vector[long long] queue
    cdef int word, head, n_lifted = 0
    measure_blocks(tree)
    for word in range(1, tree.n_words + 1):
        if is_crossed(tree, word):
            enqueue(tree, word, queue)
    while not queue.empty():
        pop_heap(queue.begin(), queue.end())
        word = <int> (-queue.back() % (tree.n_words + 1))
        queue.pop_back()
        head = tree.head[word]
        n_lifted += not marks[word] & LIFTED
        marks[word] |= LIFTED
        marks[head] |= PASSED
        lift(tree, word)
        shrink_block(tree, head, queue)
        if is_crossed(tree, word):
            enqueue(tree, word, queue)
    return n_lifted


cdef int enqueue(const Tree* tree, int word, vector[long long]& queue) except -1 nogil:
    # the maximum of the heap is the shortest arc, then the leftmost dependent
    cdef long long length = abs(word - tree.head[word])
    queue.push_back(-(length * (tree.n_words + 1) + word))
    push_heap(queue.begin(), queue.end())
    return 0


cdef int lift(Tree* tree, int word) except -1 nogil:
    """Attach a word to the head of its head; its preorder slice moves behind its old head's."""
    cdef int head = tree.head[word], start = tree.entry[word], i
    cdef int end = tree.entry[head] + tree.size[head]
    rotate(tree.order + start, tree.order + start + tree.size[word], tree.order + end)
    for i in range(start, end):
        tree.entry[tree.order[i]] = i
    tree.size[head] -= tree.size[word]
    tree.head[word] = tree.head[head]
    return 0


cdef int shrink_block(Tree* tree, int head, vector[long long]& queue) except -1 nogil:
    """Measure the block of a head that lost descendants, and enqueue its arcs that leave it."""
    cdef int left = tree.left[head], right = tree.right[head], word
    measure_block(tree, head)
    for word in range(left, tree.left[head]):
        if tree.head[word] == head:
            enqueue(tree, word, queue)
    for word in range(tree.right[head] + 1, right + 1):
        if tree.head[word] == head:
            enqueue(tree, word, queue)
    return 0


cdef struct HeadSearch:   # the labels of a tree, by word, and how to search it for heads
    bint by_label   # the label of the head is known (head, head+path)
    bint by_path    # the path to the head is marked (path, head+path)
    char* marks
    int* label      # plain label
    int* wanted     # label after ↑
    int* queue      # of the breadth-first search


def deprojectivise(heads, labels, scheme="head"):
    """Return lifted words to the heads that their labels name, and remove the marks.

    Any tree and any labels are accepted: a word whose head is not found stays. The result is a tree
    with at least one root and at most as many as before.

    >>> deprojectivise([3, 3, 0, 3], ["det", "nmod↑obj", "root", "obj↓"], "head+path")
    ([3, 4, 0, 3], ['det', 'nmod', 'root', 'obj'])
    """
    scheme, *labels = map(str.__str__, (scheme, *labels))
    check(heads, labels, scheme)
    cdef Tree* tree = new_tree(heads)
    cdef int* rows = NULL
    cdef HeadSearch search
    cdef int i
    try:
        plain_labels = [plain(label) for label in labels]
        if scheme == "baseline" or not any([UP_ARROW in <str> label for label in labels]):
            return list(heads), plain_labels
        rows = <int*> calloc(<size_t> tree.n_words + 1, 4 * sizeof(int))
        if rows == NULL:
            raise MemoryError
        search.by_label, search.by_path = "head" in scheme, "path" in scheme
        search.label, search.wanted = rows, rows + tree.n_words + 1
        search.queue = rows + 2 * (tree.n_words + 1)
        search.marks = <char*> (rows + 3 * (tree.n_words + 1))
        read_marks(&search, labels, plain_labels)
        with nogil:
            lower_words(tree, &search)
        return [tree.head[i] for i in range(1, tree.n_words + 1)], plain_labels
    finally:
        free(rows)
        free(tree)


cdef read_marks(HeadSearch* search, labels, list plain_labels):
    cdef dict ids = {}
    cdef int word = 0
    cdef str label
    search.label[0] = NONE
    for label in labels:
        search.label[word + 1] = ids.setdefault(plain_labels[word], len(ids))
        word += 1
        if DOWN_ARROW in label:
            search.marks[word] |= PASSED
        if UP_ARROW in label:
            search.marks[word] |= LIFTED
            wanted = plain(label[label.index(UP_ARROW) + 1:])
            search.wanted[word] = ids.setdefault(wanted, len(ids))


cdef void lower_words(Tree* tree, const HeadSearch* search) noexcept nogil:
    """Return lifted words to their heads, in the breadth-first order of the given tree."""
    cdef int i = 0, n_seen = 1, word
    tree.order[0] = 0    # reuse `order` as the queue
    while i < n_seen:
        word = tree.child[tree.order[i]]
        while word != NONE:
            tree.order[n_seen] = word
            n_seen += 1
            word = tree.sibling[word]
        i += 1
    for i in range(1, n_seen):
        word = tree.order[i]
        if search.marks[word] & LIFTED:
            move(tree, word, head_below(tree, search, word))


cdef int head_below(const Tree* tree, const HeadSearch* search, int lifted_word) noexcept nogil:
    """Return the head that a lifted word came from; if none is found, the one it has."""
    cdef int i = 0, n_seen = 1, word
    search.queue[0] = tree.head[lifted_word]
    while i < n_seen:
        word = tree.child[search.queue[i]]
        while word != NONE:
            if word != lifted_word and (not search.by_path or search.marks[word] & PASSED):
                if search.by_label:
                    if search.label[word] == search.wanted[lifted_word]:
                        return word
                elif not has_passed_child(tree, search, word):
                    return word
                search.queue[n_seen] = word
                n_seen += 1
            word = tree.sibling[word]
        i += 1
    return tree.head[lifted_word]


cdef bint has_passed_child(const Tree* tree, const HeadSearch* search, int head) noexcept nogil:
    cdef int word = tree.child[head]
    while word != NONE:
        if search.marks[word] & PASSED:
            return True
        word = tree.sibling[word]
    return False


cdef void move(Tree* tree, int word, int head) noexcept nogil:
    """Attach a word to another head, keeping siblings linked from left to right."""
    cdef int* link = &tree.child[tree.head[word]]
    while link[0] != word:
        link = &tree.sibling[link[0]]
    link[0] = tree.sibling[word]
    link = &tree.child[head]
    while link[0] != NONE and link[0] < word:
        link = &tree.sibling[link[0]]
    tree.sibling[word] = link[0]
    link[0] = word
    tree.head[word] = head
