"""What a search does, step by step, for explorers and experiments: it is driven from outside."""
from libc.stdint cimport int16_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.search.agenda cimport Agenda, Hypothesis, Step
from dodona.core.search.beam cimport Beam
from dodona.core.search.search cimport Search
from dodona.core.search.workspace cimport BeamWorkspace, Workspace
from dodona.core.transitions.choices cimport Choices
from dodona.core.transitions.state cimport copy
from dodona.core.transitions.system cimport State


def state_scores(Search search not None, State state not None, Corpus corpus not None,
                 int sentence=0):
    """Return {action: score} for every class that this state of the sentence allows."""
    cdef const int16_t* masks = search.actions.masks(
        &state.c, search.system.valid_moves(&state.c))
    cdef Workspace space = scored(search, state, corpus, sentence)
    cdef int c
    return {search.system._named(state, search.actions.pairs[c][:2]): space.scores[c]
            for c in range(search.actions.n_classes) if masks[c] == 0}


def noted_state(Search search not None, State state not None, Corpus corpus not None,
                int sentence=0):
    """Return a copy of the state in which its system has noted the model's scores."""
    cdef State noted = copy_of(state)
    cdef Workspace space = scored(search, state, corpus, sentence)
    cdef Choices choices = search.actions.choices(space.scores.data(), NULL)
    state.system.note_scores(&noted.c, &choices)
    return noted


cdef State copy_of(State state):
    cdef State copied = state.system.state_class(state.system, state.c.n_words)
    copy(&copied.c, &state.c)
    return copied


cdef Workspace scored(Search search, State state, Corpus corpus, int sentence):
    """Return a workspace with the scores of all classes in a state; masked ones are low."""
    cdef Workspace space = Workspace(search.scorer.n_keys, search.actions.n_padded)
    cdef WordsC words = search.words_of(corpus, sentence)
    if words.n_words != state.c.n_words:
        raise ValueError(f"a state of {state.c.n_words} words, but a sentence of {words.n_words}")
    memcpy(space.scores.data(),
           search.actions.masks(&state.c, search.system.valid_moves(&state.c)),
           space.scores.size() * sizeof(int16_t))
    search.scorer.score(&state.c, &words, space.keys.data(), space.scores.data(), None)
    return space


def trace(Search search not None, Corpus corpus not None, int sentence=0):
    """Return every state of a sentence's derivation with the action taken there, at last None."""
    cdef WordsC words = search.words_of(corpus, sentence)
    cdef State state = search.system.start(words.n_words)
    cdef vector[Step] path
    cdef Step step
    search.find_derivation(&words, path)
    steps = []
    for step in path:
        search.system.repeat_note(&state.c, step.note)
        steps.append((state, search.system._named(state, search.actions.pairs[step.klass][:2])))
        state = copy_of(state)
        search.system.take(&state.c, search.actions.move[step.klass],
                           search.actions.label[step.klass])
    return [*steps, (state, None)]


def derivations(Beam search not None, Corpus corpus not None, int sentence=0):
    """Return the derivations that a beam ends with, best first: (score, classes) of each."""
    cdef BeamWorkspace space = begin(search)
    cdef WordsC words = search.words_of(corpus, sentence)
    space.reserve(words.n_words, search.system)
    search.system.start_state(&space.state)
    search.run(space, space.agenda, &words)
    return [(space.agenda.hypotheses[<int> i].score, space.agenda.derivation(i))
            for i in range(space.agenda.hypotheses.size())]


cdef BeamWorkspace begin(Beam search):
    return search.new_workspace()


def beam_steps(Beam search not None, Corpus corpus not None, int sentence=0):
    """Return the beam after each step: (score, parent, action) of every hypothesis, best first.

    The parent is an index into the beam before; a final hypothesis that stays has no action.
    """
    cdef BeamWorkspace space = begin(search)
    cdef Agenda agenda = space.agenda
    cdef WordsC words = search.words_of(corpus, sentence)
    space.reserve(words.n_words, search.system)
    agenda.reserve(words.n_words, search.scorer.n_keys)
    search.system.start_state(&space.state)
    agenda.begin(&space.state, False)
    steps, states, lasts = [], [search.system.start(words.n_words)], [NONE]
    while agenda.n_open > 0:
        search.expand(space, agenda, &words)
        agenda.advance(search.actions)
        indices = range(agenda.hypotheses.size())
        steps.append([_step(search, agenda, i, states, lasts) for i in indices])
        states = [_state(search, agenda, i) for i in indices]
        lasts = [agenda.hypotheses[<int> i].last for i in indices]
    return steps


def _step(Beam search, Agenda agenda, int hypothesis, list states, list lasts):
    """Return how a hypothesis arose from those that had these states and last steps."""
    cdef Hypothesis* found = &agenda.hypotheses[hypothesis]
    if found.last in lasts:
        return found.score, lasts.index(found.last), None
    parent = lasts.index(agenda.steps[found.last].before)
    ids = search.actions.pairs[agenda.steps[found.last].klass][:2]
    return found.score, parent, search.system._named(states[parent], ids)


def _state(Beam search, Agenda agenda, int hypothesis):
    cdef State state = search.system.state_class(
        search.system, agenda.state(hypothesis).n_words)
    copy(&state.c, agenda.state(hypothesis))
    return state
