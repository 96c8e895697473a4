"""From a state and the columns of its sentence to feature keys; templates are data."""
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.features.slots cimport Slot
from dodona.core.features.words cimport WordsC
from dodona.core.transitions.state cimport StateC

cdef enum:
    MAX_ATOMS = 256
    NO_ATOM = MAX_ATOMS       # its value is 0
    FEW_ATOMS = 4             # most templates have no more
    N_SECTIONS = 5            # as in template_layout.py, which features.pyx checks
    MAX_PARTS = 8             # as in templates.py, which features.pyx checks
    MAX_COLUMNS = 32

cdef struct Atom:
    int32_t slot
    int32_t column
    uint64_t multiplier       # odd, different for each atom

cdef struct StateAtoms:       # all that the templates see of a state
    uint64_t filled           # the set of slots that hold a node
    uint64_t value[MAX_ATOMS + 1]

cdef struct Template:
    uint64_t seed
    uint16_t atom[MAX_PARTS]  # of each of its parts; then NO_ATOM

cdef struct SlotPair:         # an atom about two slots
    int32_t left
    int32_t right
    uint64_t multiplier

cdef struct TemplateGroup:
    uint64_t slots            # templates that need all of these slots to be filled …
    int32_t start             # … from this one …
    int32_t end               # … up to this one
    bint is_short             # none of them has more than FEW_ATOMS

cdef struct TemplateOrder:
    vector[Template] templates
    vector[TemplateGroup] groups
    int32_t ends[N_SECTIONS]  # of the groups of each section


cdef class Features:
    cdef readonly tuple columns         # names of the word columns, in order
    cdef readonly int n_templates
    cdef readonly bint for_graphs       # whether templates read what only states of graphs have
    cdef int n_atoms
    cdef bint has_links
    cdef int tree_head                  # columns of a basic tree, or NONE
    cdef int tree_label
    cdef vector[Slot] slots
    cdef vector[SlotPair] distances
    cdef vector[SlotPair] links
    cdef vector[SlotPair] tree_links
    cdef vector[Atom] ints              # atoms that are int32: words' columns, labels, valencies
    cdef vector[Atom] sets              # atoms that are sets of labels
    cdef TemplateOrder plain
    cdef TemplateOrder by_section       # as template_layout.py defines them

    cdef int fill(self, const StateC* state, const WordsC* words, uint64_t* keys) noexcept nogil
    cdef int fill_sections(self, const StateC* state, const WordsC* words, uint64_t* keys,
                           int* ends) noexcept nogil
    cdef void read(self, const StateC* state, const WordsC* words,
                   StateAtoms* atoms) noexcept nogil
    cdef uint64_t signature(self, const StateAtoms* atoms) noexcept nogil
    cdef int fill_from_atoms(self, const StateAtoms* atoms, uint64_t* keys,
                             int* ends) noexcept nogil
    cdef void read_atoms(self, const StateC* state, const WordsC* words, const int32_t* node,
                         uint64_t* value) noexcept nogil
    cdef void read_links(self, const StateC* state, const WordsC* words, const int32_t* node,
                         uint64_t* value) noexcept nogil
