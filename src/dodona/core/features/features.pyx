"""Feature keys: templates compiled to index lists (Zhang & Nivre 2011 and any others).

For a state, first the slots are resolved (which node is `s0.left2`?), then the atoms are read (what
is its tag?), each once however many templates share it; a template's key is a multilinear hash: the
sum of its atoms, each times an odd multiplier, mixed at the end. A template with an empty slot has
no key. That is a third of them in a typical state, and valencies and label sets already encode that
a child is missing.
"""
from operator import itemgetter

from dodona.core.base.hashing cimport mixed, multiplier, seed
from dodona.core.base.nodes cimport NONE
from dodona.core.features import templates as language
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.slots cimport (
    HEAD, HEAD2, LEFT, LEFT2, MAX_SLOTS, RIGHT, RIGHT2, TREE_HEAD, Slot, distance_class, find_nodes)
from dodona.core.features.template_layout import SECTIONS, TemplateLayout, section_of
from dodona.core.features.templates import names_graphs, parse_templates, word_columns
from dodona.core.transitions.graph_state cimport link_class
from dodona.core.transitions.state cimport N_HISTORY
from dodona.core.transitions.system cimport State, System

# indices of what templates.py lists, in its order, and their number
cdef enum:
    LABEL, N_LEFT, N_RIGHT, N_HEADS, HEAD_LABELS, N_STATE_INTS

cdef enum:
    LEFT_LABELS, RIGHT_LABELS, N_STATE_SETS

cdef uint64_t GOLDEN_RATIO = 0x9e3779b97f4a7c15


def _check(what, listed, ours):
    """Refuse to start if templates.py disagrees with this module."""
    if listed != ours:
        raise ImportError(f"{what}: {listed} in templates.py, but {ours} in features.pyx")


_check("relations", {name: i for i, name in enumerate(language.RELATIONS)}, {
    "head": HEAD, "left": LEFT, "left2": LEFT2, "right": RIGHT, "right2": RIGHT2, "head2": HEAD2,
    "tree_head": TREE_HEAD})
_check("numbers of a state", {name: i for i, name in enumerate(language.STATE_INTS)}, {
    "label": LABEL, "n_left": N_LEFT, "n_right": N_RIGHT, "n_heads": N_HEADS,
    "head_labels": HEAD_LABELS})
_check("sets of a state", {name: i for i, name in enumerate(language.STATE_SETS)}, {
    "left_labels": LEFT_LABELS, "right_labels": RIGHT_LABELS})
_check("parts of a template", language.MAX_PARTS, MAX_PARTS)
_check("sections of keys", len(SECTIONS), N_SECTIONS)
_check("last actions", len(language.ACTIONS), N_HISTORY)


cdef inline uint64_t tree_link(const int32_t* heads, const int32_t* labels, int left,
                               int right) noexcept nogil:
    """Return the label and direction of the arc between two nodes in the basic tree, or 0."""
    if left == NONE or right == NONE:
        return 0
    if heads[right] == left:
        return 1 + 2 * <uint64_t> labels[right]
    return 2 + 2 * <uint64_t> labels[left] if heads[left] == right else 0


cdef inline uint64_t key_of(const Template* template, const uint64_t* value,
                            bint is_short) noexcept nogil:
    """Return the key of a template, given the value of each atom; odd: 0 marks a free slot."""
    cdef const uint16_t* atom = &template.atom[0]
    # always four, whether there are so many or not: no branch to mispredict
    cdef uint64_t key = (template.seed + value[atom[0]] + value[atom[1]] + value[atom[2]]
                         + value[atom[3]])
    cdef int j
    if not is_short:
        for j in range(FEW_ATOMS, MAX_PARTS):
            key += value[atom[j]]
    return mixed(key) | 1


cdef int fill_keys(const TemplateOrder* order, const StateAtoms* atoms, uint64_t* keys,
                   int* ends) noexcept nogil:
    """Write the keys of all templates whose slots are filled; return how many they are."""
    cdef const TemplateGroup* group = order.groups.data()
    cdef const Template* templates = order.templates.data()
    cdef const uint64_t* value = &atoms.value[0]
    cdef uint64_t empty = ~atoms.filled
    cdef int t, n = 0, section, g = 0
    for section in range(N_SECTIONS):
        while g < order.ends[section]:
            if group.slots & empty:
                pass
            elif group.is_short:
                for t in range(group.start, group.end):
                    keys[n] = key_of(&templates[t], value, True)
                    n += 1
            else:
                for t in range(group.start, group.end):
                    keys[n] = key_of(&templates[t], value, False)
                    n += 1
            group += 1
            g += 1
        ends[section] = n
    return n


cdef int add_atoms(vector[Atom]& atoms, found, size_t first) except -1:
    """Append atoms of (slot, column); `first` is the number of the first atom."""
    for slot, column in found:
        atoms.push_back(Atom(slot, column, multiplier(first + atoms.size())))
    return 0


cdef int add_pairs(vector[SlotPair]& pairs, found, size_t first) except -1:
    """Append atoms of (left slot, right slot); `first` is the number of the first atom."""
    for left, right in found:
        pairs.push_back(SlotPair(left, right, multiplier(first + pairs.size())))
    return 0


cdef int add_template(TemplateOrder* order, int section, uint64_t slots, int number,
                      list atoms) except -1:
    """Append a template, to the last group of its section if it needs the same slots."""
    cdef Template template
    cdef int j, index = <int> order.templates.size()
    cdef bint is_short = len(atoms) <= FEW_ATOMS
    template.seed = seed(number)
    for j in range(MAX_PARTS):
        template.atom[j] = atoms[j] if j < len(atoms) else NO_ATOM
    if (order.groups.size() == (0 if section == 0 else <size_t> order.ends[section - 1])
            or order.groups.back().slots != slots or order.groups.back().is_short != is_short):
        order.groups.push_back(TemplateGroup(slots, index, index, is_short))
    order.templates.push_back(template)
    order.groups.back().end = index + 1
    for j in range(section, N_SECTIONS):
        order.ends[j] = <int32_t> order.groups.size()
    return 0


cdef class Features:
    """A compiled template set.

    >>> features = Features("s0.form + b0.tag")
    >>> features.n_templates, features.columns
    (1, ('form', 'tag'))
    """

    def __init__(self, str text, str source="<templates>"):
        parsed = parse_templates(text, source)
        self.columns = tuple(word_columns(parsed))
        self.n_templates = len(parsed)
        self.for_graphs = names_graphs(parsed)
        self.tree_head, self.tree_label = (
            self.columns.index(name) if name in self.columns else NONE
            for name in (language.TREE_HEAD, language.TREE_LABEL))
        layout = TemplateLayout(parsed, self.columns)
        if (len(layout.slots) > MAX_SLOTS or layout.n_atoms > MAX_ATOMS
                or len(self.columns) > MAX_COLUMNS):
            raise language.TemplateError(
                f"{source}: more than {MAX_SLOTS} slots, {MAX_ATOMS} atoms or {MAX_COLUMNS} "
                "columns of words")
        self.has_links = layout.has_links
        self.n_atoms = layout.n_atoms
        for parent, step, in_buffer in layout.slots.values():
            self.slots.push_back(Slot(parent, step, in_buffer))
        add_pairs(self.distances, layout.ends_of(language.DISTANCES), 0)
        add_pairs(self.links, layout.ends_of(language.LINKS), MAX_ATOMS)
        add_pairs(self.tree_links, layout.ends_of(language.TREE_LINKS),
                  MAX_ATOMS + self.links.size())
        add_atoms(self.ints, layout.ints, self.distances.size())
        add_atoms(self.sets, layout.sets, self.distances.size() + self.ints.size())
        # templates that need the same slots are grouped: one test decides for all of them
        found = [(section_of(template), layout.slots_of(template), i, layout.atoms_of(template))
                 for i, template in enumerate(parsed)]
        for _, slots, i, atoms in sorted(found, key=itemgetter(1, 2)):
            add_template(&self.plain, 0, slots, i, atoms)
        found.sort(key=lambda one: (one[0], one[1], len(one[3]) > FEW_ATOMS, one[2]))
        for section, slots, i, atoms in found:
            add_template(&self.by_section, section, slots, i, atoms)

    def keys(self, State state not None, Corpus corpus not None, int sentence=0):
        """Return the keys of the features of a state of this sentence, in the order of `fill`."""
        cdef vector[uint64_t] keys
        cdef WordsC words
        if not 0 <= sentence < len(corpus):
            raise IndexError(f"no sentence {sentence} among {len(corpus)}")
        words = corpus.words(sentence)
        if words.n_words != state.c.n_words or words.n_columns != len(self.columns):
            raise ValueError(
                f"a state of {state.c.n_words} words and {len(self.columns)} columns, but "
                f"a sentence of {words.n_words} words and {words.n_columns} columns")
        self.check(state.system)
        keys.resize(self.n_templates)
        keys.resize(self.fill(&state.c, &words, keys.data()))
        return list(keys)

    def check(self, System system not None):
        """Refuse a system whose states lack what the templates read."""
        if self.for_graphs and not system.builds_graphs:
            raise language.TemplateError(
                f"these templates are for systems of graphs, and {system.name} builds trees: they "
                "name heads, links or actions that it does not have")

    cdef int fill(self, const StateC* state, const WordsC* words, uint64_t* keys) noexcept nogil:
        """Write the keys of the state's features; return how many they are (≤ n_templates)."""
        cdef StateAtoms atoms
        cdef int ends[N_SECTIONS]
        self.read(state, words, &atoms)
        return fill_keys(&self.plain, &atoms, keys, ends)

    cdef int fill_sections(self, const StateC* state, const WordsC* words, uint64_t* keys,
                           int* ends) noexcept nogil:
        """Write the keys of the state's features by section, and where each section ends."""
        cdef StateAtoms atoms
        self.read(state, words, &atoms)
        return fill_keys(&self.by_section, &atoms, keys, ends)

    cdef void read(self, const StateC* state, const WordsC* words,
                   StateAtoms* atoms) noexcept nogil:
        """Read the atoms that the keys of a state are made of."""
        cdef int32_t node[MAX_SLOTS]
        cdef const int32_t* tree_head = NULL
        if self.tree_head != NONE:
            tree_head = word_column(words, self.tree_head)
        atoms.filled = find_nodes(self.slots, state, tree_head, node)
        atoms.value[NO_ATOM] = 0
        self.read_atoms(state, words, node, atoms.value)

    cdef uint64_t signature(self, const StateAtoms* atoms) noexcept nogil:
        """Return a hash of the atoms of a state: with the same signature, all keys are the same."""
        cdef uint64_t sums[4]
        cdef int i, j, n = self.n_atoms
        sums[0], sums[1], sums[2], sums[3] = atoms.filled * GOLDEN_RATIO, 0, 0, 0
        for i in range(n // 4):             # four independent sums
            for j in range(4):
                sums[j] += atoms.value[4 * i + j]
        for i in range(n - n % 4, n):
            sums[0] += atoms.value[i]
        return mixed(sums[0] + sums[1] + sums[2] + sums[3])

    cdef int fill_from_atoms(self, const StateAtoms* atoms, uint64_t* keys,
                             int* ends) noexcept nogil:
        """Write the keys of a state by section, given its atoms."""
        return fill_keys(&self.by_section, atoms, keys, ends)

    cdef void read_atoms(self, const StateC* state, const WordsC* words, const int32_t* node,
                         uint64_t* value) noexcept nogil:
        cdef const int32_t* column[N_STATE_INTS + MAX_COLUMNS]
        cdef const uint64_t* labels[N_STATE_SETS]
        cdef size_t i, n = 0
        cdef const Atom* atom
        cdef const SlotPair* pair
        column[LABEL], column[N_LEFT], column[N_RIGHT] = state.label, state.n_left, state.n_right
        column[N_HEADS], column[HEAD_LABELS] = state.n_heads, state.head_labels
        labels[LEFT_LABELS], labels[RIGHT_LABELS] = state.left_labels, state.right_labels
        for i in range(<size_t> words.n_columns):
            column[N_STATE_INTS + i] = word_column(words, <int> i)
        for i in range(self.distances.size()):
            pair = &self.distances[i]
            value[n] = pair.multiplier * <uint64_t> distance_class(
                node[pair.left], node[pair.right])
            n += 1
        for i in range(self.ints.size()):
            atom = &self.ints[i]
            value[n] = atom.multiplier * <uint64_t> column[atom.column][node[atom.slot]]
            n += 1
        for i in range(self.sets.size()):
            atom = &self.sets[i]
            value[n] = atom.multiplier * mixed(
                labels[atom.column][node[atom.slot]] * GOLDEN_RATIO)
            n += 1
        if self.has_links:
            self.read_links(state, words, node, value + n)

    cdef void read_links(self, const StateC* state, const WordsC* words, const int32_t* node,
                         uint64_t* value) noexcept nogil:
        """Read the atoms without a slot in templates for graphs: links and last actions."""
        cdef const int32_t* heads = NULL
        cdef const int32_t* labels = NULL
        cdef const SlotPair* pair
        cdef size_t i, n = 0
        for i in range(self.links.size()):
            pair = &self.links[i]
            value[n] = pair.multiplier * <uint64_t> link_class(
                state, node[pair.left], node[pair.right])
            n += 1
        if self.tree_head != NONE and self.tree_label != NONE:
            heads, labels = word_column(words, self.tree_head), word_column(words, self.tree_label)
        for i in range(self.tree_links.size()):
            pair = &self.tree_links[i]
            value[n] = 0
            if heads != NULL:
                value[n] = pair.multiplier * tree_link(
                    heads, labels, node[pair.left], node[pair.right])
            n += 1
        for i in range(N_HISTORY):
            value[n] = multiplier(MAX_ATOMS + n) * <uint64_t> state.history[i]
            n += 1
