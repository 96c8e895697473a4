"""What all searches have in common: a chooser, a completer, and the loop over a corpus."""
from dodona.core.base.nodes cimport NONE
from dodona.core.search.guard cimport Guard
from dodona.core.transitions.choices cimport Choices

cdef enum:
    KEPT_BYTES = 12 << 20     # larger workspaces are released


cdef class Search:
    """A parser of encoded sentences. Threads may share it: only a Workspace changes."""

    def __init__(self, Chooser chooser not None, Completer completer not None,
                 bint keeps_given=False):
        self.chooser, self.completer = chooser, completer
        self.system, self.scorer, self.actions = chooser.system, chooser.scorer, chooser.actions
        self.constraints = chooser.constraints
        self.keeps_given, self.spaces = keeps_given, []

    def parse(self, Corpus corpus, int start=0, int end=-1):
        """Parse the sentences start … end - 1, and write their trees or graphs into the corpus.

        With `keeps_given`, the heads and labels that the corpus has before are kept. Returns the
        number of transitions.
        """
        cdef long n_transitions
        cdef Workspace space
        cdef int stop = <int> corpus.n_words.size() if end < 0 else end
        self.check(corpus, start, stop)
        space = self.free_workspace()
        with nogil:
            n_transitions = self.parse_range(space, corpus, start, stop)
        if space.size() <= KEPT_BYTES:
            self.spaces.append(space)
        return n_transitions

    def check(self, Corpus corpus, int start, int stop):
        """Refuse a corpus encoded for other features, and sentences that it does not have."""
        if start < 0 or stop > <int> corpus.n_words.size():
            raise IndexError(f"sentences {start} to {stop} of a corpus of {len(corpus)}")
        self.scorer.check_corpus(corpus)

    cdef Workspace new_workspace(self):
        return self.chooser.new_workspace()

    cdef Workspace free_workspace(self):
        """Return a workspace that no other thread uses."""
        cdef Workspace space
        try:
            return self.spaces.pop()
        except IndexError:
            space = self.new_workspace()
            space.guard = Guard(self.actions) if self.keeps_given else None
            return space

    cdef WordsC words_of(self, Corpus corpus, int sentence):
        """Return the words of a sentence, ready for scoring any of its states."""
        self.check(corpus, sentence, sentence + 1)
        self.scorer.prepare(corpus, sentence)
        return corpus.words(sentence)

    cdef long parse_range(self, Workspace space, Corpus corpus, int start,
                          int stop) except -1 nogil:
        cdef long n_transitions = 0
        cdef WordsC words
        cdef int i
        for i in range(start, stop):
            self.scorer.prepare(corpus, i)
            words = corpus.words(i)
            space.reserve(words.n_words, self.system)
            self.system.start_state(&space.state)
            if self.keeps_given:
                space.guard.begin(corpus, i)
            n_transitions += self.parse_words(space, &words)
            self.finish(space, &words, corpus, i)
        return n_transitions

    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil:
        """Take the workspace's state from the start to the end; return how many transitions."""
        return 0

    cdef int finish(self, Workspace space, const WordsC* words, Corpus corpus,
                    int sentence) except -1 nogil:
        """Complete the final state, write it into the corpus, and list it if it breaks constraints.
        """
        if self.keeps_given:
            space.guard.is_on = False
        self.completer.complete(space, words)
        self.completer.write(space, corpus, sentence)
        if self.constraints is not None and words.kinds != NULL and (
                not self.constraints.hold(&space.state, words.kinds)):
            with gil:
                corpus.broken.append(sentence)
        return 0

    cdef int note_scores(self, Workspace space) noexcept nogil:
        """Let the system note the scores in the state, for systems that do."""
        cdef Choices choices = self.actions.choices(space.scores.data(), NULL)
        return self.system.note_scores(&space.state, &choices)

    cdef int find_derivation(self, const WordsC* words, vector[Step]& path) except -1:
        """Write the steps of the derivation that the search takes, for tracing: the greedy one."""
        cdef Chooser chooser = Chooser(self.scorer, self.actions, self.constraints)
        cdef Workspace space = Workspace(self.scorer.n_keys, self.actions.n_padded)
        cdef int chosen, note
        space.reserve(words.n_words, self.system)
        self.system.start_state(&space.state)
        while not self.system.final(&space.state):
            chosen = chooser.best_class(space, words, self.system.valid_moves(&space.state))
            note = self.note_scores(space)
            if chosen == NONE:
                break
            path.push_back(Step(<int> path.size() - 1, chosen, note))
            self.system.take(&space.state, self.actions.move[chosen], self.actions.label[chosen])
        return 0
