"""The experiment of Tokgöz & Eryiğit (2015): its tables, and that it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.evaluation.significance import mcnemar
from dodona_papers.experiments.tokgoz_eryigit_2015 import (
    PAPER,
    SETTINGS,
    VARIANTS,
    build_report,
    variants,
)
from dodona_papers.running.folds import Fold, FoldJob, significance
from support.small import enhanced, treebank
from support.split_treebanks import write_split


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
    PAPER.run(data, out=page, quick=True)
    text = page.with_suffix(".md").read_text(encoding="utf-8")
    for line in ("| Static-Standard | 79.42 | 77.56 | 78.50 |", "1 of 10 folds", "Dynamic-Eager"):
        assert line in text
    counts = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert len(counts["folds"]) == len(VARIANTS)
    assert all(fold["counts"]["labelled"][0] > 0 for fold in counts["folds"])
    kept = page.with_suffix(".runs.jsonl").read_text(encoding="utf-8")
    assert kept.count("\n") == len(VARIANTS)


def test_what_was_run_is_not_run_again(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    PAPER.run(data, out=tmp_path, quick=True)
    before = {path.name: path.read_bytes() for path in tmp_path.glob(f"{PAPER.name}*")}
    monkeypatch.setattr(FoldJob, "run", lambda job: pytest.fail(f"run again: {job}"))
    PAPER.run(data, out=tmp_path, quick=True)
    assert {path.name: path.read_bytes() for path in tmp_path.glob(f"{PAPER.name}*")} == before


def make(variant: str, found: str, seed: int = 1) -> Fold:
    counts = [len(found), 4, found.count("1")]
    both = {"labelled": counts, "unlabelled": counts}
    return Fold(
        "", "oaks", variant, 0, both, {"labelled": found, "unlabelled": found}, 1.0, seed=seed
    )


def test_the_report_says_which_system_is_better() -> None:
    found = [make(variant, "1100") for variant in ("static-standard", "static-eager")]
    report = build_report([*found, make("dynamic-eager", "1110")], SETTINGS, [1])
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
        PAPER.run(data, folds=11)


def test_scores_of_several_seeds_have_a_deviation_and_the_test_is_of_their_mean() -> None:
    found = [
        make(variant, marks * 20, seed)
        for seed, marks in ((1, "1000"), (2, "1100"))
        for variant in ("static-standard", "static-eager")
    ]
    best = [make("dynamic-eager", "1110" * 20, seed) for seed in (1, 2)]
    text = build_report([*found, *best], SETTINGS, [1, 2]).to_markdown("x")
    assert "seeds: 2, mean and standard deviation" in text
    assert "±" in text
    assert significance(best, found[::2], "labelled") == mcnemar(30, 0)[0]


def test_treebanks_without_graphs_are_left_out(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_split(data, ["elms"], {"train": 10, "dev": 5, "test": 5})
    PAPER.run(data, ["elms", "oaks"], out=tmp_path, epochs=1, folds=1)
    assert "(the column DEPS) in elms: left out\n" in capsys.readouterr().err
    text = (tmp_path / f"{PAPER.name}.md").read_text(encoding="utf-8")
    assert "Enhanced graphs of oaks" in text
    assert "Enhanced graphs of elms" not in text
    with pytest.raises(ValueError, match=r"no enhanced dependencies .* in elms"):
        PAPER.run(data, ["elms"])
