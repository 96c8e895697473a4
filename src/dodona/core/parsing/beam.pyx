"""Beam search: the best derivations side by side, until all are final; the best of them counts."""
from libc.math cimport INFINITY
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport N_PARTS
from dodona.core.parsing.agenda cimport Agenda, Hypothesis, Step, bar, first_twin
from dodona.core.parsing.scoring cimport LinearScorer
from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.state cimport StateC, copy
from dodona.core.transitions.system cimport State
from dodona.core.weights.linear cimport BLOCK
from dodona.core.weights.memo cimport Memo
from dodona.core.weights.packed cimport ALL_CLASSES

cdef extern from "blocks.h":
    int16_t dodona_highest(const int16_t* scores, int n_blocks) noexcept nogil
    unsigned int dodona_above(const int16_t* scores, int16_t bar) noexcept nogil
    int dodona_next_above(const int16_t* scores, int block, int n_blocks,
                          int16_t bar) noexcept nogil
    int dodona_lowest_bit(unsigned int x) noexcept nogil

# As many looks of states are remembered, two to this power, with their scores: of those that no
# other hypothesis has, a fifth come again. Half as many or four times as many are as good.
LOG_LOOKS = 6

cdef enum:
    LOWEST = -(1 << 15) + 1   # of all int16, but for one


cdef class BeamWorkspace(Workspace):
    pass


cdef class Beam(Greedy):
    """A parser of encoded sentences that keeps the `width` best derivations.

    With a width of 1 it is greedy search. Threads may share it: only a Workspace changes.
    """

    outlined = "wide"

    def __init__(self, *args, int width, **options):
        super().__init__(*args, **options)
        self.n_exact = self.n_numbers = self.actions.n_padded
        if not isinstance(self.scorer, LinearScorer):
            self.logs = LogScores()
        elif not isinstance(self.scorer.weights, PackedWeights):
            raise ValueError("a beam needs scores that add up, which support vector machines do "
                             "not give; use beam=1")
        else:
            self.packed, self.features = self.scorer.weights, self.scorer.features
        if self.scorer.outline is not None:
            self.n_lanes = self.n_numbers = self.packed.wide.n_lanes
            self.n_exact, self.exact_lane = self.packed.wide.n_exact, self.packed.wide.exact_lane
        self.width = Agenda(width).width

    def derivations(self, Corpus corpus, int sentence):
        """The derivations that the beam ends with, best first: (score, classes) of each."""
        cdef BeamWorkspace space = self.workspace()
        cdef WordsC words = self.words_of(corpus, sentence)
        self.parse_words(space, &words)
        return [(space.agenda.hypotheses[<int> i].score, space.agenda.derivation(i))
                for i in range(space.agenda.hypotheses.size())]

    def steps(self, Corpus corpus, int sentence=0):
        """The beam after each step: of every hypothesis (score, parent, action), best first.

        The parent is a place in the beam before; where there is no action, one that is final waits.
        """
        cdef BeamWorkspace space = self.workspace()
        cdef Agenda agenda = space.agenda
        cdef WordsC words = self.words_of(corpus, sentence)
        space.reserve(words.n_words, self)
        agenda.reserve(words.n_words, self.scorer.n_keys)
        self.system.start_state(&space.state)
        agenda.begin(&space.state, False)
        steps, states, lasts = [], [self.system.start(words.n_words)], [NONE]
        while agenda.n_open > 0:
            self.expand(space, agenda, &words)
            agenda.advance(self.actions)
            places = range(agenda.hypotheses.size())
            steps.append([self._step(agenda, i, states, lasts) for i in places])
            states = [self._state(agenda, i) for i in places]
            lasts = [agenda.hypotheses[<int> i].last for i in places]
        return steps

    def _step(self, Agenda agenda, int hypothesis, list states, list lasts):
        """How a hypothesis came to be from those that had these states and last steps."""
        cdef Hypothesis* found = &agenda.hypotheses[hypothesis]
        if found.last in lasts:
            return found.score, lasts.index(found.last), None
        parent = lasts.index(agenda.steps[found.last].before)
        ids = self.actions.pairs[agenda.steps[found.last].klass][:2]
        return found.score, parent, self.system._named(states[parent], ids)

    def _state(self, Agenda agenda, int hypothesis):
        cdef StateC* found = agenda.state(hypothesis)
        cdef State state = State(self.system, found.n_words)
        copy(&state.c, found)
        return state

    def trace(self, Corpus corpus, int sentence=0):
        """Every state of the best derivation with the action taken there, at last None."""
        cdef BeamWorkspace space = self.workspace()
        cdef State state, after
        cdef WordsC words = self.words_of(corpus, sentence)
        cdef Step step
        cdef vector[Step] path
        self.parse_words(space, &words)
        state = self.system.start(words.n_words)
        steps = []
        if not self.system.final(&state.c):
            space.agenda.find_path(space.agenda.hypotheses[0].last, path)
            for step in path:
                self.system.repeat_note(&state.c, step.note)
                steps.append((state, self.system._named(state, self.actions.pairs[step.klass][:2])))
                after = State(self.system, words.n_words)
                copy(&after.c, &state.c)
                self.system.take(&after.c, self.actions.move[step.klass],
                                 self.actions.label[step.klass])
                state = after
        return [*steps, (state, None)]

    cdef Workspace workspace(self):
        cdef BeamWorkspace space = BeamWorkspace()
        space.agenda = Agenda(self.width)
        space.memo = self.scorer.new_memo(keeps_words=True)
        space.rows.resize(<size_t> self.width * self.n_numbers)
        space.best.resize(self.width)
        space.looks = Memo(self.n_numbers * sizeof(int16_t), (LOG_LOOKS,))
        return space

    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil:
        """Leave the tree of the best derivation in the workspace's state; count its transitions."""
        cdef int n_transitions = 0
        space.reserve(words.n_words, self)
        self.system.start_state(&space.state)
        if not self.system.final(&space.state):
            n_transitions = self.search(
                <BeamWorkspace> space, (<BeamWorkspace> space).agenda, words)
        self.complete(space, words)
        return n_transitions

    cdef int search(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil:
        agenda.reserve(words.n_words, self.scorer.n_keys)
        agenda.begin(&space.state, False)
        while agenda.n_open > 0:
            self.expand(space, agenda, words)
            agenda.advance(self.actions)
        space.state = agenda.state(0)[0]
        return agenda.length(0)

    cdef int expand(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil:
        """Offer every hypothesis with every action that it allows.

        Those whose scores an outline only bounds come last, when the bar is highest. If there are
        as many hypotheses as the beam is wide, and each goes on in some way, then no candidate is
        worse than the worst of their best ones: the bar begins there.
        """
        cdef Hypothesis* hypothesis
        cdef int i, n = <int> agenda.hypotheses.size()
        cdef double worst = INFINITY
        if n < agenda.width or self.constraints is not None:
            worst = -INFINITY
        for i in range(n):
            hypothesis = &agenda.hypotheses[i]
            if hypothesis.is_final:
                worst = min(worst, hypothesis.score)
            else:
                space.best[i] = self.score_best(space, agenda, i, words)
                worst = min(worst, hypothesis.score + space.best[i])
        agenda.floor = worst - 1         # scores are whole numbers
        for i in range(n):
            if agenda.hypotheses[i].is_final:
                agenda.offer(agenda.hypotheses[i].score, i, NONE, False)
            elif space.best[i] == -INFINITY or space.best[i] > least(
                    agenda, agenda.hypotheses[i].score):
                self.offer(agenda, i, self.lanes_of(space, agenda, i) + self.exact_lane, 0,
                           self.n_exact, words)
        if self.n_exact < self.actions.n_padded:
            for i in range(n):
                if not agenda.hypotheses[i].is_final:
                    self.offer_rest(space, agenda, i, words)

    cdef double score_best(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                           const WordsC* words) except? 1 nogil:
        """Score the actions of a hypothesis, and say what some valid one scores that is good; minus
        infinity if none is known."""
        cdef const int16_t* scores = self.score(space, agenda, hypothesis, words)
        cdef Choices choices
        cdef int16_t highest
        cdef int block, first
        if self.system.takes_notes:
            choices = self.actions.choices(scores, NULL)
            agenda.hypotheses[hypothesis].note = self.system.note_scores(
                agenda.state(hypothesis), &choices)
        if agenda.twin[hypothesis] != NONE:
            return space.best[agenda.twin[hypothesis]]
        highest = dodona_highest(scores, self.n_exact // BLOCK)
        if highest < LOWEST:
            return -INFINITY
        block = dodona_next_above(scores, 0, self.n_exact // BLOCK, highest - 1)
        first = block * BLOCK + dodona_lowest_bit(
            dodona_above(scores + block * BLOCK, highest - 1))
        return highest if agenda.barriers[hypothesis][first] == 0 else -INFINITY

    cdef int16_t* lanes_of(self, BeamWorkspace space, Agenda agenda,
                           int hypothesis) noexcept nogil:
        """Where the scores of a hypothesis stand, or its outline; twins have theirs in common."""
        return &space.rows[<size_t> first_twin(agenda, hypothesis) * self.n_numbers]

    cdef int16_t* score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        const WordsC* words) except NULL nogil:
        """The score of every class, or of those that an outline has."""
        cdef int16_t* lanes
        cdef int16_t* known
        cdef bint is_known
        cdef size_t n_bytes = self.n_numbers * sizeof(int16_t)
        if self.packed is None:
            return self.score_by_network(space, agenda, hypothesis, words)
        agenda.describe(hypothesis, self.features, self.actions, words)
        lanes = self.lanes_of(space, agenda, hypothesis)
        if agenda.twin[hypothesis] == NONE:
            known = <int16_t*> space.looks.place_at(0, agenda.looks[hypothesis] | 1, &is_known)
            if is_known:
                memcpy(lanes, known, n_bytes)
            else:
                self.score_anew(space, agenda, hypothesis, lanes)
                memcpy(known, lanes, n_bytes)
        return lanes + self.exact_lane

    cdef int score_anew(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        int16_t* lanes) except -1 nogil:
        """The same for one that looks like none before: by its keys, or by those in which it
        differs from another one. Hypotheses differ in few: 1.2x, measured without memos."""
        cdef int n_barriers = 0 if self.n_lanes == ALL_CLASSES else self.actions.n_padded
        cdef size_t n_bytes = self.n_numbers * sizeof(int16_t)
        cdef int near = agenda.find_near(hypothesis)
        if near == NONE:
            memcpy(lanes, agenda.barriers[hypothesis] + n_barriers, n_bytes)
            self.packed.score_lanes(
                &agenda.keys[<size_t> hypothesis * agenda.n_templates], agenda.n_keys[hypothesis],
                &agenda.ends[hypothesis * N_PARTS], space.memo, lanes, self.n_lanes)
        else:
            agenda.compare(hypothesis)
            memcpy(lanes, &space.rows[<size_t> near * self.n_numbers], n_bytes)
            self.packed.change_lanes(
                agenda.added.data(), agenda.removed.data(), agenda.n_changed, lanes,
                self.n_lanes)
        return 0

    cdef int16_t* score_by_network(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                                   const WordsC* words) except NULL nogil:
        """The same of a network, as logarithms of probabilities."""
        cdef StateC* state = agenda.state(hypothesis)
        cdef int n = self.actions.n_padded
        cdef int16_t* scores = &space.rows[<size_t> hypothesis * n]
        agenda.barriers[hypothesis] = self.actions.barriers(state, self.system.valid_moves(state))
        memcpy(scores, agenda.barriers[hypothesis], n * sizeof(int16_t))
        self.scorer.score(state, words, space.keys.data(), scores, space.memo)
        self.logs.normalise(scores, agenda.barriers[hypothesis], self.actions.n_classes)
        return scores

    cdef int offer_rest(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                        const WordsC* words) except -1 nogil:
        """Offer the actions of which an outline has bounds, if some of them may be good enough."""
        cdef int lowest = least(agenda, agenda.hypotheses[hypothesis].score)
        cdef int16_t* scores = space.scores.data()
        cdef int first, last, described = first_twin(agenda, hypothesis)
        if self.packed.wide.find_doubtful(
                self.lanes_of(space, agenda, hypothesis), lowest - 1, &first, &last):
            memcpy(scores + first, agenda.barriers[hypothesis] + first,
                   (last - first) * sizeof(int16_t))
            self.packed.score_range(
                first, last, &agenda.keys[<size_t> described * agenda.n_templates],
                agenda.n_keys[described], scores)
            self.offer(agenda, hypothesis, scores, first, last, words)
        return 0

    cdef int offer(self, Agenda agenda, int hypothesis, const int16_t* scores, int first, int last,
                   const WordsC* words) except -1 nogil:
        """Offer the actions of the classes first … last - 1."""
        cdef const int16_t* barriers = agenda.barriers[hypothesis]
        cdef const StateC* state = agenda.state(hypothesis)
        cdef uint64_t allowed[MAX_MOVES]
        cdef bint is_strict = self.find_allowed(state, words, allowed) and self.has_way_on(
            allowed, barriers)
        cdef double so_far = agenda.hypotheses[hypothesis].score
        # one that is as good as the last candidate may still come before it
        cdef int as_good = first > 0
        cdef int16_t lowest = least(agenda, so_far) - as_good
        cdef unsigned int above
        cdef int c, n_blocks = last // BLOCK
        cdef int block = dodona_next_above(scores, first // BLOCK, n_blocks, lowest)
        while block < n_blocks:
            above = dodona_above(scores + block * BLOCK, lowest)
            while above:
                c = block * BLOCK + dodona_lowest_bit(above)
                if scores[c] > lowest and barriers[c] == 0 and (
                        not is_strict or self.is_among(c, allowed)):
                    agenda.offer(so_far + scores[c], hypothesis, c, False)
                    lowest = least(agenda, so_far) - as_good
                above &= above - 1
            block = dodona_next_above(scores, block + 1, n_blocks, lowest)

    cdef bint has_way_on(self, const uint64_t* allowed, const int16_t* barriers) noexcept nogil:
        """Whether some class obeys the constraints."""
        cdef int c
        for c in range(self.actions.n_classes):
            if barriers[c] == 0 and self.is_among(c, allowed):
                return True
        return False


cdef inline int16_t least(Agenda agenda, double so_far) noexcept nogil:
    """What the score of an action must exceed to become a candidate."""
    return <int16_t> min(max(bar(agenda) - so_far, LOWEST), -LOWEST)
