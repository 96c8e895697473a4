"""Derivations of the static oracle: the classes of a model, and examples for batch learners."""
from array import array
from collections import Counter

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE, n_nodes
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.features cimport Features
from dodona.core.features.words cimport WordsC
from dodona.core.search.actions cimport Actions
from dodona.core.search.actions import missing_arcs
from dodona.core.transitions.state cimport StateC, lay_out, state_size, top
from dodona.core.transitions.system cimport System


cdef bint is_partial(const GoldC* gold) noexcept nogil:
    """Return whether some head or label is not annotated."""
    cdef int word
    if gold.head == NULL:                # a graph, of which only labels may be missing
        return False
    for word in range(1, gold.n_words + 1):
        if gold.head[word] == NONE or gold.label[word] == NONE:
            return True
    return False


def seen_actions(System system, Corpus corpus, order):
    """Return the actions in the static oracle's derivations of sentences, most frequent first.

    Frequent classes stand together, so that most rows of weights need only a few blocks. Partially
    annotated trees have no derivation, and their arcs are counted instead. Actions that were not
    seen, but without which some sentences could not be parsed, are added.
    """
    cdef StateC state
    cdef GoldC gold
    cdef vector[uint64_t] state_block
    cdef vector[int32_t] gold_block
    cdef int sentence, n, move, label, word
    cdef bint under_root
    counts = {(move, NONE): [0, 0] for move, labelled in enumerate(system.labelled) if not labelled}
    for sentence in order:
        n = corpus.n_words[sentence]
        state_block.resize(state_size(n, system.max_arcs(n)) // sizeof(uint64_t))
        lay_out(&state, state_block.data(), n, system.max_arcs(n))
        corpus.set_gold(system, sentence, &gold, gold_block)
        system.start_state(&state)
        if is_partial(&gold):
            for word in range(1, n + 1):
                move = system.left_arc if gold.head[word] > word else system.right_arc
                under_root = gold.head[word] == state.root
                if gold.label[word] >= 0 and (gold.head[word] > 0 or under_root):
                    counts.setdefault((move, gold.label[word]), [0, 0])[under_root] += 1
            continue
        while not system.final(&state):
            move = system.static_move(&state, &gold)
            label = NONE
            if system.labelled[move]:
                label = system.gold_label(&state, &gold, move)
            if label != NONE or not system.labelled[move]:      # else the arc is not gold
                under_root = label != NONE and system.arc_head(&state, move) == state.root
                counts.setdefault((move, label), [0, 0])[under_root] += 1
            system.take(&state, move, label)
    if system.labels:
        for moves, under_root in missing_arcs(system, _pairs(counts)):
            label = _usual_label(system, counts, under_root)
            counts.setdefault((moves[0], label), [0, 0])[under_root] += 1
    return sorted(_pairs(counts), key=lambda pair: (-sum(counts[pair[:2]]), pair))


def _pairs(counts):
    return [(move, label, bool(under), bool(elsewhere))
            for (move, label), (elsewhere, under) in counts.items()]


def _usual_label(System system, counts, bint under_root):
    """Return the label of an arc that was never seen, but that the parser may need."""
    seen = Counter()
    for (_, label), numbers in counts.items():
        if label != NONE and numbers[under_root]:
            seen[label] += numbers[under_root]
    if under_root and system.root_label_id != NONE:
        return system.root_label_id
    return min(seen, key=lambda label: (-seen[label], label), default=0)


def static_examples(Actions actions, Features features, Corpus corpus, order):
    """Return what the static oracle does in sentences: (keys, their number, class, tag) per state.

    These are four arrays; the keys of all states follow each other. The tag is that of the word on
    top of the stack, as the corpus encodes it. States in which the oracle builds an arc that is not
    gold are left out.
    """
    cdef System system = actions.system
    cdef StateC state
    cdef GoldC gold
    cdef WordsC words
    cdef vector[uint64_t] state_block
    cdef vector[int32_t] gold_block
    cdef int sentence, move, label, n_keys, tag, max_arcs
    cdef uint64_t[::1] space
    keys, sizes, classes, tags = array("Q"), array("I"), array("H"), array("i")
    tag = features.columns.index("tag") if "tag" in features.columns else NONE
    filled = array("Q", bytes(8 * features.n_templates))
    space = filled
    class_of = {pair[:2]: c for c, pair in enumerate(actions.pairs)}
    for sentence in order:
        words = corpus.words(sentence)
        max_arcs = system.max_arcs(words.n_words)
        state_block.resize(state_size(words.n_words, max_arcs) // sizeof(uint64_t))
        lay_out(&state, state_block.data(), words.n_words, max_arcs)
        corpus.set_gold(system, sentence, &gold, gold_block)
        system.start_state(&state)
        while not system.final(&state):
            move = system.static_move(&state, &gold)
            label = NONE
            if system.labelled[move]:
                label = system.gold_label(&state, &gold, move)
                if label == NONE:
                    label = system.idle_label(&state, move)
            if (move, label) in class_of:
                n_keys = features.fill(&state, &words, &space[0])
                keys.extend(filled[:n_keys])
                sizes.append(n_keys)
                classes.append(class_of[move, label])
                tags.append(NONE if tag == NONE
                            else words.values[tag * n_nodes(words.n_words) + top(&state, 0) + 1])
            system.take(&state, move, label)
    return keys, sizes, classes, tags
