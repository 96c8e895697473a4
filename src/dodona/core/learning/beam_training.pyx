"""Training of the beam parser with a global dynamic oracle (Aufrant, Wisniewski & Yvon 2017).

A structured perceptron: a sentence is decoded; after an error, the actions of a good derivation are
rewarded and those of the best one in the beam punished, from where the two diverge.

A hypothesis is CORRECT if the best tree reachable from the configuration that decoding started from
is still reachable: if every action so far was free (of cost 0). Costs telescope, so this is a flag
that each hypothesis inherits. An error occurs when no hypothesis of the beam is correct (Algorithm
2). The good derivation is the best correct candidate before the beam was pruned. With a static
oracle, only the reference derivation is correct. The updates:

  early          learn at the first error, from the derivations so far
  max-violation  decode to the end; the good derivation continues by its best free actions; learn
                 from the two at the step where their scores differ most (Huang et al. 2012)
  full           decode to the end, and learn from the two complete derivations

The restarts (Algorithm 3), if the derivations did not reach the end of the sentence:

  none  stop there
  good  decode again from the end of the good derivation
  bad   explore: decode again from the end of the bad one, as soon and as often as settings say

Where no action is free (a gold tree that the system cannot reach), the cheapest count as free. In
systems that can repair their mistakes, nearly every action is free; there an action must also have
the fewest repairs to come, as in greedy training (without that, three points of UAS were lost on
Hungarian).

For a partially annotated tree, max-violation learns as early does. Beyond the error most actions of
the two derivations are guesses, free on both sides, and would be rewarded and punished along with
it: with 60% of the heads of hu_szeged removed, max-violation never settles and ends 2.5 UAS below
greedy training, while early ends above it.
"""
from libc.stdint cimport int16_t
from libc.string cimport memcpy, memset

from dodona.core.base.nodes cimport NONE
from dodona.core.base.random cimport uniform
from dodona.core.features.features cimport N_SECTIONS
from dodona.core.learning.oracle_guide cimport FORBIDDEN
from dodona.core.learning.static_oracle cimport is_partial
from dodona.core.search.agenda cimport Agenda, Candidate, Hypothesis, Mask, Step
from dodona.core.transitions.state cimport copy, lay_out, state_size
from dodona.core.weights.linear cimport BLOCK

cdef extern from "blocks.h":
    unsigned int dodona_reaching(const float* scores, const int16_t* masks,
                                 float threshold) noexcept nogil
    int dodona_lowest_bit(unsigned int x) noexcept nogil

UPDATES = ("early", "max-violation", "full")
ORACLES = ("static", "dynamic")
RESTARTS = ("none", "good", "bad")

# logarithms of the sizes of the score cache, which lasts until weights change
LOG_SUMS = 6, 8, 8, 6

cdef double LEAST_FLOAT = -1e30        # below all scores


cdef class BeamTrainer(GreedyTrainer):
    """Trains weights for beam search on a corpus, sentence by sentence."""

    def __init__(self, *args, int width, str update="max-violation", str oracle="dynamic",
                 str restart="bad", **options):
        super().__init__(*args, mode="explore" if oracle == "dynamic" else "static", **options)
        if self.system.builds_graphs:
            raise ValueError(f"{self.system.name} builds graphs, which are learned greedily")
        self.update = self.kind = UPDATES.index(update)
        self.restart = RESTARTS.index(restart)
        self.is_dynamic = ORACLES.index(oracle) == 1
        if self.restart == BAD and not self.is_dynamic:
            raise ValueError("after an error there is no static reference derivation: "
                             "restart=\"bad\" needs oracle=\"dynamic\"")
        # a static reference is a derivation: another one to the same configuration is no substitute
        self.agenda = Agenda(width, keeps_correct=not self.is_dynamic)
        self.rows.resize(<size_t> width * self.actions.n_padded)
        self.next_keys.resize(self.keys.size())
        self.cache = ScoreCache(self.actions.n_padded * sizeof(float), LOG_SUMS)

    def hypotheses(self, int sentence, start, int n_steps):
        """Return the beam `n_steps` steps after the configuration that the start classes lead to.

        Best first: the score, the classes, and whether it is correct of each hypothesis.
        """
        cdef WordsC words
        cdef int c
        if not 0 <= sentence < len(self.corpus):
            raise IndexError(f"no sentence {sentence} among {len(self.corpus)}")
        words = self.corpus.words(sentence)
        self.begin_sentence(sentence)
        for c in start:
            if not 0 <= c < self.actions.n_classes or not (
                    self.system.valid_moves(&self.origin) >> self.actions.move[c] & 1):
                raise ValueError(f"class {c} is not valid there")
            self.system.take(&self.origin, self.actions.move[c], self.actions.label[c])
        self.agenda.begin(&self.origin, True)
        while n_steps > 0 and self.agenda.n_open > 0:
            self.expand(self.agenda, &words)
            self.agenda.advance(self.actions)
            n_steps -= 1
        return [(self.agenda.hypotheses[<int> i].score, self.agenda.derivation(i),
                 bool(self.agenda.hypotheses[<int> i].is_correct))
                for i in range(self.agenda.hypotheses.size())]

    cdef int train_sentence(self, int sentence, bint exploring) except -1 nogil:
        cdef WordsC words = self.corpus.words(sentence)
        cdef bint explores
        self.begin_sentence(sentence)
        while not self.system.final(&self.origin) and self.decode(self.agenda, &words):
            self.learn_difference(self.agenda, &words)
            if self.restart == NEVER:
                break
            explores = (self.restart == BAD and exploring
                        and uniform(&self.random) < self.explore_rate)
            self.restart_from(self.agenda, self.bad if explores else self.good)
        self.time += 1

    cdef int restart_from(self, Agenda agenda, int last) except -1 nogil:
        """Decode next from the end of the derivation whose last step is given."""
        self.replay(agenda, last)
        copy(&self.origin, &self.replayed)

    cdef int begin_sentence(self, int sentence) except -1 nogil:
        """Make room for a sentence; build its gold tree and its start configuration."""
        cdef int n_words = self.corpus.n_words[sentence]
        cdef size_t n_units = state_size(n_words) // sizeof(uint64_t)
        self.origin_block.resize(n_units)
        self.replayed_block.resize(n_units)
        lay_out(&self.origin, self.origin_block.data(), n_words)
        lay_out(&self.replayed, self.replayed_block.data(), n_words)
        self.corpus.set_gold(self.system, sentence, &self.gold, self.gold_block)
        self.kind = self.update
        if self.kind == MAX_VIOLATION and is_partial(&self.gold):
            self.kind = EARLY
        self.agenda.reserve(n_words, self.features.n_templates)
        self.system.start_state(&self.origin)
        self.cache.clear()                  # weights may have changed since the last sentence

    cdef bint decode(self, Agenda agenda, const WordsC* words) except -1 nogil:
        """Decode from the origin; return whether there is an error: set `good` and `bad`."""
        cdef Hypothesis* top
        agenda.begin(&self.origin, True)
        self.reference = Reference(0, NONE, False, False)
        self.violation = -1
        while agenda.n_open > 0 or (self.reference.is_lost and not self.reference.is_final):
            if agenda.n_open > 0:
                self.expand(agenda, words)
                if agenda.candidates.empty():
                    return False         # no valid class can be learned
                agenda.advance(self.actions)
            if self.reference.is_lost:
                self.continue_reference(agenda, words)
            else:
                self.find_reference(agenda)
            top = &agenda.hypotheses[0]
            if not top.is_correct and (
                    self.kind != MAX_VIOLATION
                    or top.score - self.reference.score > self.violation):
                self.violation = top.score - self.reference.score
                self.good, self.bad = self.reference.last, top.last
            if self.kind == EARLY and self.reference.is_lost:
                return True
        return not agenda.hypotheses[0].is_correct

    cdef int expand(self, Agenda agenda, const WordsC* words) except -1 nogil:
        """Offer every hypothesis with every action that it allows; find the best correct one."""
        cdef Hypothesis* hypothesis
        cdef int i
        self.best_correct.parent = NONE
        for i in range(<int> agenda.hypotheses.size()):
            if not agenda.hypotheses[i].is_final:
                agenda.describe(i, self.features, self.actions, words)
                if agenda.duplicate_of[i] == NONE:
                    self.weights.prefetch(&agenda.keys[<size_t> i * agenda.n_templates],
                                          agenda.n_keys[i])
        for i in range(<int> agenda.hypotheses.size()):
            hypothesis = &agenda.hypotheses[i]
            if hypothesis.is_final:
                agenda.offer(hypothesis.score, i, NONE, hypothesis.is_correct)
                if hypothesis.is_correct:
                    self.propose(hypothesis.score, i, NONE)
                continue
            self.state = agenda.state(i)[0]          # a view of the hypothesis's columns
            self.score_hypothesis(agenda, i)
            hypothesis.note = self.note_scores()
            self.offer_all(agenda, i)

    cdef int score_hypothesis(self, Agenda agenda, int hypothesis) except -1 nogil:
        """Set `scores`; duplicates share a row."""
        cdef size_t n = self.scores.size()
        cdef float* scores = &self.rows[agenda.original(hypothesis) * n]
        if agenda.duplicate_of[hypothesis] == NONE:
            memset(scores, 0, n * sizeof(float))
            self.weights.score_cached(&agenda.keys[<size_t> hypothesis * agenda.n_templates],
                                      agenda.n_keys[hypothesis],
                                      &agenda.ends[hypothesis * N_SECTIONS], self.cache, scores)
        memcpy(self.scores.data(), scores, n * sizeof(float))
        self.n_steps += 1

    cdef int offer_all(self, Agenda agenda, int hypothesis) except -1 nogil:
        cdef double so_far = agenda.hypotheses[hypothesis].score
        cdef double least = agenda.threshold() - so_far
        cdef bint is_correct = agenda.hypotheses[hypothesis].is_correct
        cdef Mask mask = agenda.masks[hypothesis]
        cdef const float* scores = self.scores.data()
        cdef float lowest = nearest_float(least)
        cdef unsigned int reaching
        cdef int block, c
        if is_correct:
            c = self.best_free()
            self.propose(so_far + scores[c], hypothesis, c)
        for block in range(self.actions.n_padded // BLOCK):
            reaching = dodona_reaching(
                scores + block * BLOCK, mask + block * BLOCK, lowest)
            while reaching:
                c = block * BLOCK + dodona_lowest_bit(reaching)
                if scores[c] > least:
                    agenda.offer(so_far + scores[c], hypothesis, c,
                                 is_correct and self.is_free(c))
                    least = agenda.threshold() - so_far
                    lowest = nearest_float(least)
                reaching &= reaching - 1

    cdef void propose(self, double score, int parent, int klass) noexcept nogil:
        """Keep the best of the correct candidates."""
        if self.best_correct.parent == NONE or score > self.best_correct.score:
            self.best_correct = Candidate(score, parent, klass, True)

    cdef int best_free(self) except -1 nogil:
        """Compute the costs in `state`; return the best-scoring free action."""
        cdef int chosen
        self.set_costs()
        if self.is_dynamic:
            chosen = self.best(True)
        else:
            chosen = self.reference_class = self.static_class()
        if chosen == NONE or self.cheapest == FORBIDDEN:
            raise ValueError("a state allows no class: the system has no move there")
        return chosen

    cdef bint is_free(self, int klass) noexcept nogil:
        """Return whether a correct hypothesis stays correct; call `best_free` first."""
        if not self.is_dynamic:
            return klass == self.reference_class
        return self.costs[klass] == self.cheapest

    cdef int find_reference(self, Agenda agenda) except -1 nogil:
        """Follow the best correct hypothesis or, if none survived, the best correct candidate."""
        cdef int at = agenda.correct()
        cdef Hypothesis* parent
        if at != NONE:
            self.reference.score = agenda.hypotheses[at].score
            self.reference.last = agenda.hypotheses[at].last
            return 0
        parent = &agenda.parents[self.best_correct.parent]
        self.reference = Reference(self.best_correct.score, parent.last, True, True)
        if self.best_correct.klass != NONE:
            agenda.steps.push_back(Step(parent.last, self.best_correct.klass, parent.note))
            self.reference.last = <int32_t> agenda.steps.size() - 1
        if self.kind != EARLY:
            self.replay(agenda, self.reference.last)
            self.reference.is_final = self.system.final(&self.replayed)

    cdef int continue_reference(self, Agenda agenda, const WordsC* words) except -1 nogil:
        """Take the best free action of a reference that is no longer in the beam."""
        cdef int c, n_keys
        cdef int ends[N_SECTIONS]
        cdef Step step
        if self.reference.is_final:
            return 0
        self.state = self.replayed
        n_keys = self.features.fill_sections(&self.state, words, self.keys.data(), ends)
        self.weights.prefetch(self.keys.data(), n_keys)
        memset(self.scores.data(), 0, self.scores.size() * sizeof(float))
        self.weights.score_cached(self.keys.data(), n_keys, ends, self.cache, self.scores.data())
        step = Step(self.reference.last, NONE, self.note_scores())
        c = step.klass = self.best_free()
        self.take_step(&self.replayed, &step)
        agenda.steps.push_back(step)
        self.reference.score += self.scores[c]
        self.reference.last = <int32_t> agenda.steps.size() - 1
        self.reference.is_final = self.system.final(&self.replayed)

    cdef int learn_difference(self, Agenda agenda, const WordsC* words) except -1 nogil:
        """Reward the good derivation and punish the bad one, from where they diverge."""
        cdef size_t shared = 0
        agenda.find_path(self.good, self.path)
        agenda.find_path(self.bad, self.other_path)
        while (shared < self.path.size() and shared < self.other_path.size()
                and self.path[shared].klass == self.other_path[shared].klass):
            shared += 1
        self.reinforce(self.path, <int> shared, 1, words)
        self.reinforce(self.other_path, <int> shared, -1, words)
        self.cache.clear()
        self.n_updates += 1

    cdef int reinforce(self, const vector[Step]& path, int start, double amount,
                       const WordsC* words) except -1 nogil:
        cdef int i, n_keys, n_next = 0
        copy(&self.replayed, &self.origin)
        for i in range(<int> path.size() + 1):
            n_keys = n_next
            self.keys.swap(self.next_keys)
            if start <= i < <int> path.size():   # prefetched one step before
                n_next = self.features.fill(&self.replayed, words, self.next_keys.data())
                self.weights.prefetch(self.next_keys.data(), n_next)
            if i > start:
                self.weights.add(self.keys.data(), n_keys, path[i - 1].klass, amount, self.time)
            if i < <int> path.size():
                self.take_step(&self.replayed, &path[i])

    cdef int replay(self, Agenda agenda, int last) except -1 nogil:
        """Take the steps of a derivation, from the origin to `replayed`."""
        cdef size_t i
        agenda.find_path(last, self.path)
        copy(&self.replayed, &self.origin)
        for i in range(self.path.size()):
            self.take_step(&self.replayed, &self.path[i])

    cdef int take_step(self, StateC* state, const Step* step) except -1 nogil:
        self.system.repeat_note(state, step.note)
        self.system.take(state, self.actions.move[step.klass], self.actions.label[step.klass])


cdef inline float nearest_float(double least) noexcept nogil:
    """Return a float that no float above `least` is below."""
    return <float> max(least, LEAST_FLOAT)
