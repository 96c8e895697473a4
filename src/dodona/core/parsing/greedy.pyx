"""Greedy search: the best action, again and again, until the state is final; then a whole tree."""
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.state cimport copy, lay_out, state_size
from dodona.core.transitions.system cimport State
from dodona.core.weights.linear cimport BLOCK, MAX_KEYS
from dodona.core.weights.packed cimport BARRED

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


cdef class Workspace:
    cdef void reserve(self, int n_words, int max_arcs, int n_keys, int n_scores) noexcept nogil:
        """Make room for a sentence of that many words."""
        cdef size_t n_units = state_size(n_words, max_arcs) // sizeof(uint64_t)
        if self.block.size() < n_units:
            self.block.resize(n_units * 2)
        self.keys.resize(n_keys)
        self.scores.resize(n_scores)
        lay_out(&self.state, self.block.data(), n_words, max_arcs)


cdef class Greedy:
    """A greedy parser of encoded sentences. Threads may share it: only a Workspace changes."""

    for_graphs = False            # whether it searches for graphs or for trees

    def __init__(self, Features features, Actions actions, Scorer weights, *,
                 bint one_root=True, int root_label=0):
        if features.n_templates > MAX_KEYS:
            raise ValueError(f"{features.n_templates} templates; at most {MAX_KEYS} can be packed")
        if weights.n_classes != actions.n_classes:
            raise ValueError(
                f"weights for {weights.n_classes} classes, but there are {actions.n_classes}")
        features.check(actions.system)
        if actions.system.builds_graphs != self.for_graphs:
            kind = "trees" if self.for_graphs else "graphs, which are parsed greedily (GraphGreedy)"
            raise ValueError(f"{actions.system.name} builds {kind}")
        self.system, self.features, self.actions = actions.system, features, actions
        self.weights, self.one_root, self.root_label = weights, one_root, root_label

    def parse(self, Corpus corpus, int start=0, int end=-1):
        """Parse the sentences start … end - 1 and write heads and labels into the corpus.

        Returns the number of transitions that took.
        """
        cdef long n_transitions = 0
        cdef Workspace space = self.workspace()
        cdef int i, stop = <int> corpus.n_words.size() if end < 0 else end
        cdef WordsC words
        self.check(corpus, start, stop)
        with nogil:
            for i in range(start, stop):
                words = corpus.words(i)
                n_transitions += self.parse_words(space, &words)
                self.keep(space, corpus, i)
        return n_transitions

    cdef void keep(self, Workspace space, Corpus corpus, int sentence) noexcept nogil:
        """Write what was parsed into the corpus."""
        cdef const StateC* state = &space.state
        cdef size_t first = corpus.first_word[sentence]
        cdef int d
        for d in range(1, state.n_words + 1):
            corpus.head[first + d - 1] = 0 if state.head[d] == state.root else state.head[d]
            corpus.label[first + d - 1] = state.label[d]

    def check(self, Corpus corpus, int start, int stop):
        """Refuse a corpus that was not encoded for these features, and sentences it has not."""
        if start < 0 or stop > <int> corpus.n_words.size():
            raise IndexError(f"sentences {start} to {stop} of a corpus of {len(corpus)}")
        if corpus.n_columns != len(self.features.columns):
            raise ValueError(
                f"{corpus.n_columns} columns, but features look at {self.features.columns}")

    def scores(self, State state not None, Corpus corpus not None, int sentence=0):
        """{action: score} for every class that this state of the sentence allows."""
        cdef const int16_t* barriers
        cdef int c
        self.check(corpus, sentence, sentence + 1)
        row = self.weights.scores(self.features.keys(state, corpus, sentence))
        barriers = self.actions.barriers(&state.c, self.system.valid_moves(&state.c))
        return {self.system._named(state, self.actions.pairs[c][:2]): row[c]
                for c in range(self.actions.n_classes) if barriers[c] == 0}

    def label_to_remember(self, State state not None, Corpus corpus not None, int sentence=0):
        """The label of the best RIGHT-ARC, which some systems note for a SHIFT."""
        cdef const int16_t* barriers
        cdef vector[int16_t] row
        cdef int c
        self.check(corpus, sentence, sentence + 1)
        row = self.weights.scores(self.features.keys(state, corpus, sentence))
        barriers = self.actions.barriers(&state.c, self.system.valid_moves(&state.c))
        for c in range(self.actions.n_classes):
            row[c] = <int16_t> (row[c] + barriers[c])
        return self.system.labels[self.best_label(row.data())]

    def trace(self, Corpus corpus, int sentence=0):
        """Every state of a sentence's parse with the action taken there, at last None."""
        cdef Workspace space = Workspace()
        cdef State state
        cdef WordsC words
        cdef int chosen
        self.check(corpus, sentence, sentence + 1)
        words = corpus.words(sentence)
        space.reserve(words.n_words, self.system.max_arcs(words.n_words),
                      self.features.n_templates, self.actions.n_padded)
        self.system.start_state(&space.state)
        steps = []
        while True:
            state = self.system.state_class(self.system, words.n_words)
            if self.system.final(&space.state):
                copy(&state.c, &space.state)
                return [*steps, (state, None)]
            chosen = self.next_class(space, &words)
            copy(&state.c, &space.state)
            steps.append((state, self.system._named(state, self.actions.pairs[chosen][:2])))
            self.system.take(&space.state, self.actions.move[chosen], self.actions.label[chosen])

    cdef Workspace workspace(self):
        return Workspace()

    cdef int best_class(self, Workspace space, const WordsC* words, int moves) noexcept nogil:
        """The class of the highest score among those of the given moves; NONE if there is none."""
        cdef int n_keys = self.features.fill(&space.state, words, space.keys.data())
        cdef const int16_t* barriers = self.actions.barriers(&space.state, moves)
        cdef int c, best
        memcpy(space.scores.data(), barriers, space.scores.size() * sizeof(int16_t))
        self.weights.score(space.keys.data(), n_keys, space.scores.data())
        best = dodona_best(space.scores.data(), self.actions.n_padded // BLOCK)
        if barriers[best] == 0:
            return best
        # no allowed class came above the barred ones: there is none, or weights are out of bounds
        best = NONE
        for c in range(self.actions.n_classes):
            if barriers[c] == 0 and (best == NONE or space.scores[c] > space.scores[best]):
                best = c
        return best

    cdef int parse_words(self, Workspace space, const WordsC* words) noexcept nogil:
        """Leave the tree of the sentence in the workspace's state; the number of transitions."""
        cdef StateC* state = &space.state
        cdef int chosen, n_transitions = 0
        space.reserve(words.n_words, self.system.max_arcs(words.n_words),
                      self.features.n_templates, self.actions.n_padded)
        self.system.start_state(state)
        while not self.system.final(state):
            chosen = self.next_class(space, words)
            self.system.take(state, self.actions.move[chosen], self.actions.label[chosen])
            n_transitions += 1
        self.complete(space, words)
        return n_transitions

    cdef int next_class(self, Workspace space, const WordsC* words) noexcept nogil:
        """What to do next; the state takes note of what its system wants to remember."""
        cdef int chosen = self.best_class(space, words, self.system.valid_moves(&space.state))
        if self.system.remembers_label:
            self.system.remember(&space.state, self.best_label(space.scores.data()))
        return chosen

    cdef int best_label(self, const int16_t* scores) noexcept nogil:
        """The label of the RIGHT-ARC that scores best; the first if there is none."""
        cdef int c, chosen = NONE
        for c in range(self.actions.n_classes):
            if self.actions.move[c] == self.system.right_arc and (
                    chosen == NONE or scores[c] > scores[chosen]):
                chosen = c
        return 0 if chosen == NONE else self.actions.label[chosen]

    # A final state may leave words without a head, or several under the root. The tree is completed
    # with the model's own scores, asked in a state that holds but the two words in question.
    cdef void complete(self, Workspace space, const WordsC* words) noexcept nogil:
        cdef StateC* state = &space.state
        cdef int d, chief, n_headless = 0, n_under_root = 0
        for d in range(1, state.n_words + 1):
            n_headless += state.head[d] == NONE
            n_under_root += state.head[d] == state.root and state.root != NONE
        if n_headless == 0 and (n_under_root == 1 or not self.one_root):
            return
        chief = self.root_word(space, words, n_under_root > 0)
        if state.root == NONE:
            state.root = 0
        if state.head[chief] == NONE:
            self.attach(space, words, state.root, chief)
        for d in range(1, state.n_words + 1):
            if d != chief and (state.head[d] == NONE
                               or self.one_root and state.head[d] == state.root):
                self.attach(space, words, chief if self.one_root else state.root, d)

    cdef int root_word(self, Workspace space, const WordsC* words, bint under_root) noexcept nogil:
        """The word that scores best under the root, of those already there or else headless."""
        cdef StateC* state = &space.state
        cdef int d, chosen, score, chief = NONE, best = 0
        for d in range(1, state.n_words + 1):
            if state.head[d] == (state.root if under_root else NONE):
                score = 0
                if state.root != NONE:
                    chosen = self.best_arc(space, words, state.root, d)
                    score = BARRED if chosen == NONE else space.scores[chosen]
                if chief == NONE or score > best:
                    chief, best = d, score
        return chief

    cdef void attach(self, Workspace space, const WordsC* words, int head, int word) noexcept nogil:
        """Add an arc with the label that scores best for it."""
        cdef StateC* state = &space.state
        cdef int label = NONE, chosen
        if head != 0 or self.system.root_node(state.n_words) == 0:
            chosen = self.best_arc(space, words, head, word)
            if chosen != NONE:                          # else no such arc was ever seen
                label = self.actions.label[chosen]
        state.head[word] = head
        state.label[word] = self.root_label if label == NONE else label

    cdef int best_arc(self, Workspace space, const WordsC* words, int head,
                      int word) noexcept nogil:
        """The best class that makes `head` the head of `word` when only these two are in sight."""
        cdef StateC* state = &space.state
        cdef int move = self.system.right_arc if head < word else self.system.left_arc
        self.system.show_pair(state, head, word)
        return self.best_class(space, words, 1 << move)
