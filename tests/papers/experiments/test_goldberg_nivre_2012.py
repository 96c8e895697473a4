"""The experiment of Goldberg & Nivre (2012): complete reports, also after an interruption."""

import json
import re
import shutil

import pytest

from dodona_papers.experiments import goldberg_nivre_2012 as paper
from dodona_papers.experiments.goldberg_nivre_2012 import PAPER
from dodona_papers.reporting.summary import Summary
from dodona_papers.running.grid import load_results
from dodona_papers.running.runs import Job, Result

RUNS = f"{PAPER.name}.runs.jsonl"


def results_in(path):
    return load_results(path, Result.from_record)


@pytest.fixture(scope="module")
def finished(two_treebanks, tmp_path_factory):
    """A report over both treebanks and two seeds; tests work on copies of its folder."""
    out = tmp_path_factory.mktemp("out")
    PAPER.run(two_treebanks, seeds=2, out=out, epochs=3)
    return out


@pytest.fixture
def again(two_treebanks, finished, tmp_path):
    """A function that runs the finished experiment again in a copy of its folder."""
    out = shutil.copytree(finished, tmp_path / "out")

    def run_again(**options):
        PAPER.run(two_treebanks, seeds=2, out=out, epochs=3, **options)
        return out

    run_again.out = out
    return run_again


def reports(folder):
    """The bytes of every file but those of single runs, which tell the time they took."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != RUNS}


def test_the_quick_run_is_one_treebank_one_seed_two_epochs(two_treebanks, tmp_path):
    PAPER.run(two_treebanks, out=tmp_path / "new" / "quick.html", quick=True)
    results = results_in(tmp_path / "new" / "quick.runs.jsonl")
    assert [result.variant for result in results] == ["static", "ambiguity", "explore"]
    assert {(r.treebank, r.seed, len(r.curve)) for r in results} == {("eu_oak", 1, 2)}
    assert (tmp_path / "new" / "quick.html").exists()


def test_without_a_report_only_tables_are_shown(two_treebanks, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    PAPER.run(two_treebanks, ["xx_elm"], quick=True)
    assert list(tmp_path.iterdir()) == []
    assert "explore - static" in capsys.readouterr().out


@pytest.mark.thorough
@pytest.mark.parametrize("suffix", ["html", "md"])
def test_the_report_holds_every_figure(finished, suffix):
    text = (finished / f"{PAPER.name}.{suffix}").read_text(encoding="utf-8")
    summary = Summary(results_in(finished / RUNS))
    assert (summary.treebanks, summary.seeds) == (["eu_oak", "xx_elm"], [1, 2])
    for variant in paper.VARIANTS:
        for metric in ("uas", "las"):
            for scored in ("words", "all"):
                assert str(summary.average(variant, metric, scored)) in text
                for name in summary.treebanks:
                    assert str(summary.score(name, variant, metric, scored)) in text
            assert all(f"{score:.2f}" in text for score in paper.TABLE_2[metric][variant])
        for name in summary.treebanks:
            assert all(f"{las:.2f}" in text for las in summary.curve(name, variant))
    sep = " | " if suffix == "md" else "</th><td>"
    for name, value in PAPER.settings.replace(epochs=3).flat().items():
        shown = f"{name}{sep}{value}" in text
        assert name in ("training", "seed") or shown is (name not in vars(PAPER.settings.network))


def test_the_page_asks_for_nothing_outside_itself(finished):
    page = (finished / f"{PAPER.name}.html").read_text(encoding="utf-8")
    assert re.findall(r"https?://[^\"\s]+", page) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<link|<img|@import|url\(", page)
    assert page.count("<svg") == 1


def test_figures_for_machines_are_those_of_the_runs(finished):
    figures = json.loads((finished / f"{PAPER.name}.json").read_text(encoding="utf-8"))
    by_run = {(r.treebank, r.variant, r.seed): r for r in results_in(finished / RUNS)}
    assert len(figures["scores"]) == 2 * 2 * 2 * 3
    for score in figures["scores"]:
        for seed, value in zip(figures["seeds"], score["by_seed"], strict=True):
            result = by_run[score["treebank"], score["variant"], seed]
            counts = result.test["all" if score["punctuation"] else "words"]
            assert value == counts.score(score["metric"])


def test_a_second_call_trains_nothing_and_writes_the_same_bytes(again, finished, monkeypatch):
    monkeypatch.setattr(Job, "run", lambda job: pytest.fail(f"trained again: {job}"))
    assert reports(again()) == reports(finished)


def test_an_interrupted_run_goes_on_where_it_was(again, finished, monkeypatch):
    path = again.out / RUNS
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 100])  # killed while it wrote the last result
    trained, run = [], Job.run
    monkeypatch.setattr(Job, "run", lambda job: (trained.append(job), run(job))[1])
    assert reports(again()) == reports(finished)
    assert [(j.treebank.name, j.variant, j.settings.seed) for j in trained] == [
        ("xx_elm", "explore", 2)
    ]
    assert len(results_in(path)) == 2 * 3 * 2


def test_the_report_compares_gains_on_the_papers_languages(finished):
    text = (finished / f"{PAPER.name}.md").read_text(encoding="utf-8")
    assert "has too, eu_oak, it is " in text
    assert f" here and {paper.gain('BAS'):+.2f} there" in text
    assert "| eu_oak (BAS) | xx_elm | average |" in text


def test_two_processes_find_what_one_does(again, finished):
    (again.out / RUNS).unlink()
    assert reports(again(jobs=2)) == reports(finished)


def test_table_2_is_the_papers():
    """Section 5 in words: 1.5 LAS on average, no gain in LAS for Hungarian and Turkish."""
    assert round(paper.gain(*paper.LANGUAGES), 1) == 1.5
    gains = {language: paper.gain(language) for language in paper.LANGUAGES}
    assert sorted(gains, key=gains.__getitem__)[:2] == ["TUR", "HUN"]
    assert 2.5 < max(gains.values()) < 3
    uas = paper.TABLE_2["uas"]
    falls = [
        language
        for language, static, explore in zip(
            paper.LANGUAGES, uas["static"], uas["explore"], strict=True
        )
        if explore < static
    ]
    assert falls == ["HUN", "TUR"]
