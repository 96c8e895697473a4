"""Greedy search for graphs: what the parser leaves out of the root's reach is attached in the end.

A final state may leave words without a head, or in a cycle that nothing leads to. A valid graph has
a way from the root to every word, so each of these gets one more arc: from its head in the basic
tree, where words come with one, or else from the word under the root, the chief. The model chooses
its label, asked in a state that holds but the two words in question.
"""
from libc.stdint cimport int16_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC, word_column
from dodona.core.parsing.scoring cimport LinearScorer
from dodona.core.transitions.gold cimport GoldArc
from dodona.core.transitions.graph_state cimport add_graph_arc, mark_descendants
from dodona.core.transitions.state cimport StateC
from dodona.core.weights.linear cimport BLOCK
from dodona.core.weights.packed cimport BARRED

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


cdef class GraphGreedy(Greedy):
    """A greedy parser of encoded sentences into graphs; it writes their arcs into the corpus."""

    for_graphs = True

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.tree_head = NONE
        if isinstance(self.scorer, LinearScorer):
            self.tree_head = (<LinearScorer> self.scorer).features.tree_head
        for move, is_labelled in enumerate(self.system.labelled):
            self.labelled_moves |= is_labelled << move
        for c, (_, label, _, _) in enumerate(self.actions.pairs):
            if label == NONE:
                self.n_first_blocks = c // BLOCK + 1

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) except -2 nogil:
        """As in trees; but where words are joined already, only SHIFT and REDUCE are to be scored,
        which stand among the first classes, being the most frequent."""
        cdef int best, first_lane
        cdef const int16_t* barriers
        if moves & self.labelled_moves or self.scorer.outline is None or (
                self.n_first_blocks * BLOCK > self.scorer.outline.n_exact):
            return Greedy.best_class(self, space, words, moves)
        first_lane = self.scorer.outline.exact_lane
        barriers = self.actions.barriers(&space.state, moves)
        memcpy(space.lanes.data(), barriers + self.actions.n_padded,
               space.lanes.size() * sizeof(int16_t))
        self.scorer.score_first(&space.state, words, space.keys.data(), space.lanes.data(),
                                first_lane + self.n_first_blocks * BLOCK, space.memo)
        best = dodona_best(space.lanes.data() + first_lane, self.n_first_blocks)
        return best if barriers[best] == 0 else Greedy.best_class(self, space, words, moves)

    cdef int keep(self, Workspace space, Corpus corpus, int sentence) except -1 nogil:
        cdef const StateC* state = &space.state
        cdef int i
        if sentence == 0:
            corpus.arcs.clear()
        corpus.first_arc[sentence] = corpus.arcs.size()
        for i in range(state.n_arcs):
            corpus.arcs.push_back(
                GoldArc(state.arcs[i].head, state.arcs[i].label, state.arcs[i].dependent))
        corpus.end_arc[sentence] = corpus.arcs.size()

    # Each word gets one arc more at most, which with 2n - 1 that do not cross is within max_arcs:
    # what has no head is attached to what the root reaches, and is then within reach itself.
    cdef int complete(self, Workspace space, const WordsC* words) except -1 nogil:
        cdef StateC* state = &space.state
        cdef vector[char] marks
        cdef int d, chief = NONE
        if state.arc_out[state.root] == NONE:
            self.attach(space, words, state.root, self.headless_root(space, words))
        chief = state.arcs[state.arc_out[state.root]].dependent
        marks.resize(state.n_words + 1)
        mark_descendants(state, state.root, marks.data())
        while self.attach_headless(space, words, chief, marks.data()):
            pass
        for d in range(1, state.n_words + 1):
            if not marks[d]:
                self.attach(space, words, chief, d)
                mark_descendants(state, d, marks.data())

    cdef bint attach_headless(self, Workspace space, const WordsC* words, int chief,
                              char* marks) except -1 nogil:
        """Attach words without a head to likely ones within reach, or else one word to the chief;
        whether there was any to attach."""
        cdef StateC* state = &space.state
        cdef int d, head, last = NONE
        cdef bint some_attached = False
        for d in range(1, state.n_words + 1):
            if state.arc_in[d] == NONE:
                head = self.likely_head(words, d, chief)
                if marks[head]:
                    self.attach(space, words, head, d)
                    mark_descendants(state, d, marks)
                    some_attached = True
                else:
                    last = d
        if last != NONE and not some_attached:
            self.attach(space, words, chief, last)
            mark_descendants(state, last, marks)
        return last != NONE

    cdef int headless_root(self, Workspace space, const WordsC* words) except -2 nogil:
        """The word that scores best under the root, of those without a head or else of all."""
        cdef StateC* state = &space.state
        cdef int d, chosen, score, chief = NONE, best = 0
        cdef bint some_headless = False
        for d in range(1, state.n_words + 1):
            some_headless |= state.arc_in[d] == NONE
        for d in range(1, state.n_words + 1):
            if state.arc_in[d] == NONE or not some_headless:
                chosen = self.best_arc(space, words, state.root, d)
                score = BARRED if chosen == NONE else space.scores[chosen]
                if chief == NONE or score > best:
                    chief, best = d, score
        return chief

    cdef int likely_head(self, const WordsC* words, int word, int chief) noexcept nogil:
        """The head of the word in the basic tree; the word under the root where there is none."""
        cdef int head = NONE
        if self.tree_head != NONE:
            head = word_column(words, self.tree_head)[word]
        return head if head > 0 else chief

    cdef int attach(self, Workspace space, const WordsC* words, int head, int word) except -1 nogil:
        cdef int chosen = self.best_arc(space, words, head, word)
        add_graph_arc(&space.state, head, self.root_label if chosen == NONE
                      else self.actions.label[chosen], word)
