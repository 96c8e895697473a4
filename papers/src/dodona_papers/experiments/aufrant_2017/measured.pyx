"""Search and training that take notes (Aufrant et al. 2017, sections 3 and 4).

They do what their parents do, to the last bit, and tell beside it

  features       of all configurations that were scored
  n_finished     sentences whose derivation was considered to its end
  considered     share of a derivation that was, summed over sentences
  n_worse        of n_judged updates, those after which the sentence has fewer right heads

An update considers a derivation up to where the good and the bad example end; a restart goes on
from there, and a sentence without an error is considered whole. What is left of a derivation is
what its best free actions still take to the end. Heads are those of the best derivation that beam
search finds with the weights of the moment, before and after they are updated.
"""
from dodona.core.base.nodes cimport NONE
from dodona.core.features.words cimport WordsC
from dodona.core.search.agenda cimport Agenda
from dodona.core.search.beam cimport Beam
from dodona.core.search.workspace cimport BeamWorkspace
from dodona.core.learning.beam_training cimport BeamTrainer, Reference
from dodona.core.learning.greedy_training cimport GreedyTrainer
from dodona.core.transitions.state cimport StateC
from dodona_papers.experiments.aufrant_2017.feature_counts cimport FeatureCounts


cdef int count_features(FeatureCounts counts, Agenda agenda, int hypothesis) except -1 nogil:
    """Count the features of a hypothesis, which are those of the one that it duplicates."""
    cdef int described = agenda.original(hypothesis)
    counts.add(&agenda.keys[<size_t> described * agenda.n_templates], agenda.n_keys[described])
    return 0


cdef class MeasuredBeam(Beam):
    """Beam search that counts features; one thread only. With a width of 1 it is greedy search."""
    cdef readonly FeatureCounts counts

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.counts = FeatureCounts()

    cdef double score(self, BeamWorkspace space, Agenda agenda, int hypothesis,
                      const WordsC* words) except? 1 nogil:
        cdef double best = Beam.score(self, space, agenda, hypothesis, words)
        count_features(self.counts, agenda, hypothesis)
        return best


cdef class MeasuredGreedyTrainer(GreedyTrainer):
    """Greedy training that counts features."""
    cdef readonly FeatureCounts counts

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.counts = FeatureCounts()

    cdef int learn(self, const WordsC* words) except -2 nogil:
        cdef int n_keys = self.features.fill(&self.state, words, self.keys.data())
        self.counts.add(self.keys.data(), n_keys)
        return GreedyTrainer.learn(self, words)


cdef class MeasuredBeamTrainer(BeamTrainer):
    """Beam training that takes notes; while it `judges`, of every update whether it helps.

    To judge takes two more searches per sentence with an error, and one per update.
    """
    cdef readonly FeatureCounts counts
    cdef public bint judges
    cdef readonly long n_sentences
    cdef readonly long n_finished
    cdef readonly double considered
    cdef readonly long n_judged
    cdef readonly long n_worse
    cdef readonly long n_better
    cdef Agenda judge
    cdef bint is_judging                # this search is not one of training
    cdef int n_right                    # heads with the weights as they are; NONE: not known
    cdef double n_before                # steps from the start of the sentence to the origin
    cdef double share                   # of the derivation that was considered

    def __init__(self, *args, int width, **options):
        super().__init__(*args, width=width, **options)
        self.counts = FeatureCounts()
        self.judge = Agenda(width)

    cdef int train_sentence(self, int sentence, bint exploring) except -1 nogil:
        self.n_right, self.n_before, self.share = NONE, 0, 1
        BeamTrainer.train_sentence(self, sentence, exploring)
        self.n_sentences += 1
        self.n_finished += self.share == 1
        self.considered += self.share

    cdef int score_hypothesis(self, Agenda agenda, int hypothesis) except -1 nogil:
        BeamTrainer.score_hypothesis(self, agenda, hypothesis)
        if not self.is_judging:
            count_features(self.counts, agenda, hypothesis)

    cdef bint decode(self, Agenda agenda, const WordsC* words) except -1 nogil:
        cdef bint is_error = BeamTrainer.decode(self, agenda, words)
        cdef double n_taken
        self.share = 1
        if is_error:
            self.replay(agenda, self.good)
            n_taken = self.n_before + <double> self.path.size()
            self.share = n_taken / (n_taken + self.n_left(agenda, words))
        return is_error

    cdef int n_left(self, Agenda agenda, const WordsC* words) except -1 nogil:
        """Free actions from `replayed` to the end."""
        cdef int n = 0
        self.reference = Reference(0, self.good, True, self.system.final(&self.replayed))
        while not self.reference.is_final:
            self.continue_reference(agenda, words)
            n += 1
        return n

    cdef int restart_from(self, Agenda agenda, int last) except -1 nogil:
        BeamTrainer.restart_from(self, agenda, last)
        self.n_before += <double> self.path.size()
        if self.system.final(&self.origin):          # the bad one may end before the good one
            self.share = 1

    cdef int learn_difference(self, Agenda agenda, const WordsC* words) except -1 nogil:
        cdef int n_right
        if not self.judges:
            return BeamTrainer.learn_difference(self, agenda, words)
        n_right = self.right_heads(self.judge, words) if self.n_right == NONE else self.n_right
        BeamTrainer.learn_difference(self, agenda, words)
        self.n_right = self.right_heads(self.judge, words)
        self.n_judged += 1
        self.n_worse += self.n_right < n_right
        self.n_better += self.n_right > n_right

    cdef int right_heads(self, Agenda agenda, const WordsC* words) except -1 nogil:
        """Search with the weights as they are; how many heads are right."""
        cdef long n_steps = self.n_steps
        self.is_judging = True
        agenda.reserve(words.n_words, self.features.n_templates)
        self.system.start_state(&self.replayed)
        agenda.begin(&self.replayed, False)          # nothing is correct: no costs are asked for
        while agenda.n_open > 0:
            self.expand(agenda, words)
            agenda.advance(self.actions)
        self.is_judging = False
        self.n_steps = n_steps
        return self.count_right(agenda.state(0))

    cdef int count_right(self, const StateC* state) noexcept nogil:
        cdef int d, n = 0
        for d in range(1, state.n_words + 1):
            if state.head[d] == NONE:                # a root that is no node has the word left over
                n += state.root == NONE and self.gold.head[d] == 0
            else:
                n += state.head[d] == self.gold.head[d]
        return n
