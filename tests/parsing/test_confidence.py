"""Confidences: the numbers, their calibration, and the same trees with and without them."""

from __future__ import annotations

from functools import cache
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.search.arc_signals import arc_signals
from dodona.core.transitions.registry import SYSTEMS
from dodona.evaluation.reliability import Reliability, measure_reliability
from dodona.parsing.calibration import calibrate, find_points, judge, measure
from dodona.parsing.confidence import MOST
from dodona.parsing.given import Given
from dodona.parsing.logistic import fit_line
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.treebank.confidence import with_confidences
from dodona.treebank.trees.pseudoprojective import projectivise
from dodona.treebank.word import CONFIDENCES
from reference.confidence import BY_COSTS, given_arc_signals
from reference.confidence import arc_signals as slow_arc_signals
from support.small import enhanced, train, treebank
from support.treebanks import treebank_file

TREES = [name for name in SYSTEMS if not dodona.system(name, labels=["dep"]).builds_graphs]
DEV, UNSEEN = treebank(400, 5, 0.1), treebank(60, 7, 0.1)
SHORT = [sentence for sentence in UNSEEN if len(sentence) <= 10][:4]


@cache
def parser(system: str, **settings: Any) -> dodona.Parser:
    return train(treebank(40, 1, 0.2), system=system, **settings)


@cache
def tagging_parser() -> dodona.Parser:
    """A parser with a tagger, which knows few words."""
    return train(treebank(60, 1), tags="predicted")


def untagged(sentences: list[dodona.Sentence]) -> list[dodona.Sentence]:
    return [dodona.Sentence.from_columns(sentence.forms) for sentence in sentences]


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", TREES)
def test_signals_are_those_of_the_slow_twin(name: str, beam: int) -> None:
    model = parser(name, beam=beam)
    for sentence in SHORT:
        corpus = model.encode(sentence)
        model.search.parse(corpus)
        [found] = arc_signals(model.search, corpus, 1.5)
        for ours, theirs in zip(found, slow_arc_signals(model, sentence, 1.5), strict=True):
            assert ours == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("name", [name for name in TREES if name in BY_COSTS])
def test_signals_in_view_of_what_is_given_are_those_of_the_slow_twin(name: str) -> None:
    """Some arcs of the gold tree are given, which the model would not find by itself."""
    model = parser(name)
    search, n_given = model._search(keeps_given=True), 0
    for sentence in [sentence for sentence in UNSEEN if len(sentence) <= 10][:8]:
        given = [h if i % 3 == 0 else None for i, h in enumerate(projective(sentence).heads)]
        nothing: list[int | None] = [None] * len(sentence)
        corpus = model.encode(sentence)
        corpus.set_tree(0, given, nothing)
        search.parse(corpus)
        tree = corpus.heads(0), corpus.labels(0)
        corpus.set_tree(0, given, nothing)
        [found] = arc_signals(search, corpus, 1.5, [tree])
        assert corpus.heads(0) == tree[0]
        gold = dodona.Gold(heads=given, labels=nothing)
        slow = given_arc_signals(model, model.encode(sentence), gold, 1.5, tree[0])
        for ours, theirs in zip(found, slow, strict=True):
            assert ours == pytest.approx(theirs, abs=1e-5)
        free = model.encode(sentence)
        model.search.parse(free)
        n_given += any(h not in (None, free.heads(0)[i]) for i, h in enumerate(given))
    assert n_given > 0


def projective(sentence: dodona.Sentence) -> dodona.Sentence:
    heads = [head or 0 for head in sentence.heads]
    return sentence.replace(heads=projectivise(heads, sentence.deprels, "head").heads)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", ["arc-eager", "arc-hybrid", "swap"])
def test_what_is_not_given_has_confidences(name: str, beam: int) -> None:
    model = parser(name, beam=beam)
    for sentence in SHORT:
        [same] = model.pipe([sentence], confidence=True, given=lambda _: None)
        assert with_confidences(same, {}) == model.parse(sentence)
        first = projective(sentence)
        given = Given({1: first.heads[0] or 0, 2: first.heads[1] or 0}, {2: "nsubj"})
        found = model.parse(sentence, given=given, confidence=True)
        assert with_confidences(found, {}) == model.parse(sentence, given=given)
        assert [word.confidence is None for word in found[:3]] == [True, True, False]
        assert [word.deprel_confidence is None for word in found[:3]] == [False, True, False]


def test_nothing_given_leaves_confidences_as_they_are() -> None:
    model = calibrate(parser("arc-eager"), DEV[:50])
    for sentence in SHORT:
        plain = model.parse(sentence, confidence=True)
        given = model.parse(sentence, confidence=True, given=Given())
        for name in ("confidence", "deprel_confidence"):
            ours, theirs = ([getattr(word, name) for word in one] for one in (given, plain))
            assert ours == pytest.approx(theirs, abs=2e-4)


def test_signals_of_a_given_tree_need_the_tree() -> None:
    model = parser("arc-eager")
    corpus = model.encode(SHORT[0])
    with pytest.raises(ValueError, match="trees are for a search that keeps what is given"):
        arc_signals(model._search(keeps_given=True), corpus, 1.0)


def test_signals_of_a_network_are_those_of_the_slow_twin() -> None:
    model = dodona.load("en-small")
    for text in ("Old oaks that priests ask speak to us.", "Listen!"):
        [sentence] = model(text)
        corpus = model.encode(sentence)
        model.search.parse(corpus)
        [found] = arc_signals(model.search, corpus, 1.0)
        for ours, theirs in zip(found, slow_arc_signals(model, sentence, 1.0), strict=True):
            assert ours == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("name", ["en-small", "tagging"])
def test_signals_of_tags_are_odds_among_all_tags(name: str) -> None:
    model = tagging_parser() if name == "tagging" else dodona.load(name)
    assert model.tagger is not None
    sentences = untagged(UNSEEN[:10])
    corpus, signals = model.tagger.scorer.read_scored(sentences)
    model.tagger.tag_corpus(corpus, sentences)
    for column, classes in zip(model.tagger.columns, model.tagger.classes, strict=True):
        if column == "lemma":
            continue
        cold, hot = ([x for one in signals(column, t) for x in one] for t in (1e-6, 1e9))
        # the best, one of two equal ones, or one that agrees better with the other columns
        assert {round(x, 3) for x in cold} <= {-MOST, 0.0, MOST}
        assert sum(x > 0 for x in cold) > 0.8 * len(cold)
        even = -log(len(classes) - 1)
        assert {*hot} - {MOST} and all(x == pytest.approx(even) for x in hot if x != MOST)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", SYSTEMS)
def test_trees_are_the_same_and_confidences_are_probabilities(name: str, beam: int) -> None:
    is_graph = name not in TREES
    if is_graph and beam > 1:
        pytest.skip("graphs are parsed greedily")
    model = (
        train([*map(enhanced, treebank(40, 1, 0))], system=name)
        if is_graph
        else parser(name, beam=beam)
    )
    plain, sure = (list(model.pipe(UNSEEN, confidence=flag)) for flag in (False, True))
    for one, other in zip(plain, sure, strict=True):
        assert other.replace(misc=one.misc) == one
        assert all(word.confidence is None for word in one)
        for word in other:
            assert word.confidence is not None and 0 <= word.confidence <= 1
            assert word.deprel_confidence is not None and 0 <= word.deprel_confidence <= 1
    assert len({word.confidence for sentence in sure for word in sentence}) > 20


@pytest.mark.parametrize("constraints", ["none", "ud"])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_way_of_parsing_gives_the_same_confidences(threads: int, constraints: str) -> None:
    model = parser("arc-eager")
    options: dict[str, Any] = {"confidence": True, "constraints": constraints}
    at_once = list(model.pipe(UNSEEN, threads=threads, **options))
    assert at_once == [next(model.pipe([sentence], **options)) for sentence in UNSEEN]
    if constraints == "none":
        assert at_once == [model.parse(sentence, confidence=True) for sentence in UNSEEN]


def test_a_sure_arc_is_more_often_right() -> None:
    for name in TREES:
        points = find_points(parser(name), UNSEEN, {})["head"]
        auc = measure_reliability([(x / 40 + 0.5, right) for x, right in points]).auc
        assert auc is not None and auc > 0.65, name


def reliability_of(model: dodona.Parser, column: str) -> Reliability:
    """The reliability of confidences, as they are written, on data that is neither of the two."""
    other = treebank(400, 9, 0.1)
    name = "confidence" if column == "head" else f"{column}_confidence"
    pairs = []
    parsed = model.pipe(untagged(other) if model.tagger else other, confidence=True)
    for gold, predicted in zip(other, parsed, strict=True):
        judged = judge(gold, predicted, is_graph=False)[column]
        for word, right in zip(predicted, judged, strict=True):
            if right is not None:
                pairs.append((getattr(word, name), right))
    return measure_reliability(pairs)


@pytest.mark.thorough("-3", "nonmonotonic", "tree")
@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", TREES)
def test_calibration_lowers_the_error_on_other_data(name: str, beam: int) -> None:
    model = parser(name, beam=beam)
    calibrated = calibrate(model, DEV)
    before, after = (reliability_of(each, "head") for each in (model, calibrated))
    assert after.ece < before.ece and after.ece < 0.06
    assert calibrated.calibration is not None
    assert {*calibrated.calibration.columns} >= {"head", "deprel"}
    assert [*calibrated.pipe(UNSEEN)] == [*model.pipe(UNSEEN)]


def test_tags_are_calibrated_as_well() -> None:
    model = tagging_parser()
    calibrated = calibrate(model, DEV)
    assert calibrated.calibration is not None
    assert {*calibrated.calibration.columns} == {"head", "deprel", "upos", "feats"}
    for column in ("upos", "feats"):
        before, after = (reliability_of(each, column) for each in (model, calibrated))
        assert after.ece <= before.ece
        assert after.auc is not None and after.auc > 0.6


def test_only_predicted_tags_have_a_confidence() -> None:
    model = tagging_parser()
    given, empty = UNSEEN[0], untagged(UNSEEN[:1])[0]
    by_default = model.parse(given, confidence=True)
    assert by_default[0].upos_confidence is None and by_default[0].confidence is not None
    for found in (
        model.parse(empty, confidence=True),
        next(model.pipe([given], retag=True, confidence=True)),
    ):
        assert all(word.upos_confidence is not None for word in found)
        assert all(word.xpos_confidence is None for word in found)
    kept = next(model.pipe([given], keep_tags=True, confidence=True))
    assert kept[0].upos_confidence is None and kept[0].confidence is not None


def test_a_new_confidence_replaces_the_old_one() -> None:
    model = parser("arc-eager")
    once = model.parse(UNSEEN[0], confidence=True)
    assert model.parse(once, confidence=True) == once
    spaced = UNSEEN[0].replace(misc=["SpaceAfter=No"] * len(UNSEEN[0]))
    assert model.parse(spaced, confidence=True)[0].misc.startswith("SpaceAfter=No|Confidence=")


def test_conllx_becomes_conllu_to_hold_confidences() -> None:
    old = dodona.Sentence.from_columns(UNSEEN[0].forms, upos=UNSEEN[0].upos, format="conllx")
    found = parser("arc-eager").parse(old, confidence=True)
    assert found.format == "conllu" and found[0].confidence is not None


def test_a_calibration_is_saved_and_changes_no_other_byte(tmp_path: Path) -> None:
    model = parser("arc-hybrid")
    calibrated = calibrate(model, DEV)
    calibrated.save(tmp_path / "sure.dodona")
    loaded = dodona.load(tmp_path / "sure.dodona")
    assert loaded.calibration == calibrated.calibration
    assert [*loaded.pipe(UNSEEN, confidence=True)] == [*calibrated.pipe(UNSEEN, confidence=True)]
    assert model.calibration is None and b'"calibration"' not in model.to_bytes()


@pytest.mark.parametrize(
    "damaged",
    [
        [],
        {"columns": {"head": {"temperature": 0, "slope": 1, "offset": 0, "certain": 1}}},
        {"columns": {"head": {"temperature": 1, "slope": -1, "offset": 0, "certain": 1}}},
        {"columns": {"head": {"temperature": 1, "slope": "1", "offset": 0, "certain": 1}}},
        {"columns": {"head": {"slope": 1}}},
    ],
)
def test_a_damaged_calibration_is_refused(damaged: Any) -> None:
    model = calibrate(parser("arc-hybrid"), DEV[:10])
    about, arrays = model.serialise()
    about["calibration"] = damaged
    data = container.to_bytes("model", model.FORMAT.version, about, arrays)
    with pytest.raises(ContainerError, match="does not fit together"):
        dodona.Parser.from_bytes(data)


def test_data_without_trees_cannot_calibrate() -> None:
    with pytest.raises(ValueError, match="nothing to calibrate on"):
        calibrate(parser("arc-eager"), untagged(DEV[:3]))


def test_a_logistic_function_is_found_again() -> None:
    random = Random(3)
    signals = [random.gauss(0, 3) for _ in range(20_000)]
    points = [(x, random.random() < 1 / (1 + exp(-(0.6 * x + 0.8)))) for x in signals]
    line = fit_line(points)
    assert line.slope == pytest.approx(0.6, abs=0.03)
    assert line.offset == pytest.approx(0.8, abs=0.06)
    certain = fit_line([(5.0, True)] * 50)
    assert certain.slope > 0


def test_confidences_go_through_every_form_of_a_sentence() -> None:
    from json import loads

    model = calibrate(tagging_parser(), DEV[:20])
    doc = dodona.Doc(model.pipe(untagged(UNSEEN[:5]), confidence=True))
    expected = {name: [getattr(word, name) for word in doc.words] for name in CONFIDENCES}
    again = dodona.Doc.from_conllu(doc.to_conllu())
    assert {name: [getattr(w, name) for w in again.words] for name in CONFIDENCES} == expected
    words = [word for s in loads(doc.to_json())["sentences"] for word in s["words"]]
    assert {name: [word[name] for word in words] for name in CONFIDENCES} == expected
    pyarrow = pytest.importorskip("pyarrow")
    table = doc.to_arrow()
    assert {name: table.column(name).to_pylist() for name in CONFIDENCES} == expected
    assert table.schema.field("confidence").type == pyarrow.float64()
    assert [word.confidence for word in dodona.Doc.from_arrow(table).words] == expected[
        "confidence"
    ]
    plain = dodona.Doc(model.pipe(UNSEEN[:1]))
    assert "confidence" not in plain.to_dict()["sentences"][0]["words"][0]
    assert "confidence" not in plain.to_arrow().column_names


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["en", "en-linear"])
def test_arcs_on_another_treebank_are_as_sure_as_they_should_be(name: str) -> None:
    dev, other = treebank_file("en_ewt", "dev"), treebank_file("en_gumfree", "dev")
    model = calibrate(dodona.load(name), dev)
    found = measure(model, list(dodona.read(other)))["head"]
    assert found.ece <= 0.02
    assert found.auc is not None and found.auc >= 0.8
