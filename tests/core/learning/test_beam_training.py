"""Training of beams: the weights of a slow twin; settings, models and checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.core.learning.beam_training import BeamTrainer
from dodona.core.weights.linear import Weights
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from support.beam_lab import SYSTEMS, UPDATES, Learner, cells, lab, parser
from support.small import TEMPLATES, train, treebank


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("oracle", "restart"),
    [
        ("static", "none"),
        ("static", "good"),
        ("dynamic", "none"),
        ("dynamic", "good"),
        ("dynamic", "bad"),
    ],
)
@UPDATES
@SYSTEMS
def test_training_moves_the_weights_that_the_slow_twin_moves(
    name: str, root: str, update: str, oracle: str, restart: str
) -> None:
    n_learned = 0
    for seed in range(3):
        one = lab(name, root, seed, n=5)
        weights = Weights(one.actions.n_classes)
        trainer = BeamTrainer(
            *(one.corpus, one.features, one.actions, weights),
            width=3,
            update=update,
            oracle=oracle,
            restart=restart,
            explore_rate=1,
        )
        learner = Learner(one, 3, update, oracle, restart)
        for _ in range(4):
            trainer.train([0], True)
            learner.learn()
            assert (trainer.n_updates, trainer.time) == (learner.n_updates, learner.time)
            moved = {cell: value for cell, value in learner.weights.items() if value}
            totals = {cell: value for cell, value in learner.totals.items() if value}
            assert cells(weights) == (moved, totals)
        n_learned += learner.n_updates
    assert n_learned > 3


@pytest.mark.thorough
@UPDATES
@SYSTEMS
def test_a_few_sentences_are_learned_until_the_beam_makes_no_error(
    name: str, root: str, update: str
) -> None:
    settings = {"beam": 4, "update": update, "epochs": 25, "features": "auto", "tags": "gold"}
    history = train(treebank(4, 2, 0), system=name, root=root, **settings).record["history"]
    n_updates = [epoch["n_updates"] for epoch in history]
    assert n_updates[0] > 1 and n_updates[-1] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("oracle", ["static", "dynamic"])
@UPDATES
@SYSTEMS
def test_what_is_learned_holds_for_sentences_never_seen(
    name: str, root: str, update: str, oracle: str
) -> None:
    """Crossing arcs among them; far better than every word on the one before it."""
    a_parser = parser(name, root, beam=4, update=update, oracle=oracle)
    unseen = treebank(40, 5)
    n_words = n_right = n_chained = 0
    for gold, guess in zip(unseen, a_parser.pipe(unseen), strict=True):
        for word, (gold_head, head) in enumerate(zip(gold.heads, guess.heads, strict=True), 1):
            n_words += 1
            n_right += head == gold_head
            n_chained += gold_head == word - 1
    assert n_right > n_chained + 0.15 * n_words


def test_the_model_remembers_its_beam_and_parsing_may_choose_another(tmp_path: Path) -> None:
    a_parser = parser("arc-eager", "first", beam=4)
    a_parser.save(tmp_path / "model")
    loaded = dodona.load(tmp_path / "model")
    sentences = treebank(60, 6)

    def trees(**options: Any) -> list[bytes]:
        return [bytes(sentence) for sentence in loaded.pipe(sentences, **options)]

    assert loaded.settings.search.beam == 4
    assert trees() == trees(beam=4) == list(map(bytes, a_parser.pipe(sentences)))
    assert trees(beam=1) != trees() != trees(beam=2)
    assert trees(threads=3) == trees(beam=4, roots="one")


@pytest.mark.parametrize("restart", ["good", "bad"])
def test_a_run_resumed_after_any_epoch_gives_the_same_bytes(restart: str, tmp_path: Path) -> None:
    path = tmp_path / "small.txt"
    path.write_text(TEMPLATES, encoding="utf-8")
    settings = Settings(features=str(path), epochs=3, beam=4, restart=restart, explore_after=1)
    data = treebank(40, 1), treebank(20, 9)
    whole = Trainer(*data, settings)
    for epoch in whole.epochs():
        whole.save_checkpoint(tmp_path / f"run.{epoch.number}")
    whole.parser().save(tmp_path / "whole")
    for number in (1, 2):
        resumed = Trainer(*data, settings)
        resumed.resume(tmp_path / f"run.{number}")
        assert [epoch.number for epoch in resumed.epochs()] == list(range(number + 1, 4))
        resumed.parser().save(tmp_path / "resumed")
        assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_every_way_to_train_a_beam_gives_another_model() -> None:
    ways = [
        {"update": update, "oracle": oracle, "restart": restart}
        for update in ("early", "max-violation")
        for oracle in ("static", "dynamic")
        for restart in ("none", "good", "bad")
        if (oracle, restart) != ("static", "bad")
    ]
    models = {
        train(treebank(60, 1), beam=3, explore_after=0, **way).scorer.weights.rows_bytes()
        for way in ways
    }
    assert len(models) == len(ways)


def test_after_an_error_training_explores_where_there_is_an_oracle_for_it() -> None:
    assert Settings(beam=8).resolved().search.restart == "bad"
    assert Settings(beam=8, oracle="static").resolved().search.restart == "none"
    assert Settings().resolved().replace(seed=2).search.restart == "auto"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"beam": 0}, "beam must be from 1 to 1000, not 0"),
        ({"beam": 1001}, "beam must be from 1 to 1000, not 1001"),
        ({"beam": 2, "training": "static"}, "training='static' is for greedy training"),
        ({"beam": 2, "learner": "pa"}, "learner='pa' is for greedy training, but beam=2"),
        ({"update": "full"}, "update='full' is for a beam, but beam=1"),
        ({"oracle": "static"}, "oracle='static' is for a beam"),
        ({"restart": "none"}, "restart='none' is for a beam"),
        (
            {"beam": 2, "update": "late"},
            "update must be one of early, max-violation, full, not 'late'",
        ),
        (
            {"beam": 2, "oracle": "static", "restart": "bad"},
            "restart='bad' requires oracle='dynamic'",
        ),
    ],
)
def test_settings_that_would_be_ignored_or_make_no_sense_are_refused(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Settings(**settings)
