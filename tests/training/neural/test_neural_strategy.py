"""Networks trained for a few epochs: what they learn, save and give back."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import numpy as np

import dodona
from dodona.core.network.network import COMBINATIONS, NetworkSpace
from dodona.core.search.tracing import state_scores
from dodona.evaluation import evaluate_graphs
from dodona.parsing.strategy import StartingPoint
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from dodona.tagging.network_tagger import NetworkTagger
from dodona.training.neural import export
from dodona.training.neural.batching import BatchCapacity, make_batch
from dodona.training.neural.continuation import Continuation
from dodona.training.neural.network import new_parameters
from dodona.training.neural.strategy import NeuralStrategy
from dodona.training.neural.tag_heads import learn_combinations, learn_words
from support.read_words import products_of, tags_of
from support.small import enhanced, treebank

pytestmark = pytest.mark.thorough  # trains networks

TRAIN, DEV = treebank(60, 1), treebank(20, 2)
SMALL = {"scorer": "neural", "width": 32, "layers": 2, "hidden": 16, "batch_words": 200}


def settings(**changed: object) -> Settings:
    return Settings(**SMALL, **changed)  # type: ignore[arg-type]


def neural_trainer(*data: object) -> Trainer:
    return Trainer(*data, NeuralStrategy())  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run() -> Trainer:
    return neural_trainer(TRAIN, DEV, settings(epochs=12, learning_rate=0.01)).complete()


def texts(parser: dodona.Parser, **options: object) -> list[bytes]:
    return [bytes(s) for s in parser.pipe(DEV, retag=True, **options)]  # type: ignore[call-overload]


def test_it_learns(run: Trainer) -> None:
    first, best = run.history[0].scores, run.history[-1].scores
    assert best["LAS"] > first["LAS"] + 20 and best["upos"] > first["upos"] + 20


def test_a_model_is_the_same_saved_loaded_pickled_and_with_threads(
    run: Trainer, tmp_path: Path
) -> None:
    parser = run.parser()
    parser.save(tmp_path / "net.dodona")
    expected = texts(parser)
    for other in (dodona.load(tmp_path / "net.dodona"), pickle.loads(pickle.dumps(parser))):
        assert isinstance(other, dodona.Parser)
        assert texts(other) == expected == texts(other, threads=3)
        assert other.to_bytes() == parser.to_bytes()


def test_each_sentence_is_parsed_as_if_it_were_alone(run: Trainer) -> None:
    parser = run.parser()
    together = list(parser.pipe(DEV, retag=True))
    assert [next(parser.pipe([s], retag=True)).heads for s in DEV] == [s.heads for s in together]


def test_no_more_forms_than_asked_for_have_vectors(run: Trainer) -> None:
    counts = Counter(form.lower() for sentence in TRAIN for form in sentence.forms)
    every = learn_words(TRAIN, None).forms
    assert {*every} == {form.encode() for form, n in counts.items() if n > 1}
    some = learn_words(TRAIN, None, most=20).forms
    assert len(some) == 20 and [*some] == sorted(some)
    left = {*every} - {*some}
    assert min(counts[x.decode()] for x in some) >= max(counts[x.decode()] for x in left)

    parser, more = run.parser(), [*TRAIN, *treebank(60, 3)]
    start = StartingPoint(parser.scorer, parser.pairs, "net", "")
    for most, n in ((None, 5), (len(every) + 3, 3), (5, 0)):
        known = Continuation(start).words(more, most).forms
        assert [*known[: len(every)]] == [*every]
        assert len(known) == len(every) + n if most else len(known) > len(every) + n


@pytest.mark.parametrize("prunes", [False, True])
def test_atoms_that_no_state_had_can_be_pruned(
    prunes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy, seen = NeuralStrategy(prunes=prunes), []
    Trainer(TRAIN, DEV, settings(epochs=1), strategy).complete()
    arrays_of = strategy.arrays_of
    monkeypatch.setattr(strategy, "arrays_of", lambda p: seen.append(p) or arrays_of(p))
    strategy.snapshot()
    average = np.asarray(strategy.learning.average["atom"])
    was_met = np.asarray(strategy.learning.square["atom"]).any(axis=1)
    assert 0 < was_met.sum() < len(was_met) and average[~was_met].any()
    kept = was_met[:, None] if prunes else True
    assert np.array_equal(seen[0]["atom"], np.where(kept, average, 0))


def test_combinations_of_tags() -> None:
    """Also those of other treebanks, if they are frequent and of tags that the first has."""
    first = [(0, 0)] * 3 + [(1, 1)] * 2 + [(0, 1), (0, 2)]
    others = [(1, 0)] * 5 + [(1, 2)] * 4 + [(0, -1)] * 9 + [(0, 0)] * 9
    gold = [np.array(column, np.int32) for column in zip(*first, *others, strict=True)]
    found = learn_combinations(gold, len(first)).reshape(-1, 2).tolist()
    assert found == [[0, 0], [1, 1], [0, 2], [1, 0]]


def test_tags_are_chosen_together(tmp_path: Path) -> None:
    """No word gets tags that never go together: in a model fresh from training and in its file."""
    seen = {pair for s in TRAIN for pair in zip(s.upos, s.feats, strict=True)}
    neural_trainer(TRAIN, DEV, settings(epochs=1)).complete().parser().save(tmp_path / "net.dodona")
    tagger = dodona.load(tmp_path / "net.dodona").tagger
    assert isinstance(tagger, NetworkTagger)

    def contradictions(some: NetworkTagger) -> int:
        tagged = [some.tag(s) for s in DEV]
        return sum(pair not in seen for s in tagged for pair in zip(s.upos, s.feats, strict=True))

    alone = {name: x for name, x in tagger.scorer.arrays.items() if name != COMBINATIONS}
    assert contradictions(NetworkTagger(replace(tagger.scorer, arrays=alone))) > 5
    assert contradictions(tagger) == 0


@pytest.mark.parametrize("precision", export.PRECISIONS)
def test_the_core_computes_what_jax_does(run: Trainer, precision: str) -> None:
    """Products within the rounding of int8 or of the steps of 1/1024; nearly all tags the same."""
    learner, n_classes = run.strategy, run.task.actions.n_classes
    assert isinstance(learner, NeuralStrategy)
    folded = export.fold(
        learner.shape, learner.learning.average, learner.tags.parts, learner.atoms, n_classes
    )
    tagger = replace(
        run.parser().tagger.scorer,
        about=export.describe(learner.shape, learner.atoms, n_classes),
        arrays=export.to_arrays(folded, precision),
    )
    some = list(range(10))
    batch = make_batch(learner.words, some, BatchCapacity(learner.batch_size))
    n = len(batch.words)
    arguments = learner.shape, learner.learning.average, batch.arrays, learner.tags.parts
    expected = np.asarray(products_of(*arguments))[2 : 2 + n]
    space = NetworkSpace(tagger.network)
    types = learner.known.types()
    numbers = np.frombuffer(types.numbers([TRAIN[i] for i in some]), np.int32)
    starts, rows = (np.frombuffer(data, np.int32) for data in types.field_rows())
    space.add_types(rows, starts)
    lengths = np.array([len(TRAIN[i]) for i in some], np.int32)
    tags, products = tagger.network.annotate(space, numbers, lengths)
    found = np.frombuffer(products, np.int16).reshape(n, -1) / 1024
    allowed = 0.002 if precision == "float32" else 0.15
    assert np.abs(found - expected).max() < allowed * max(1, np.abs(expected).max())
    for head, right in enumerate(tags_of(*arguments)):
        agree = np.mean(np.asarray(right)[:n] == np.array(tags[head]))
        assert agree == 1 if precision == "float32" else agree > 0.9


def test_a_run_goes_on_from_its_checkpoint_to_the_same_bytes(tmp_path: Path) -> None:
    whole = neural_trainer(TRAIN, DEV, settings(epochs=3)).complete()
    part = neural_trainer(TRAIN, DEV, settings(epochs=3))
    for epoch in part.epochs(checkpoint=tmp_path / "at"):
        if epoch.number == 2:
            break
    resumed = neural_trainer(TRAIN, DEV, settings(epochs=3)).complete(resume=tmp_path / "at")
    assert resumed.parser().to_bytes() == whole.parser().to_bytes()


def test_lemmas_come_first_and_with_the_tags_of_the_network(tmp_path: Path) -> None:
    """Also where a run is broken off between the two."""
    train, dev = treebank(60, 1, lemmas=True), treebank(20, 2, lemmas=True)
    whole = neural_trainer(train, dev, settings(epochs=2))
    stages = [epoch.part for epoch in whole.epochs()]
    assert stages == ["lemmas"] * 10 + ["parser"] * 2
    parser = whole.parser()
    assert parser.tagger is not None and parser.tagger.columns[-1] == "lemma"
    lemmas = [next(parser.pipe([s], retag=True)).lemmas for s in dev]
    n_right = sum(
        a == b
        for s, found in zip(dev, lemmas, strict=True)
        for a, b in zip(s.lemmas, found, strict=True)
    )
    assert n_right > 0.5 * sum(map(len, dev))
    part = neural_trainer(train, dev, settings(epochs=2))
    for epoch in part.epochs(checkpoint=tmp_path / "at"):
        if epoch.number == 7:
            break
    resumed = neural_trainer(train, dev, settings(epochs=2)).complete(resume=tmp_path / "at")
    assert resumed.parser().to_bytes() == parser.to_bytes()
    kept = next(parser.pipe([dev[0].replace(lemmas=["oak"] * len(dev[0]))]))
    assert kept.lemmas == ["oak"] * len(dev[0])


def test_networks_learn_graphs(tmp_path: Path) -> None:
    train, dev = ([enhanced(s) for s in some] for some in (treebank(150, 1), DEV))
    chosen = settings(graph="enhanced", epochs=8, learning_rate=0.01)
    run = neural_trainer(train, dev, chosen).complete()
    assert run.settings.system == "graph-eager"
    assert run.history[-1].scores["ELAS"] > run.history[0].scores["ELAS"] + 10
    parser = run.parser()
    parser.save(tmp_path / "net.dodona")
    loaded = dodona.load(tmp_path / "net.dodona")
    assert [*map(bytes, loaded.pipe(dev))] == [*map(bytes, parser.pipe(dev))]


def test_graphs_are_learned_behind_the_trees_of_a_network(tmp_path: Path) -> None:
    """By a linear parser; also where the run is broken off among them."""
    train, dev = ([enhanced(s) for s in some] for some in (TRAIN, DEV))
    chosen = settings(graph="basic+enhanced", epochs=2)
    whole = neural_trainer(train, dev, chosen)
    stages = [e.part for e in whole.epochs(checkpoint=tmp_path / "end")]
    assert stages == ["parser"] * 2 + ["graph parser"] * 15
    parser = whole.parser()
    scores = evaluate_graphs(dev, list(parser.pipe(dev)))
    assert scores.elas > 20  # the network has hardly begun
    part = neural_trainer(train, dev, chosen)
    for epoch in part.epochs(checkpoint=tmp_path / "at"):
        if epoch.part == "graph parser" and epoch.number == 3:
            break
    resumed = neural_trainer(train, dev, chosen).complete(resume=tmp_path / "at")
    assert resumed.parser().to_bytes() == parser.to_bytes()


def test_beams_traces_and_scores(run: Trainer) -> None:
    parser, sentence = run.parser(), DEV[0]
    assert texts(parser, beam=1) == texts(parser)
    assert len(texts(parser, beam=4)) == len(DEV)
    steps = parser.trace(sentence)
    corpus = parser.encode(sentence)
    for state, action in steps[:-1]:
        scores = state_scores(parser.search, state, corpus)
        assert action in scores and scores[action] == max(scores.values())
    best = parser.trace_beam(sentence, beam=4)[-1][0]
    assert best[0] <= 0  # the logarithm of a probability


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"learner": "pa"}, "learner='pa' is for the linear scorer"),
        ({"clusters": "paths"}, "clusters='paths' is for the linear scorer"),
        ({"tags": "jackknife:5"}, "a network learns tags and trees together"),
        ({"width": 100}, "width must be a multiple of 32"),
    ],
)
def test_settings_that_a_network_would_ignore_are_refused(
    changed: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        dodona.Settings(scorer="neural", **changed)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hidden=32 is for the neural scorer"):
        dodona.Settings(hidden=32)


def test_a_network_that_diverged_is_named() -> None:
    strategy = NeuralStrategy()
    Trainer(TRAIN, None, settings(epochs=1), strategy)
    parameters = dict(new_parameters(strategy.shape, 1))
    strategy.arrays_of(parameters)
    parameters["class.bias"] = parameters["class.bias"] * np.nan
    with pytest.raises(export.DivergedError, match=r"class\.bias is not finite.*--learning-rate"):
        strategy.arrays_of(parameters)
