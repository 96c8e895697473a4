"""Greedy search: the best action, again and again, until the state is final; then a whole tree."""
from libc.stdint cimport int16_t
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.state cimport StateC, copy
from dodona.core.transitions.system cimport State


cdef enum:
    KEPT_WORDS = 1000         # what parsed longer sentences is too large to be kept


cdef class Greedy(Completer):
    """A greedy parser of encoded sentences. Threads may share it: only a Workspace changes."""

    for_graphs = False            # whether it searches for graphs or for trees

    def __init__(self, *model, **options):
        super().__init__(*model, **options)
        if self.system.builds_graphs != self.for_graphs:
            kind = "trees" if self.for_graphs else "graphs, which are parsed greedily (GraphGreedy)"
            raise ValueError(f"{self.system.name} builds {kind}")
        self.spaces = []

    def parse(self, Corpus corpus, int start=0, int end=-1):
        """Parse the sentences start … end - 1 and write heads and labels into the corpus.

        Returns the number of transitions that took.
        """
        cdef long n_transitions
        cdef Workspace space
        cdef int stop = <int> corpus.n_words.size() if end < 0 else end
        self.check(corpus, start, stop)
        try:
            space = self.spaces.pop()
        except IndexError:
            space = self.workspace()
        with nogil:
            n_transitions = self.parse_all(space, corpus, start, stop)
        if corpus.longest <= KEPT_WORDS:
            self.spaces.append(space)
        return n_transitions

    cdef long parse_all(self, Workspace space, Corpus corpus, int start, int stop) except -1 nogil:
        """One sentence after the other."""
        cdef long n_transitions = 0
        cdef WordsC words
        cdef int i
        self.scorer.prepare(corpus)
        for i in range(start, stop):
            words = corpus.words(i)
            n_transitions += self.parse_words(space, &words)
            self.finish(space, &words, corpus, i)
        return n_transitions

    cdef int finish(self, Workspace space, const WordsC* words, Corpus corpus,
                    int sentence) except -1 nogil:
        """Write what was parsed into the corpus, and whether it breaks constraints."""
        self.keep(space, corpus, sentence)
        if self.constraints is not None and words.kinds != NULL and (
                not self.constraints.hold(&space.state, words.kinds)):
            with gil:
                corpus.broken.append(sentence)
        return 0

    cdef int keep(self, Workspace space, Corpus corpus, int sentence) except -1 nogil:
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
        self.scorer.check_corpus(corpus)

    cdef WordsC words_of(self, Corpus corpus, int sentence):
        """The words of a sentence, ready for any state."""
        self.check(corpus, sentence, sentence + 1)
        self.scorer.prepare(corpus)
        return corpus.words(sentence)

    def scores(self, State state not None, Corpus corpus not None, int sentence=0):
        """{action: score} for every class that this state of the sentence allows."""
        cdef const int16_t* barriers = self.actions.barriers(
            &state.c, self.system.valid_moves(&state.c))
        cdef Workspace space = self.scored(state, corpus, sentence)
        cdef int c
        return {self.system._named(state, self.actions.pairs[c][:2]): space.scores[c]
                for c in range(self.actions.n_classes) if barriers[c] == 0}

    def take_note(self, State state not None, Corpus corpus not None, int sentence=0):
        """The state with what its system notes in it of the model's scores."""
        cdef State noted = state.system.state_class(state.system, state.c.n_words)
        cdef Workspace space = self.scored(state, corpus, sentence)
        cdef Choices choices = self.actions.choices(space.scores.data(), NULL)
        copy(&noted.c, &state.c)
        state.system.note_scores(&noted.c, &choices)
        return noted

    cdef Workspace scored(self, State state, Corpus corpus, int sentence):
        """A workspace with the scores of a state; those of classes that it forbids are low."""
        cdef Workspace space = Workspace()
        cdef WordsC words = self.words_of(corpus, sentence)
        if words.n_words != state.c.n_words:
            raise ValueError(
                f"a state of {state.c.n_words} words, but a sentence of {words.n_words}")
        space.reserve(words.n_words, self)
        memcpy(space.scores.data(),
               self.actions.barriers(&state.c, self.system.valid_moves(&state.c)),
               space.scores.size() * sizeof(int16_t))
        self.scorer.score_all(&state.c, &words, space.keys.data(), space.scores.data())
        return space

    def trace(self, Corpus corpus, int sentence=0):
        """Every state of a sentence's parse with the action taken there, at last None."""
        cdef Workspace space = Workspace()
        cdef State state
        cdef WordsC words = self.words_of(corpus, sentence)
        cdef int chosen
        space.reserve(words.n_words, self)
        self.system.start_state(&space.state)
        steps = []
        while True:
            state = self.system.state_class(self.system, words.n_words)
            chosen = NONE
            if not self.system.final(&space.state):
                chosen = self.next_class(space, &words)
            copy(&state.c, &space.state)
            if chosen == NONE:
                return [*steps, (state, None)]
            steps.append((state, self.system._named(state, self.actions.pairs[chosen][:2])))
            self.system.take(&space.state, self.actions.move[chosen], self.actions.label[chosen])

    cdef Workspace workspace(self):
        cdef Workspace space = Workspace()
        space.memo = self.scorer.new_memo(keeps_words=self.for_graphs)
        return space

    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil:
        """Leave the tree of the sentence in the workspace's state; the number of transitions."""
        cdef StateC* state = &space.state
        cdef int chosen, n_transitions = 0
        space.reserve(words.n_words, self)
        self.system.start_state(state)
        while not self.system.final(state):
            chosen = self.next_class(space, words)
            if chosen == NONE:           # nothing that is valid here was ever seen
                break
            self.system.take(state, self.actions.move[chosen], self.actions.label[chosen])
            n_transitions += 1
        self.complete(space, words)
        return n_transitions

    cdef int next_class(self, Workspace space, const WordsC* words) except -2 nogil:
        """What to do next; the state takes note of what its system wants of the scores."""
        cdef int chosen = self.best_class(space, words, self.system.valid_moves(&space.state))
        self.note(space)
        return chosen

    cdef void note(self, Workspace space) noexcept nogil:
        cdef Choices choices = self.actions.choices(space.scores.data(), NULL)
        self.system.note_scores(&space.state, &choices)
