"""Signals of how sure a search was of each arc and label: log-odds along its derivation.

A derivation is a series of choices among moves, whose shares are the softmax of the scores of all
allowed classes. An arc is in the tree because no choice has put it out of reach, and the dynamic
oracle says which moves do: a tree with this one gold arc has a cost of 1 after them. The chance of
the arc is the product, over all states, of the shares of moves that keep it. Area under the curve
for wrong arcs of `en` on GUM: 0.90; 0.74 by the share of the move that built the arc alone.

Systems whose costs take long or need complete trees go by a simpler rule: an arc is out of reach
when its dependent gets another head or, where arcs join the topmost words of the stack, when its
head gets one.
"""
from libc.math cimport exp, expm1, log
from libc.stdint cimport int16_t, int32_t
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.base.odds cimport MOST_ODDS, log_odds
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.search.agenda cimport Step
from dodona.core.search.beam cimport Beam
from dodona.core.search.guard cimport Guard
from dodona.core.search.search cimport Search
from dodona.core.search.workspace cimport BeamWorkspace, Workspace
from dodona.core.transitions.gold cimport GoldC, gold_size
from dodona.core.transitions.graph_state cimport arc_between
from dodona.core.transitions.moves cimport MAX_MOVES
from dodona.core.transitions.python_bridge import PythonBridge
from dodona.core.transitions.state cimport StateC, front, top
from dodona.core.transitions.system cimport ROOT_NONE, MoveCost, System

cdef enum:
    UNITS = 256               # a score of 256 is 1 at a temperature of 1
    MOST_WITH_COSTS = 500     # words; their gold trees take n² numbers

cdef struct ArcMove:          # a move that builds an arc, and was not taken
    int32_t head
    int32_t dependent
    int32_t step
    double log_rest           # the logarithm of the share of all other moves


def arc_signals(Search search not None, Corpus corpus not None, double temperature, trees=None):
    """Return the log-odds of arc and label of every word: a list of pairs for each sentence.

    The corpus has been parsed by this search. Of several arcs into a word of a graph, the least
    sure counts. A label of an arc that the derivation did not build, but the completer, has 0.

    If the search keeps what is given, the corpus holds only that, and `trees` are what the search
    made of it: heads and labels of each sentence, which are written into the corpus. Choices that
    what is given leaves no freedom in are certain.
    """
    cdef SignalReader reader
    cdef int sentence
    if not temperature > 0:
        raise ValueError(f"a temperature is above 0, not {temperature}")
    search.check(corpus, 0, len(corpus))
    if search.keeps_given != (trees is not None):
        raise ValueError("trees are for a search that keeps what is given, which needs them")
    if trees is None and not search.system.builds_graphs and any(
            None in corpus.heads(sentence) for sentence in range(len(corpus))):
        raise ValueError("the corpus has not been parsed yet")
    reader = SignalReader(search, temperature)
    found = []
    for sentence in range(len(corpus)):
        if trees is not None:
            reader.guard(corpus, sentence)
            corpus.set_tree(sentence, *trees[sentence])
        with nogil:
            reader.read(corpus, sentence)
        found.append([(reader.arcs[i], reader.labels[i]) for i in range(reader.arcs.size())])
    return found


cdef class SignalReader:
    """The memory of one thread that follows derivations."""
    cdef Search search
    cdef System system
    cdef Beam beam                      # None: the search is greedy
    cdef BeamWorkspace beam_space
    cdef Workspace space
    cdef double scale                   # of scores
    cdef int arc_moves                  # bit set
    cdef bint has_costs, pops_heads, is_graph
    cdef vector[Step] path              # the derivation
    cdef vector[double] shares          # per step and move
    cdef vector[double] weight          # per class: the exponential of its score
    cdef vector[ArcMove] declined
    cdef vector[int32_t] built_at       # per node: the step that built the arc into it, or NONE
    cdef vector[int32_t] heads          # per node, before the last step; then the wanted arc
    cdef vector[int32_t] no_labels
    cdef vector[GoldC] golds            # per word
    cdef vector[int32_t] block          # memory behind them
    cdef vector[int32_t] first_child    # per node: a list of its dependents
    cdef vector[int32_t] next_child
    cdef vector[int32_t] looked_at      # per word: the last step that concerned its arc
    cdef vector[double] arcs            # the result: per word
    cdef vector[double] labels

    def __init__(self, Search search, double temperature):
        self.search, self.system = search, search.system
        self.scale = 1 / (UNITS * temperature)
        self.space = Workspace(search.scorer.n_keys, search.actions.n_padded)
        self.weight.resize(search.actions.n_classes)
        for move in (*self.system.left_moves, *self.system.right_moves):
            self.arc_moves |= 1 << move
        self.is_graph = self.system.builds_graphs
        self.has_costs = self.system.takes_partial and not (
            self.system.builds_graphs or self.system.most_words
            or isinstance(self.system, PythonBridge))
        self.pops_heads = self.system.joins == "stack" and not self.is_graph
        if isinstance(search, Beam):
            self.beam = search
            self.beam_space = self.beam.new_workspace()

    cdef guard(self, Corpus corpus, int sentence):
        """Keep what the corpus holds of a sentence."""
        self.space.guard = Guard(self.search.actions)
        self.space.guard.begin(corpus, sentence)
        if self.beam is not None:
            self.beam_space.guard = self.space.guard

    cdef int read(self, Corpus corpus, int sentence) except -1 nogil:
        """Write the signals of the words of a sentence."""
        cdef WordsC words
        cdef const int32_t* heads = corpus.head.data() + corpus.first_word[sentence]
        cdef int n = corpus.n_words[sentence]
        self.search.scorer.prepare(corpus, sentence)
        words = corpus.words(sentence)
        self.find_path(&words)
        self.follow(&words)
        self.arcs.clear()
        self.arcs.resize(n, 0)
        if self.has_costs and n <= MOST_WITH_COSTS:
            self.find_kept(heads, n)
        else:
            self.find_declined(heads, n)
        self.forget_completed(heads, n)
        return 0

    cdef int find_path(self, const WordsC* words) except -1 nogil:
        """Write the derivation of a beam; that of greedy search is found while following it."""
        self.path.clear()
        if self.beam is None:
            return 0
        self.beam_space.reserve(words.n_words, self.system)
        self.system.start_state(&self.beam_space.state)
        if not self.system.final(&self.beam_space.state):
            self.beam.run(self.beam_space, self.beam_space.agenda, words)
            self.beam_space.agenda.find_path(
                self.beam_space.agenda.hypotheses[0].last, self.path)
        return 0

    cdef int follow(self, const WordsC* words) except -1 nogil:
        """Go through the derivation; note the shares of moves, and the signals of labels."""
        cdef StateC* state = &self.space.state
        cdef int i = 0, chosen, note
        self.space.reserve(words.n_words, self.system)
        self.system.start_state(state)
        self.labels.clear()
        self.labels.resize(words.n_words, 0)
        self.built_at.clear()
        self.built_at.resize(words.n_words + 1, NONE)
        self.heads.clear()
        self.heads.resize(words.n_words + 1, NONE)
        self.shares.clear()
        self.declined.clear()
        while not self.system.final(state):
            chosen = self.score(words)
            note = self.search.note_scores(self.space)
            if self.beam is None:
                if chosen == NONE:
                    break
                self.path.push_back(Step(i - 1, chosen, note))
            elif i == <int> self.path.size():
                break
            self.system.repeat_note(state, self.path[i].note)
            self.add_declined(i)
            self.take(i)
            i += 1
        return 0

    cdef int score(self, const WordsC* words) except -2 nogil:
        """Compute the shares of all moves in the state; return the class of greedy search."""
        cdef const int16_t* masks = self.search.actions.masks(
            &self.space.state, self.system.valid_moves(&self.space.state))
        cdef int16_t* scores = self.space.scores.data()
        cdef int c, highest = -(1 << 15), n_classes = self.search.actions.n_classes
        cdef size_t first = self.shares.size()
        cdef double total = 0
        if self.space.guard is not None and self.space.guard.is_on:
            masks = self.space.guard.narrow(&self.space.state, masks)
        memcpy(scores, masks, self.space.scores.size() * sizeof(int16_t))
        self.search.scorer.score(&self.space.state, words, self.space.keys.data(), scores, None)
        for c in range(n_classes):
            if masks[c] == 0 and scores[c] > highest:
                highest = scores[c]
        self.shares.resize(first + MAX_MOVES, 0)
        for c in range(n_classes):
            self.weight[c] = 0
            if masks[c] == 0:
                self.weight[c] = exp((scores[c] - highest) * self.scale)
                self.shares[first + self.search.actions.move[c]] += self.weight[c]
                total += self.weight[c]
        for c in range(MAX_MOVES):
            self.shares[first + c] /= total
        for c in range(n_classes):
            self.weight[c] /= total
        return self.search.chooser.best_scored(self.space, words, masks)

    cdef int add_declined(self, int step) except -1 nogil:
        """Note the moves that would build arcs, but for the one taken."""
        cdef const StateC* state = &self.space.state
        cdef const double* shares = &self.shares[step * MAX_MOVES]
        cdef double rest
        cdef int move, other
        for move in range(MAX_MOVES):
            if self.arc_moves >> move & 1 and shares[move] > 0 and (
                    move != self.search.actions.move[self.path[step].klass]):
                rest = 0
                for other in range(MAX_MOVES):
                    if other != move:
                        rest += shares[other]
                self.declined.push_back(ArcMove(
                    self.system.arc_head(state, move), self.system.arc_dependent(state, move),
                    step, log(rest)))
        return 0

    cdef int take(self, int step) except -1 nogil:
        """Take an action, and write the signals of the labels that it assigns."""
        cdef StateC* state = &self.space.state
        cdef int chosen = self.path[step].klass, move = self.search.actions.move[chosen]
        cdef int n_arcs = state.n_arcs, d
        cdef double rest = self.shares[step * MAX_MOVES + move] - self.weight[chosen]
        cdef double label = log_odds(self.weight[chosen], rest)
        self.system.take(state, move, self.search.actions.label[chosen])
        for d in range(n_arcs, state.n_arcs):
            self.add_label(state.arcs[d].dependent, step, label)
        for d in range(1, state.n_words + 1):
            if not self.is_graph and state.head[d] != self.heads[d]:
                self.heads[d], self.built_at[d] = state.head[d], NONE
                if state.head[d] != NONE:
                    self.add_label(d, step, label)
        return 0

    cdef void add_label(self, int dependent, int step, double label) noexcept nogil:
        """Write the signal of a label; of several arcs of a graph, the least sure counts."""
        if self.built_at[dependent] == NONE or label < self.labels[dependent - 1]:
            self.labels[dependent - 1] = label
        self.built_at[dependent] = step

    cdef int find_kept(self, const int32_t* heads, int n) except -1 nogil:
        """Write the signals of arcs, by the costs of every move for each arc alone.

        A move concerns only arcs of the words at the top of the stack and at the front of the
        buffer, so only these are looked at: 2.3x for `en-linear`, whose costs count repairs.
        """
        cdef StateC* state = &self.space.state
        cdef int i, d, klass
        self.build_golds(heads, n)
        self.looked_at.clear()
        self.looked_at.resize(n, NONE)
        self.system.start_state(state)
        for i in range(<int> self.path.size()):
            klass = self.path[i].klass
            self.system.repeat_note(state, self.path[i].note)
            self.look_at(top(state, 0), i)
            self.look_at(top(state, 1), i)
            self.look_at(front(state, 0), i)
            self.system.take(
                state, self.search.actions.move[klass], self.search.actions.label[klass])
        for d in range(n):
            self.arcs[d] = odds_of(self.arcs[d])
        return 0

    cdef int build_golds(self, const int32_t* heads, int n) except -1 nogil:
        """Build for each word a gold tree that has only the arc into it; list dependents."""
        cdef size_t size = gold_size(n) // sizeof(int32_t)
        cdef int d
        self.block.resize(size * n)
        self.golds.resize(n)
        self.heads.clear()
        self.heads.resize(n, NONE)
        self.no_labels.clear()
        self.no_labels.resize(n, NONE)
        self.first_child.clear()
        self.first_child.resize(n + 1, NONE)
        self.next_child.clear()
        self.next_child.resize(n + 1, NONE)
        for d in range(1, n + 1):
            self.heads[d - 1] = heads[d - 1]
            self.system.build_tree(&self.golds[d - 1], &self.block[size * (d - 1)], n,
                                   self.heads.data(), self.no_labels.data())
            self.heads[d - 1] = NONE
            self.next_child[d] = self.first_child[heads[d - 1]]
            self.first_child[heads[d - 1]] = d
        return 0

    cdef int look_at(self, int node, int step) except -1 nogil:
        """Multiply the chances of all arcs of a node by what is left of them after a step."""
        cdef int d
        if node == NONE:
            return 0
        if node == self.space.state.root:
            node = 0
        else:
            self.keep(node, step)
        d = self.first_child[node]
        while d != NONE:
            self.keep(d, step)
            d = self.next_child[d]
        return 0

    cdef int keep(self, int word, int step) except -1 nogil:
        """Multiply the chance of an arc by the share of the moves that keep it in reach."""
        cdef MoveCost costs[MAX_MOVES]
        cdef double kept = 0
        cdef int move
        if self.looked_at[word - 1] == step:
            return 0
        self.looked_at[word - 1] = step
        memset(costs, 0, sizeof(costs))
        self.system.move_costs(&self.space.state, &self.golds[word - 1], costs)
        for move in range(MAX_MOVES):
            if costs[move].arcs <= 0:
                kept += self.shares[step * MAX_MOVES + move]
        self.arcs[word - 1] += log(kept)
        return 0

    cdef int find_declined(self, const int32_t* heads, int n) except -1 nogil:
        """Write the signals of arcs, by the moves that would have built other arcs."""
        cdef const StateC* state = &self.space.state
        cdef const ArcMove* other
        cdef vector[vector[int32_t]] children
        cdef size_t i, k
        cdef int d, head
        children.resize(n + 2)
        for d in range(1, n + 1):
            if self.pops_heads and 1 <= heads[d - 1] <= n:
                children[heads[d - 1]].push_back(d)
        for i in range(self.declined.size()):
            other = &self.declined[i]
            d, head = other.dependent, 0 if other.head == state.root else other.head
            if not 1 <= d <= n:
                continue
            if self.is_graph:
                if arc_between(state, other.head, d) == NONE:
                    self.arcs[d - 1] += other.log_rest
            elif heads[d - 1] != head:
                self.arcs[d - 1] += other.log_rest
            for k in range(children[d].size()):
                if self.built_at[children[d][k]] == NONE or (
                        self.built_at[children[d][k]] >= other.step):
                    self.arcs[children[d][k] - 1] += other.log_rest
        for i in range(self.arcs.size()):
            self.arcs[i] = odds_of(self.arcs[i])
        return 0

    cdef void forget_completed(self, const int32_t* heads, int n) noexcept nogil:
        """Clear the signals of labels that the derivation has not given."""
        cdef const StateC* state = &self.space.state
        cdef int d, head
        for d in range(1, n + 1):
            head = 0 if state.head[d] == state.root else state.head[d]
            if not self.is_graph and (state.head[d] == NONE or head != heads[d - 1]):
                # without a root node, a word that is left over can only be the root
                self.labels[d - 1] = MOST_ODDS if (
                    self.system.root_place == ROOT_NONE and heads[d - 1] == 0) else 0


cdef double odds_of(double log_share) noexcept nogil:
    """Return the log-odds of a share, given its logarithm."""
    return log_odds(exp(log_share), -expm1(log_share))
