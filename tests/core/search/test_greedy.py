"""Greedy search against a loop in Python over the same features, scores and transitions."""

from __future__ import annotations

import pytest

import dodona
from dodona.core.features.features import Features
from dodona.core.learning.greedy_training import GreedyTrainer
from dodona.core.search.actions import Actions
from dodona.core.search.greedy import Greedy
from dodona.core.search.scoring import LinearScorer
from dodona.core.search.tracing import state_scores, trace
from dodona.core.transitions.registry import system
from dodona.core.weights.linear import Weights
from dodona.core.weights.packing import pack
from dodona.treebank.encoding.encoding import Encoder
from support.beam_lab import SYSTEMS, lab
from support.small import parser, treebank

ROOTS = pytest.mark.parametrize("root", ["first", "last", "none"])


def allowed(parser: dodona.Parser, state: dodona.State) -> list[tuple[int, dodona.Action]]:
    """Classes and actions that are valid, and whose label has been seen at such a place."""
    result = []
    for c, (move, label, under_root, elsewhere) in enumerate(parser.pairs):
        action = dodona.Action(
            parser.system.moves[move], parser.labels[label] if label >= 0 else None
        )
        if action in parser.system.valid(state):
            by_root = (action.move == "RIGHT-ARC" and state.stack[-1] == 0) or (
                action.move == "LEFT-ARC" and state.buffer[0] == 0
            )
            if label < 0 or (under_root if by_root else elsewhere):
                result.append((c, action))
    return result


def greedy_state(parser: dodona.Parser, sentence: dodona.Sentence) -> dodona.State:
    """The final state, by the first of the best actions again and again."""
    corpus = parser.encoder.encode([sentence])
    state = parser.system.start(len(sentence))
    while not parser.system.is_final(state):
        scores = parser.scorer.weights.scores(parser.scorer.features.keys(state, corpus))
        _, action = max(allowed(parser, state), key=lambda pair: (scores[pair[0]], -pair[0]))
        state = parser.system.step(state, action)
    return state


def backwards(sentence: dodona.Sentence) -> dodona.Sentence:
    """The same words, which nobody would say in this order."""
    return dodona.Sentence.from_columns(sentence.forms[::-1], upos=sentence.upos[::-1])


@pytest.mark.thorough
@ROOTS
def test_the_tree_holds_what_the_best_actions_build(root: str) -> None:
    """And where they leave it unfinished, the rest; with several roots, all arcs stay."""
    a_parser = parser(root)
    n_unfinished = 0
    for sentence in treebank(30, 3) + [backwards(sentence) for sentence in treebank(30, 3)]:
        state = greedy_state(a_parser, sentence)
        for one_root in (True, False):
            corpus = a_parser.encoder.encode([sentence])
            a_parser._search("one" if one_root else "many").parse(corpus)
            labels = [a_parser.labels[label or 0] for label in corpus.labels(0)]
            arcs = set(zip(corpus.heads(0), labels, range(1, len(sentence) + 1), strict=True))
            kept = {arc for arc in state.arcs if arc[0] != 0 or not one_root}
            assert kept <= arcs
        n_unfinished += len(state.arcs) < len(sentence)
    assert n_unfinished > 0 or root == "last"  # where every word meets the root in the end


@ROOTS
def test_a_label_of_the_root_is_given_under_the_root_only(root: str) -> None:
    sentences = treebank(40, 4)
    for sentence in parser(root).pipe(sentences):
        for head, label in zip(sentence.heads, sentence.deprels, strict=True):
            assert (head == 0) == (label == "root")


@pytest.mark.thorough
@pytest.mark.parametrize("n_labels", [3, 40, 80])
@SYSTEMS
def test_of_all_classes_the_first_that_scores_best_is_chosen(
    name: str, root: str, n_labels: int
) -> None:
    """However many there are, of which most are looked at only if a bound of theirs is high."""
    n_seen = 0
    for seed in range(4):
        one = lab(name, root, seed, n_labels=n_labels)
        search = Greedy(LinearScorer(one.features, pack(one.weights, 1)), one.actions)
        for state, action in trace(search, one.corpus):
            if action is not None:
                scores = state_scores(search, state, one.corpus)
                assert action == max(scores, key=lambda each: scores[each])
                n_seen += 1
    assert n_seen > 20


def test_a_part_of_the_corpus_can_be_parsed() -> None:
    a_parser = parser()
    corpus = a_parser.encoder.encode(treebank(5, 3))
    a_parser.search.parse(corpus, 1, 3)
    for i in range(5):
        assert (None in corpus.heads(i)) == (i not in (1, 2))
    for start, end in [(-1, 2), (0, 6), (7, 9)]:
        with pytest.raises(IndexError, match="of a corpus of 5"):
            a_parser.search.parse(corpus, start, end)


def test_sentences_encoded_for_other_features_are_refused() -> None:
    corpus = Encoder(["form"]).encode(treebank(1, 3))
    with pytest.raises(ValueError, match="1 columns, but features look at"):
        parser().search.parse(corpus)


def test_a_corpus_knows_its_sentences() -> None:
    sentences = treebank(3, 3)
    encoder = Encoder(
        ["form"], labels=sorted({label.encode() for s in sentences for label in s.deprels})
    )
    corpus = encoder.encode(sentences, trees=True)
    assert len(corpus) == 3
    assert corpus.n_words_total == sum(map(len, sentences))
    assert [corpus.heads(i) for i in range(3)] == [s.heads for s in sentences]
    for i in (-1, 3):
        for ask in (corpus.heads, corpus.labels):
            with pytest.raises(IndexError, match="among 3"):
                ask(i)
        with pytest.raises(IndexError, match="among 3"):
            corpus.set_tree(i, [0], [0])
    with pytest.raises(ValueError, match="every word needs a head and a label"):
        corpus.set_tree(0, [0], [0])
    n = len(sentences[0])
    with pytest.raises(ValueError, match=f"head {n + 1}, but the sentence has {n} words"):
        corpus.set_tree(0, [n + 1] * n, [0] * n)
    with pytest.raises(ValueError, match="not the sentences of the corpus"):
        encoder.decode(corpus, sentences + sentences)


SHIFT, LEFT, RIGHT, REDUCE = range(4)
UNLABELLED = [(SHIFT, -1, False, True), (REDUCE, -1, False, True)]


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ((4, -1, False, True), "is not an action"),
        ((-1, -1, False, True), "is not an action"),
        ((LEFT, 2, False, True), "is not an action"),
        ((LEFT, -1, False, True), "is not an action"),
        ((SHIFT, 0, False, True), "is not an action"),
    ],
)
def test_a_class_that_is_no_action_is_refused(pair: tuple[int, int, bool, bool], said: str) -> None:
    arc_eager = system("arc-eager", labels=["root", "obj"])
    Actions(arc_eager, [*UNLABELLED, (LEFT, 1, False, True)])
    with pytest.raises(ValueError, match=said):
        Actions(arc_eager, [*UNLABELLED, pair])


def test_every_move_without_a_label_needs_a_class() -> None:
    """Without SHIFT there would be states with nothing to do."""
    arc_eager = system("arc-eager", labels=["root"])
    with pytest.raises(ValueError, match="no class for SHIFT"):
        Actions(arc_eager, UNLABELLED[1:])
    with pytest.raises(ValueError, match="no class for SHIFT"):
        Actions(arc_eager, [])


def test_parts_that_do_not_fit_are_refused() -> None:
    actions = Actions(system("arc-eager", labels=["root"]), UNLABELLED)
    with pytest.raises(ValueError, match="more than 256 templates"):
        Features("\n".join(["s0.form"] * 257))
    few = Features("s0.form")
    with pytest.raises(ValueError, match="weights for 3 classes, but there are 2"):
        Greedy(LinearScorer(few, pack(Weights(3), 1)), actions)
    corpus = Encoder(["form"]).encode([])
    with pytest.raises(ValueError, match="1 columns, but features look at"):
        GreedyTrainer(corpus, Features("s0.form + s0.lemma"), actions, Weights(2))


def test_no_score_makes_an_action_valid() -> None:
    """REDUCE at the start, on the root, with a sum of weights far above every mask."""
    features = Features("\n".join(["s0.form"] * 100))
    actions = Actions(system("arc-eager", labels=["root"]), UNLABELLED)
    encoder = Encoder(["form"], labels=[b"root"])
    sentence = dodona.Sentence.from_columns(["Oaks", "whisper"])
    corpus = encoder.encode([sentence])
    weights = Weights(actions.n_classes)
    reduce, shift = (actions.system.moves.index(move) for move in ("REDUCE", "SHIFT"))
    classes = {pair[0]: c for c, pair in enumerate(actions.pairs)}
    keys = features.keys(actions.system.start(2), corpus)
    weights.learn(keys, classes[reduce], classes[shift], 1, 0)
    Greedy(LinearScorer(features, pack(weights, 1)), actions).parse(corpus)
    assert sorted(encoder.decode(corpus, [sentence])[0].heads) in ([0, 1], [0, 2])


def test_training_on_a_sentence_that_is_not_there_is_refused() -> None:
    actions = Actions(system("arc-eager", labels=["root"]), UNLABELLED)
    corpus = Encoder(["form"]).encode([])
    trainer = GreedyTrainer(corpus, Features("s0.form"), actions, Weights(2))
    with pytest.raises(IndexError, match="no sentence 0"):
        trainer.train([0], False)


def test_shuffling_is_fair_and_the_seed_decides() -> None:
    actions = Actions(system("arc-eager", labels=["root"]), UNLABELLED)
    corpus = Encoder(["form"]).encode([])

    def trainer(seed: int) -> GreedyTrainer:
        return GreedyTrainer(corpus, Features("s0.form"), actions, Weights(2), seed=seed)

    assert trainer(1).shuffled(50) == trainer(1).shuffled(50) != trainer(2).shuffled(50)
    one = trainer(3)
    orders = [tuple(one.shuffled(3)) for _ in range(6000)]
    counts = {order: orders.count(order) for order in set(orders)}
    assert len(counts) == 6
    assert all(900 < count < 1100 for count in counts.values())
