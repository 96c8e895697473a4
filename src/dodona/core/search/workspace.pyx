"""Memory that one thread needs while it parses: states, their features, and their scores."""
from dodona.core.search.agenda cimport Step
from dodona.core.transitions.state cimport lay_out, state_size

# The logarithm of how many signatures of earlier steps are kept with their scores: of hypotheses
# that duplicate no other, a fifth come again. Half as many or four times as many are as fast.
LOG_SIGNATURES = 6


cdef class Workspace:
    """A state, room for its keys, scores and sketch lanes, and a score cache."""

    def __init__(self, int n_keys, int n_scores, int n_lanes=0, ScoreCache cache=None):
        self.keys.resize(n_keys)
        self.scores.resize(n_scores)
        self.lanes.resize(n_lanes)
        self.cache = cache

    cdef int reserve(self, int n_words, System system) except -1 nogil:
        """Make room for a sentence of `n_words` words."""
        cdef int max_arcs = system.max_arcs(n_words)
        cdef size_t n_units = state_size(n_words, max_arcs) // sizeof(uint64_t)
        if self.block.size() < n_units:
            self.block.resize(n_units)
        lay_out(&self.state, self.block.data(), n_words, max_arcs)
        return 0

    cdef size_t size(self) noexcept nogil:
        """Return the bytes that depend on the sentences it has been used for."""
        return self.block.size() * sizeof(uint64_t)


cdef class BeamWorkspace(Workspace):
    """A workspace with an agenda, and a row of scores or of sketch lanes for each hypothesis."""

    def __init__(self, int width, Sketch sketch, int n_keys, int n_scores, ScoreCache sums):
        super().__init__(n_keys, n_scores)
        self.agenda, self.sketch, self.sums = Agenda(width), sketch, sums
        self.row_size = n_scores if sketch is None else sketch.n_lanes
        self.rows.resize(<size_t> width * self.row_size)
        self.best.resize(width)
        self.by_signature = ScoreCache(self.row_size * sizeof(int16_t), (LOG_SIGNATURES,))

    cdef size_t size(self) noexcept nogil:
        return (Workspace.size(self) + self.agenda.block.size() * sizeof(uint64_t)
                + self.agenda.steps.capacity() * sizeof(Step))
