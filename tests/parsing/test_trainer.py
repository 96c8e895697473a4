"""Training on an invented language: the same bytes for a seed, what each way to train does."""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from dodona.training.loop import Epoch, Progress
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.trees.projectivity import is_projective
from support.small import TEMPLATES, enhanced, treebank


@pytest.fixture
def quick(tmp_path: Path) -> dict[str, Any]:
    """Settings of a training that takes a moment."""
    path = tmp_path / "small.txt"
    path.write_text(TEMPLATES, encoding="utf-8")
    return {"features": str(path), "epochs": 3, "explore_after": 1}


def trained(sentences: Sequence[dodona.Sentence], **settings: Any) -> dodona.Parser:
    return dodona.train(sentences, treebank(20, 9), **settings)


def model_bytes(parser: dodona.Parser, path: Path) -> bytes:
    parser.save(path)
    return path.read_bytes()


def las(parser: dodona.Parser, gold: Sequence[dodona.Sentence]) -> float:
    n_right = n_words = 0
    for sentence, guess in zip(gold, parser.pipe(gold), strict=True):
        gold_arcs = zip(sentence.heads, sentence.deprels, strict=True)
        arcs = zip(guess.heads, guess.deprels, strict=True)
        n_right += sum(map(eq, gold_arcs, arcs))
        n_words += len(sentence)
    return 100 * n_right / n_words


def weights_of(parser: dodona.Parser) -> tuple[bytes, bytes]:
    return parser.scorer.weights.buckets_bytes(), parser.scorer.weights.rows_bytes()


WAYS = [
    ("static", "perceptron"),
    ("ambiguity", "perceptron"),
    ("explore", "perceptron"),
    ("explore", "pa"),
]


@pytest.mark.parametrize(("training", "learner"), WAYS)
def test_a_seed_gives_the_same_model_byte_for_byte_and_another_seed_another(
    training: str, learner: str, quick: dict[str, Any], tmp_path: Path
) -> None:
    quick |= {"training": training, "learner": learner}
    models = [
        model_bytes(trained(treebank(40, 1), seed=seed, **quick), tmp_path / "model")
        for seed in (7, 7, 8)
    ]
    assert models[0] == models[1]
    assert models[0] != models[2]


@pytest.mark.parametrize(("training", "learner"), WAYS)
@pytest.mark.parametrize("root", ["first", "last", "none"])
def test_what_is_learned_holds_for_sentences_never_seen(
    training: str, learner: str, root: str, quick: dict[str, Any]
) -> None:
    """The best that can be done without looking is every word on the one before it."""
    quick |= {"training": training, "learner": learner, "root": root}
    parser = trained(treebank(150, 1), **quick)
    unseen = treebank(60, 5)
    n_words = sum(map(len, unseen))
    n_on_the_one_before = sum(
        head == i for sentence in unseen for i, head in enumerate(sentence.heads)
    )
    assert las(parser, unseen) > 100 * n_on_the_one_before / n_words + 25


def test_the_ways_to_train_differ(quick: dict[str, Any]) -> None:
    models = {
        weights_of(dodona.train(treebank(60, 1), training=training, learner=learner, **quick))
        for training, learner in WAYS
    }
    assert len(models) == len(WAYS)


def test_exploring_at_a_rate_of_nothing_is_ambiguity_training(quick: dict[str, Any]) -> None:
    sentences = treebank(60, 1)
    ambiguity = dodona.train(sentences, training="ambiguity", **quick)
    never = dodona.train(sentences, training="explore", explore_rate=0, **quick)
    late = dodona.train(sentences, training="explore", **(quick | {"explore_after": 99}))
    assert weights_of(never) == weights_of(late) == weights_of(ambiguity)


@pytest.mark.parametrize("training", ["static", "explore"])
@pytest.mark.parametrize("learner", ["perceptron", "pa"])
def test_a_run_resumed_after_any_epoch_gives_the_same_bytes(
    training: str, learner: str, quick: dict[str, Any], tmp_path: Path
) -> None:
    settings = Settings(training=training, learner=learner, **quick)
    whole = Trainer(treebank(40, 1), treebank(20, 9), settings)
    checkpoint = tmp_path / "run"
    for epoch in whole.epochs():
        whole.save_checkpoint(checkpoint.with_suffix(f".{epoch.number}"))
    expected = model_bytes(whole.parser(), tmp_path / "whole")
    for number in range(1, settings.epochs + 1):
        resumed = Trainer(treebank(40, 1), treebank(20, 9), settings)
        resumed.resume(checkpoint.with_suffix(f".{number}"))
        assert [epoch.number for epoch in resumed.epochs()] == list(range(number + 1, 4))
        assert model_bytes(resumed.parser(), tmp_path / "resumed") == expected


def test_a_run_goes_on_only_with_its_own_data_and_settings(
    quick: dict[str, Any], tmp_path: Path
) -> None:
    trainer = Trainer(treebank(30, 1), treebank(20, 9), Settings(**quick))
    next(trainer.epochs())
    checkpoint = tmp_path / "run"
    trainer.save_checkpoint(checkpoint)
    more = Trainer(treebank(30, 1), treebank(20, 9), Settings(**(quick | {"epochs": 5})))
    more.resume(checkpoint)
    assert len(list(more.epochs())) == 4
    for train, dev, settings, said in [
        (treebank(30, 2), treebank(20, 9), quick, "the train data are not those"),
        (treebank(30, 1), treebank(21, 9), quick, "the dev data are not those"),
        (treebank(30, 1), treebank(20, 9), quick | {"seed": 4}, "began with seed=1, not 4"),
    ]:
        other = Trainer(train, dev, Settings(**settings))
        with pytest.raises(ValueError, match=said):
            other.resume(checkpoint)
    Path(quick["features"]).write_text("s0.form\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the templates data are not those"):
        Trainer(treebank(30, 1), treebank(20, 9), Settings(**quick)).resume(checkpoint)


def test_training_stops_when_the_dev_set_has_not_gained_for_a_while(quick: dict[str, Any]) -> None:
    quick |= {"epochs": 40, "early_stop": 2}
    trainer = Trainer(treebank(40, 1), treebank(20, 9), Settings(**quick))
    scores = [epoch.las or 0 for epoch in trainer.epochs()]
    best = scores.index(max(scores))
    assert len(scores) == best + 3 < 40
    assert trainer.parser().record["best_epoch"] == best + 1
    assert trainer.parser().record["dev_las"] == max(scores)
    assert las(trainer.parser(), treebank(20, 9)) == pytest.approx(max(scores))


def test_without_a_dev_set_the_last_epoch_counts(quick: dict[str, Any]) -> None:
    parser = dodona.train(treebank(30, 1), **(quick | {"early_stop": 1}))
    assert parser.record["best_epoch"] == 3
    assert parser.record["dev_las"] is None


def test_progress_is_reported_within_and_after_epochs(quick: dict[str, Any]) -> None:
    reports: list[Progress] = []
    dodona.train(treebank(300, 1), report=reports.append, **(quick | {"epochs": 2}))
    assert [(r.epoch_number, r.n_done) for r in reports if r.epoch is None] == [
        (number, done) for number in (1, 2) for done in (256, 300)
    ]
    ends = [r.epoch for r in reports if r.epoch is not None]
    assert [type(epoch) for epoch in ends] == [Epoch, Epoch]
    assert ends[0].n_updates > ends[1].n_updates > 0


# --- crossing arcs


def n_crossing(sentences: Sequence[dodona.Sentence]) -> int:
    return sum(not is_projective([h or 0 for h in sentence.heads]) for sentence in sentences)


@pytest.mark.parametrize("training", ["static", "ambiguity", "explore"])
def test_trees_with_crossing_arcs_are_counted_and_lifted(
    training: str, quick: dict[str, Any]
) -> None:
    sentences = treebank(60, 1, 0.5)
    record = trained(sentences, training=training, **quick).record
    assert record["n_nonprojective"] == n_crossing(sentences) > 10
    assert record["n_lifted"] >= record["n_nonprojective"]
    assert record["n_sentences"] == 60


@pytest.mark.parametrize("training", ["ambiguity", "explore"])
def test_dynamic_training_learns_from_crossing_arcs_as_they_are(
    training: str, quick: dict[str, Any]
) -> None:
    sentences = treebank(60, 1, 0.5)
    parser = trained(sentences, training=training, projectivise="none", **quick)
    assert parser.record["n_nonprojective"] == n_crossing(sentences) > 10
    assert (parser.record["n_lifted"], parser.record["n_sentences"]) == (0, 60)
    assert las(parser, treebank(20, 9)) > 40


def test_static_training_leaves_crossing_arcs_out(quick: dict[str, Any]) -> None:
    quick |= {"training": "static", "projectivise": "none"}
    sentences = treebank(60, 1, 0.5)
    parser = trained(sentences, **quick)
    assert parser.record["n_nonprojective"] == n_crossing(sentences) > 10
    assert parser.record["n_sentences"] == 60 - n_crossing(sentences)
    crossing = [s for s in sentences if not is_projective([h or 0 for h in s.heads])]
    with pytest.raises(ValueError, match="every tree is non-projective; use projectivise"):
        trained(crossing, **quick)


def test_graphs_are_learned_behind_trees_with_templates_from_anywhere(
    quick: dict[str, Any], tmp_path: Path
) -> None:
    """The parsers of the folds read the file, too; the model has its name only."""
    data = [*map(enhanced, treebank(20, 1))]
    parser = dodona.train(data, graph="basic+enhanced", **(quick | {"epochs": 1}))
    assert parser.graphs is not None
    assert parser.settings.features == "small.txt"


# --- what cannot be learned from


def test_an_empty_treebank_is_refused(quick: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match="the given sentences: no sentence in it"):
        dodona.train([], **quick)
    empty = tmp_path / "empty.conllu"
    empty.write_bytes(b"")
    with pytest.raises(TreebankError, match=r"empty\.conllu: no sentence in it"):
        dodona.train(empty, **quick)


def test_dev_scores_count_what_is_annotated(quick: dict[str, Any]) -> None:
    """Words without a head are left out, and where only the label is missing, any is right."""
    dev = [
        s.replace(
            heads=[None if i % 7 == 3 else head for i, head in enumerate(s.heads)],
            deprels=["_" if i % 5 == 2 else label for i, label in enumerate(s.deprels)],
        )
        for s in treebank(20, 9)
    ]
    trainer = Trainer(treebank(40, 1), dev, Settings(**quick)).complete()
    n_words = n_attached = n_labelled = 0
    for gold, guess in zip(dev, trainer.parser().pipe(dev), strict=True):
        columns = gold.heads, gold.deprels, guess.heads, guess.deprels
        for head, label, found, found_label in zip(*columns, strict=True):
            n_words += head is not None
            n_attached += head == found
            n_labelled += head == found and label in ("_", found_label)
    best = trainer.best_epoch
    assert best is not None
    assert (best.uas, best.las) == (100 * n_attached / n_words, 100 * n_labelled / n_words)
    assert n_words > n_attached > n_labelled


def test_there_is_no_parser_before_the_first_epoch(quick: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no epoch has been completed"):
        Trainer(treebank(3, 1), None, Settings(**quick)).parser()


def test_one_sentence_of_one_word_is_enough(quick: dict[str, Any]) -> None:
    word = dodona.Sentence.from_columns(["Speak"], heads=[0], deprels=["root"])
    parser = dodona.train([word], **quick)
    assert parser.parse(word).heads == [0]
    longer = parser.parse(dodona.Sentence.from_columns(["Oaks", "speak", "."]))
    assert sorted(head == 0 for head in longer.heads) == [False, False, True]


@pytest.mark.parametrize("training", ["static", "explore"])
@pytest.mark.parametrize("head", ["first", "middle", "last"])
def test_a_long_sentence_under_one_word_is_learned(
    training: str, head: str, quick: dict[str, Any]
) -> None:
    """5,000 words; costs that are counted anew at every step must not make it endless."""
    n = 5000
    root = {"first": 1, "middle": n // 2, "last": n}[head]
    star = dodona.Sentence.from_columns(
        [f"word{i % 50}" for i in range(n)],
        upos=["ROOT" if i == root else "WORD" for i in range(1, n + 1)],
        heads=[0 if i == root else root for i in range(1, n + 1)],
        deprels=["root" if i == root else "dep" for i in range(1, n + 1)],
    )
    settings = quick | {"epochs": 2, "tags": "gold"}
    parser = dodona.train([star], training=training, **settings)
    assert las(parser, [star]) > 90


def test_a_sentence_too_long_for_the_oracle_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    rows = [
        f"{i}\toak\t_\tX\t_\t_\t{i - 1}\t{'obj' if i > 1 else 'root'}\t_\t_" for i in range(1, 2002)
    ]
    path.write_text("1\toak\t_\tX\t_\t_\t0\troot\t_\t_\n\n" + "\n".join([*rows, "", ""]))
    with pytest.raises(ValueError, match=r"long\.conllu:3: arc-standard learns .* one has 2,001"):
        dodona.train(path, system="arc-standard", epochs=1)
