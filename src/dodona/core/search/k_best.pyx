"""The k best trees of a beam: what all of its final hypotheses come to."""
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport WordsC
from dodona.core.search.beam cimport Beam
from dodona.core.search.workspace cimport BeamWorkspace
from dodona.core.transitions.state cimport StateC


def k_best(Beam search not None, Corpus corpus not None, int sentence=0):
    """Return the different trees that a beam ends with, best first: (score, heads, label ids).

    The score of a tree is that of its best derivation, of which several may lead to it.
    """
    cdef BeamWorkspace space = search.free_workspace()
    cdef WordsC words = search.words_of(corpus, sentence)
    cdef size_t i
    space.reserve(words.n_words, search.system)
    search.system.start_state(&space.state)
    if search.keeps_given:
        space.guard.begin(corpus, sentence)
    with nogil:
        search.run(space, space.agenda, &words)
    if search.keeps_given:
        space.guard.is_on = False
    found = {}
    for i in range(space.agenda.hypotheses.size()):
        space.state = space.agenda.state(i)[0]
        search.completer.complete(space, &words)
        found.setdefault(read_tree(&space.state), space.agenda.hypotheses[i].score)
    return [(score, heads, labels) for (heads, labels), score in found.items()]


cdef read_tree(const StateC* state):
    """Return the heads and label ids of a complete tree."""
    cdef int d
    heads, labels = [], []
    for d in range(1, state.n_words + 1):
        heads.append(0 if state.head[d] == state.root else state.head[d])
        labels.append(state.label[d])
    return tuple(heads), tuple(labels)
