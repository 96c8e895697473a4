"""The experiment of Tokgöz & Eryiğit (2015): its folds, its tables, and that it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.experiments.papers.tokgoz_eryigit_2015 import (
    PAPER,
    SETTINGS,
    build_report,
    run,
    variants,
)
from dodona.experiments.running import folds
from dodona.experiments.running.data import TreebankFolder
from dodona.experiments.running.folds import Fold, Task, cross_validate, significance, total
from support.small import enhanced, treebank


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "oaks"
    folder.mkdir(parents=True)
    for seed, part in enumerate(("train", "dev", "test"), 1):
        with dodona.Writer(folder / f"{part}.conllu") as writer:
            for sentence in treebank(40, seed):
                writer.write(enhanced(sentence))
    return folder.parent


def test_a_quick_run_writes_its_report(data: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    run(data, out=page, quick=True)
    text = page.with_suffix(".md").read_text(encoding="utf-8")
    for line in ("| Static-Standard | 79.42 | 77.56 | 78.50 |", "1 of 10 folds", "Dynamic-Eager"):
        assert line in text
    counts = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert len(counts["folds"]) == len(PAPER)
    assert all(fold["counts"]["labelled"][0] > 0 for fold in counts["folds"])
    kept = page.with_suffix(".runs.jsonl").read_text(encoding="utf-8")
    assert kept.count("\n") == len(PAPER)


def test_what_was_run_is_not_run_again(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.jsonl"
    task = Task(TreebankFolder("oaks", data / "oaks"), "a", SETTINGS, 0, 10)
    fold = Fold(task.key(), "oaks", "a", 0, {}, {}, 1.0)
    path.write_text(json.dumps(fold.__dict__) + "\n" + '{"key": "half', encoding="utf-8")
    monkeypatch.setattr(folds, "run_fold", lambda _: pytest.fail("it was run again"))
    assert cross_validate([task], path) == [fold]


def make(variant: str, found: str, n_built: int = 4) -> Fold:
    counts = [len(found), n_built, found.count("1")]
    both = {"labelled": counts, "unlabelled": counts}
    return Fold("", "oaks", variant, 0, both, {"labelled": found, "unlabelled": found}, 1.0)


def test_arcs_of_folds_are_summed_and_compared() -> None:
    one, other = [make("a", "1110"), make("a", "11")], [make("b", "0100"), make("b", "10")]
    assert total(one, "labelled").recall == pytest.approx(100 * 5 / 6)
    assert total(one, "labelled").precision == pytest.approx(100 * 5 / 8)
    # three arcs only in one, none only in the other: exact, two-sided
    assert significance(one, other, "labelled") == pytest.approx(0.25)


def test_the_report_says_which_system_is_better() -> None:
    found = [make(variant, "1100") for variant in ("static-standard", "static-eager")]
    report = build_report([*found, make("dynamic-eager", "1110")], SETTINGS)
    assert "on oaks by +25.00 unlabelled" in report.to_markdown("x")


def test_variants_differ_in_system_and_oracle_alone() -> None:
    chosen = {(s.system, s.training) for s in variants(SETTINGS).values()}
    assert chosen == {
        ("graph-standard", "static"),
        ("graph-eager", "static"),
        ("graph-eager", "explore"),
    }


def test_there_are_ten_folds(data: Path) -> None:
    with pytest.raises(ValueError, match="folds is from 1 to 10, not 11"):
        run(data, folds=11)
