"""Beam search: the best derivations side by side, until all are final; the best of them counts."""
from libc.math cimport INFINITY
from libc.string cimport memcpy

from dodona.core.base.nodes cimport NONE
from dodona.core.base.signals cimport STEPS_PER_CHECK, check_signals
from dodona.core.search.actions cimport Actions
from dodona.core.search.agenda cimport Hypothesis
from dodona.core.search.choosing import Chooser
from dodona.core.search.completion import TreeCompleter
from dodona.core.search.scoring cimport StateScorer
from dodona.core.search.workspace cimport Workspace
from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil
    unsigned int dodona_above(const int16_t* scores, int16_t threshold) noexcept nogil
    int dodona_next_above(const int16_t* scores, int block, int n_blocks,
                          int16_t threshold) noexcept nogil
    int dodona_lowest_bit(unsigned int x) noexcept nogil

cdef enum:
    LOWEST = -(1 << 15) + 1   # of all int16, but for one


cdef class Beam(Search):
    """A search that keeps the `width` best derivations; with a width of 1 it is greedy search."""

    def __init__(self, StateScorer scorer not None, Actions actions not None, *, int width,
                 bint one_root=True, int root_label=0, constraints=None, bint keeps_given=False):
        if not scorer.adds_up:
            raise ValueError("a beam needs scores that add up, which support vector machines do "
                             "not give; use beam=1")
        chooser = Chooser(scorer, actions, constraints)
        super().__init__(
            chooser, TreeCompleter(chooser, one_root=one_root, root_label=root_label), keeps_given)
        self.width = Agenda(width).width
        self.n_exact = actions.n_padded
        if scorer.wide is not None and not actions.system.takes_notes:
            self.sketch = scorer.wide
            self.n_exact, self.exact_lane = self.sketch.n_exact, self.sketch.exact_lane

    cdef Workspace new_workspace(self):
        cdef int n = self.actions.n_padded if self.sketch is None else self.sketch.n_lanes
        return BeamWorkspace(self.width, self.sketch, self.scorer.n_keys, self.actions.n_padded,
                             self.scorer.new_cache(n, keeps_words=True))

    cdef int parse_words(self, Workspace space, const WordsC* words) except -1 nogil:
        return self.run(<BeamWorkspace> space, (<BeamWorkspace> space).agenda, words)

    cdef int run(self, BeamWorkspace space, Agenda agenda, const WordsC* words) except -1 nogil:
        """Leave the final state of the best derivation in the workspace; return its length."""
        cdef size_t n_scored = 0
        if self.system.final(&space.state):
            return 0
        agenda.reserve(words.n_words, self.scorer.n_keys)
        agenda.begin(&space.state, False)
        while agenda.n_open > 0:
            n_scored += agenda.hypotheses.size()
            if n_scored >= STEPS_PER_CHECK:
                check_signals()
                n_scored = 0
            self.expand(space, agenda, words)
            agenda.advance(self.actions)
        space.state = agenda.state(0)[0]
        return agenda.length(0)

    cdef int expand(self, BeamWorkspace space, Agenda agenda,
                    const WordsC* words) except -1 nogil:
        """Offer every hypothesis with every action that it allows.

        Classes that a sketch only bounds come last, when the threshold is highest. If there are as
        many hypotheses as the beam is wide, and each has a valid action, no candidate below the
        worst of their best ones survives: the threshold starts there (1.05x).
        """
        cdef Hypothesis* hypothesis
        cdef int i, n = <int> agenda.hypotheses.size()
        cdef double worst = INFINITY
        if n < agenda.width or self.constraints is not None or self.keeps_given:
            worst = -INFINITY
        for i in range(n):
            hypothesis = &agenda.hypotheses[i]
            space.best[i] = 0 if hypothesis.is_final else self.score(space, agenda, i, words)
            worst = min(worst, hypothesis.score + space.best[i])
        agenda.floor = worst - 1         # scores are whole numbers
        for i in range(n):
            hypothesis = &agenda.hypotheses[i]
            if hypothesis.is_final:
                agenda.offer(hypothesis.score, i, NONE, False)
            elif space.best[i] == -INFINITY or space.best[i] > least(agenda, hypothesis.score):
                self.offer(
                    space, agenda, i, space.row(i) + self.exact_lane, 0, self.n_exact, words)
        if self.n_exact < self.actions.n_padded:
            for i in range(n):
                if not agenda.hypotheses[i].is_final:
                    self.offer_bounded(space, agenda, i, words)
        return 0

    cdef double score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                      const WordsC* words) except? 1 nogil:
        """Score the actions of a hypothesis; return the score of a good one that is valid.

        Minus infinity: none is known. The state notes the scores, for systems that do.
        """
        cdef const int16_t* scores
        cdef Choices choices
        cdef int best
        self.scorer.score_hypothesis(space, agenda, hypothesis, self.actions, words)
        scores = space.row(hypothesis) + self.exact_lane
        if self.system.takes_notes:
            choices = self.actions.choices(scores, NULL)
            agenda.hypotheses[hypothesis].note = self.system.note_scores(
                agenda.state(hypothesis), &choices)
        if agenda.duplicate_of[hypothesis] != NONE:
            return space.best[agenda.duplicate_of[hypothesis]]
        best = dodona_best(scores, self.n_exact // BLOCK)
        return scores[best] if agenda.masks[hypothesis][best] == 0 else -INFINITY

    cdef int offer_bounded(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                           const WordsC* words) except -1 nogil:
        """Score and offer actions that the sketch only bounds, where the bound is inconclusive."""
        cdef int lowest = least(agenda, agenda.hypotheses[hypothesis].score)
        cdef int16_t* scores = space.scores.data()
        cdef int first, last, described = agenda.original(hypothesis)
        if self.sketch.find_inconclusive(space.row(hypothesis), lowest - 1, &first, &last):
            memcpy(scores + first, agenda.masks[hypothesis] + first,
                   (last - first) * sizeof(int16_t))
            self.scorer.score_range(
                first, last, &agenda.keys[<size_t> described * agenda.n_templates],
                agenda.n_keys[described], scores)
            self.offer(space, agenda, hypothesis, scores, first, last, words)
        return 0

    cdef int offer(self, BeamWorkspace space, Agenda agenda, int hypothesis, const int16_t* scores,
                   int first, int last, const WordsC* words) except -1 nogil:
        """Offer the actions of the classes first … last - 1."""
        cdef const int16_t* masks = agenda.masks[hypothesis]
        cdef uint64_t allowed[MAX_MOVES]
        cdef bint is_strict = False
        cdef double so_far = agenda.hypotheses[hypothesis].score
        # a class that comes late may tie with the last candidate, and still rank above it
        cdef int can_tie = first > 0
        cdef int16_t lowest = least(agenda, so_far) - can_tie
        cdef unsigned int above
        cdef int c, n_blocks = last // BLOCK
        cdef int block = dodona_next_above(scores, first // BLOCK, n_blocks, lowest)
        if space.guard is not None and space.guard.is_on:
            masks = space.guard.narrow(agenda.state(hypothesis), masks)
        is_strict = self.chooser.find_allowed(
            agenda.state(hypothesis), words, allowed) and self.some_allowed(allowed, masks)
        while block < n_blocks:
            above = dodona_above(scores + block * BLOCK, lowest)
            while above:
                c = block * BLOCK + dodona_lowest_bit(above)
                if scores[c] > lowest and masks[c] == 0 and (
                        not is_strict or self.chooser.is_among(c, allowed)):
                    agenda.offer(so_far + scores[c], hypothesis, c, False)
                    lowest = least(agenda, so_far) - can_tie
                above &= above - 1
            block = dodona_next_above(scores, block + 1, n_blocks, lowest)
        return 0

    cdef bint some_allowed(self, const uint64_t* allowed, const int16_t* masks) noexcept nogil:
        """Return whether some class obeys the constraints."""
        cdef int c
        for c in range(self.actions.n_classes):
            if masks[c] == 0 and self.chooser.is_among(c, allowed):
                return True
        return False

    cdef int find_derivation(self, const WordsC* words, vector[Step]& path) except -1:
        cdef BeamWorkspace space = self.new_workspace()
        space.reserve(words.n_words, self.system)
        self.system.start_state(&space.state)
        if not self.system.final(&space.state):
            self.run(space, space.agenda, words)
            space.agenda.find_path(space.agenda.hypotheses[0].last, path)
        return 0


cdef inline int16_t least(Agenda agenda, double so_far) noexcept nogil:
    """Return what the score of an action must exceed to become a candidate."""
    return <int16_t> min(max(agenda.threshold() - so_far, LOWEST), -LOWEST)
