"""A trie of path patterns, with the classes and the output labels of the arcs along them."""
from dodona.core.base.nodes cimport NONE
from dodona.treebank.encoding.vocabulary cimport Vocabulary, hashed

MARKER_RELATIONS = {"case": CASE_MARKER, "mark": MARK_MARKER, "cc": CC_MARKER, "fixed": FIXED_PART}


cdef class PathTable:
    """Patterns and classes of an inventory, compiled for the labels of some trees.

    `patterns` are lists of (direction, relation), `choices` the classes of each pattern, and
    `steps` the step of each class. `outputs` gives the output label of (class, label); its label is
    0 for a class without a step. Label i of a tree is copied to output label i.
    """

    def __init__(self, labels, patterns, choices, steps, outputs, is_root):
        cdef bytes text
        cdef int klass, label, number
        numbers = {}
        for _, relation in (step for pattern in patterns for step in pattern):
            numbers.setdefault(relation, len(numbers))
        self.labels = Vocabulary([name.encode() for name in labels])
        self.n_relations, self.n_classes = len(numbers), len(steps)
        for number, name in enumerate(labels):
            text, relation = name.encode(), name.partition(":")[0]
            self.facts.push_back(LabelFacts(
                hashed(text, len(text)), numbers.get(relation, NONE),
                MARKER_RELATIONS.get(relation, OTHER_RELATION), number))
        self._add_node()
        for number, pattern in enumerate(patterns):
            self.pattern[self._insert(pattern, numbers)] = number
        self.choices = choices
        self.step = steps
        self.outputs.resize(self.n_classes * self.facts.size(), NONE)
        for (klass, label), number in outputs.items():
            self.outputs[klass * self.facts.size() + label] = number
        self.is_root = is_root

    def _add_node(self):
        self.next.resize(self.next.size() + 2 * self.n_relations, NONE)
        self.goes_down.push_back(False)
        self.pattern.push_back(NONE)

    def _insert(self, pattern, numbers):
        """Return the node of a pattern, which is added with all nodes on the way."""
        cdef size_t node = 0, at
        for direction, relation in pattern:
            if direction == DOWN:
                self.goes_down[node] = True
            at = (2 * node + direction) * self.n_relations + numbers[relation]
            if self.next[at] == NONE:
                self.next[at] = <int32_t> self.pattern.size()
                self._add_node()
            node = self.next[at]
        return node

    cdef int32_t after(self, int32_t node, int direction, int32_t relation) noexcept nogil:
        """Return the node after a step, or NONE if no pattern goes on like this."""
        if relation == NONE:
            return NONE
        return self.next[(2 * <size_t> node + direction) * self.n_relations + relation]

    cdef int32_t output(self, int klass, int32_t label) noexcept nogil:
        """Return the output label of a class, given the label of its step."""
        return self.outputs[<size_t> klass * self.facts.size() + label]
