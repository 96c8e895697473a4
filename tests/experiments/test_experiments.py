"""Papers' experiments: complete reports, runs that go on after an interruption, clear errors."""

import doctest
import importlib
import json
import pkgutil
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import dodona
import dodona.experiments
from dodona.experiments.papers import goldberg_nivre_2012 as paper
from dodona.experiments.registry import EXPERIMENTS
from dodona.experiments.reporting.plot import Panel, line_plots, ticks
from dodona.experiments.reporting.summary import Summary
from dodona.experiments.reporting.tables import Table
from dodona.experiments.running import grid as grid_module
from dodona.experiments.running.data import find_treebanks
from dodona.experiments.running.grid import grid, load_results, run_grid
from dodona.experiments.running.runs import Job, Result, count, run
from dodona.settings import Settings
from dodona.synthetic.generator import write_treebank
from dodona.treebank.conllu.errors import TreebankError

MODULES = [
    f"dodona.experiments.{m.name}" for m in pkgutil.iter_modules(dodona.experiments.__path__)
]
SCRIPT = Path(__file__).parents[1] / "experiments" / "goldberg_nivre_2012.py"
SMALL = replace(paper.PAPER_SETTINGS, epochs=3)
RUNS = f"{paper.NAME}.runs.jsonl"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two treebanks: one of a language of the paper, one of none."""
    folder = tmp_path_factory.mktemp("data")
    for i, name in enumerate(["eu_oak", "xx_elm"]):
        (folder / name).mkdir()
        for j, (part, size) in enumerate({"train": 40, "dev": 15, "test": 25}.items()):
            write_treebank(folder / name / f"{part}.conllu", size, seed=10 * i + j)
    return folder


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    """A report over both treebanks and two seeds; tests work on copies of its folder."""
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "PAPER_SETTINGS", SMALL)
        paper.run(data, seeds=2, out=out)
    return out


@pytest.fixture
def again(data, finished, tmp_path, monkeypatch):
    """A function that runs the finished experiment again in a copy of its folder."""
    monkeypatch.setattr(paper, "PAPER_SETTINGS", SMALL)
    out = shutil.copytree(finished, tmp_path / "out")

    def run_again(**options):
        paper.run(data, seeds=2, out=out, **options)
        return out

    run_again.out = out
    return run_again


def reports(folder):
    """The bytes of every file but those of single runs, which tell the time they took."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != RUNS}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_quick_run_is_one_treebank_one_seed_two_epochs(data, tmp_path):
    EXPERIMENTS["goldberg-nivre-2012"](data, None, 3, tmp_path / "new" / "quick.html", True)
    results = load_results(tmp_path / "new" / "quick.runs.jsonl")
    assert [result.variant for result in results] == ["static", "ambiguity", "explore"]
    assert {(r.treebank, r.seed, len(r.curve)) for r in results} == {("eu_oak", 1, 2)}
    assert (tmp_path / "new" / "quick.html").exists()


def test_without_a_report_only_tables_are_shown(data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    paper.run(data, ["xx_elm"], quick=True)
    assert list(tmp_path.iterdir()) == []
    assert "explore - static" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_the_report_holds_every_figure(finished, suffix):
    text = (finished / f"{paper.NAME}.{suffix}").read_text(encoding="utf-8")
    summary = Summary(load_results(finished / RUNS))
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
    for name, value in asdict(SMALL).items():
        assert name in ("training", "seed") or f"{name}{sep}{value}" in text


def test_the_page_asks_for_nothing_outside_itself(finished):
    page = (finished / f"{paper.NAME}.html").read_text(encoding="utf-8")
    assert re.findall(r"https?://[^\"\s]+", page) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<link|<img|@import|url\(", page)
    assert page.count("<svg") == 1


def test_figures_for_machines_are_those_of_the_runs(finished):
    figures = json.loads((finished / f"{paper.NAME}.json").read_text(encoding="utf-8"))
    by_run = {(r.treebank, r.variant, r.seed): r for r in load_results(finished / RUNS)}
    assert len(figures["scores"]) == 2 * 2 * 2 * 3
    for score in figures["scores"]:
        for seed, value in zip(figures["seeds"], score["by_seed"], strict=True):
            result = by_run[score["treebank"], score["variant"], seed]
            counts = result.test["all" if score["punctuation"] else "words"]
            assert value == getattr(counts, score["metric"])


def test_a_second_call_trains_nothing_and_writes_the_same_bytes(again, finished, monkeypatch):
    monkeypatch.setattr(grid_module, "run", lambda job: pytest.fail(f"trained again: {job}"))
    assert reports(again()) == reports(finished)


def test_an_interrupted_run_goes_on_where_it_was(again, finished, monkeypatch):
    path = again.out / RUNS
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 100])  # killed while it wrote the last result
    trained = []
    monkeypatch.setattr(grid_module, "run", lambda job: (trained.append(job), run(job))[1])
    assert reports(again()) == reports(finished)
    assert [(j.treebank.name, j.variant, j.settings.seed) for j in trained] == [
        ("xx_elm", "explore", 2)
    ]
    assert len(load_results(path)) == 2 * 3 * 2


def test_an_error_keeps_the_results_before_it(again, monkeypatch):
    (again.out / RUNS).unlink()

    def run_static_only(job):
        if job.variant != "static":
            raise MemoryError("too large")
        return run(job)

    monkeypatch.setattr(grid_module, "run", run_static_only)
    with pytest.raises(MemoryError):
        again()
    assert [result.variant for result in load_results(again.out / RUNS)] == ["static"]


def test_the_report_compares_gains_on_the_papers_languages(finished):
    text = (finished / f"{paper.NAME}.md").read_text(encoding="utf-8")
    assert "has too, eu_oak, it is " in text
    assert f" here and {paper.gain('BAS'):+.2f} there" in text
    assert "| eu_oak (BAS) | xx_elm | average |" in text


def test_two_processes_find_what_one_does(again, finished):
    (again.out / RUNS).unlink()
    assert reports(again(jobs=2)) == reports(finished)


def test_a_spoilt_file_of_results_is_told_with_its_line(again):
    path = again.out / RUNS
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:2], "{}\n", *lines[3:]]), encoding="utf-8")
    with pytest.raises(TreebankError, match=re.escape(f"{path}:3: no result of a run: 'test'")):
        again()


def test_a_result_is_used_again_only_for_the_same_settings_and_data(data, tmp_path):
    treebank = find_treebanks(data)[0]
    job = Job(treebank, "static", Settings())
    copy = shutil.copytree(treebank.folder, tmp_path / treebank.name)
    (moved,) = find_treebanks(tmp_path)
    assert Job(moved, "static", Settings()).key() == job.key()
    assert Job(treebank, "static", Settings(root="last")).key() != job.key()
    assert Job(treebank, "explore", Settings()).key() != job.key()
    shutil.copytree(copy, tmp_path / "more" / treebank.name)
    with (tmp_path / "more" / treebank.name / "dev.conllu").open("a") as file:
        file.write("# one comment more\n")
    (changed,) = find_treebanks(tmp_path / "more")
    assert Job(changed, "static", Settings()).key() != job.key()


def test_the_dev_set_decides_nothing(data, tmp_path):
    """The last epoch is scored, whatever the dev set would choose."""
    settings = Settings(epochs=4)
    first = run(Job(find_treebanks(data)[0], "x", settings))
    folder = shutil.copytree(data / "eu_oak", tmp_path / "eu_oak")
    write_treebank(folder / "dev.conllu", 5, seed=99)
    second = run(Job(find_treebanks(tmp_path)[0], "x", settings))
    assert first.curve != second.curve
    assert first.test == second.test
    parser = dodona.train(data / "eu_oak" / "train.conllu", epochs=4)
    gold = list(dodona.read(data / "eu_oak" / "test.conllu"))
    assert first.test["all"].las == dodona.evaluate(gold, list(parser.pipe(gold))).las


@pytest.mark.parametrize("punctuation", [True, False])
def test_counts_agree_with_evaluate(data, punctuation):
    gold = list(dodona.read(data / "eu_oak" / "test.conllu"))
    parser = dodona.train(data / "eu_oak" / "train.conllu", epochs=1)
    parsed = list(parser.pipe(gold))
    scores = dodona.evaluate(gold, parsed, punctuation=punctuation)
    counts = count(gold, parsed, punctuation=punctuation)
    assert (counts.uas, counts.las) == (scores.uas, scores.las)
    assert sum(counts.n_words) == scores.n_words
    assert scores.uas > scores.las


def test_the_difference_of_one_seed_is_the_paired_bootstrap(data, tmp_path):
    treebank = find_treebanks(data)[0]
    variants = {name: Settings(epochs=2, training=name) for name in ("static", "explore")}
    summary = Summary(run_grid(grid([treebank], variants, 1), tmp_path / "runs.jsonl"))
    gold = list(dodona.read(treebank.part("test")))
    a, b = (
        list(dodona.train(treebank.part("train"), epochs=2, training=name).pipe(gold))
        for name in ("explore", "static")
    )
    expected = dodona.compare(gold, a, b, test="bootstrap", punctuation=False)
    found = summary.difference("eu_oak", "explore", "static", "las", "words")
    assert found.score.mean == pytest.approx(expected.difference)
    assert (found.interval, found.p) == (expected.interval, expected.p)


def test_a_result_survives_json(data):
    result = run(Job(find_treebanks(data)[1], "static", Settings(epochs=1)))
    assert Result.from_json(result.to_json()) == result


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


@pytest.mark.parametrize(
    ("spoil", "names", "message"),
    [
        (lambda folder: shutil.rmtree(folder), None, "{}: there is no such folder"),
        (lambda folder: shutil.rmtree(folder / "a"), None, "{}: no treebank in it; expected"),
        (lambda folder: None, ["b"], "{}: no treebank 'b' in it; there are a"),
        (lambda folder: (folder / "a/dev.conllu").unlink(), None, "{}/a: dev.conllu missing;"),
        (
            lambda folder: (
                (folder / "a/dev.conllu").rename(folder / "dev.conllu")
                and shutil.rmtree(folder / "a")
            ),
            None,
            "{}: this is one treebank; give the folder above it",
        ),
    ],
)
def test_a_wrong_folder_is_told(tmp_path, spoil, names, message):
    folder = tmp_path / "data"
    (folder / "a").mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (folder / "a" / f"{part}.conllu").touch()
    spoil(folder)
    with pytest.raises(TreebankError) as caught:
        find_treebanks(folder, names)
    assert str(caught.value).replace("\\", "/").startswith(message.format(folder.as_posix()))


def test_treebanks_come_in_the_order_asked_for_and_once(data):
    names = [treebank.name for treebank in find_treebanks(data, ["xx_elm", "eu_oak", "xx_elm"])]
    assert names == ["xx_elm", "eu_oak"]


@pytest.mark.parametrize("options", [{"seeds": 0}, {"jobs": 0}, {"root": "middle"}])
def test_a_wrong_option_is_told(data, tmp_path, options):
    with pytest.raises(ValueError, match=r"at least one|root is one of"):
        paper.run(data, out=tmp_path, **options)


def test_the_script_runs_and_tells_errors_in_one_line(data, tmp_path):
    def script(folder):
        command = [sys.executable, SCRIPT, "--data", folder, "--quick", "--out", tmp_path]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")

    done = script(data)
    assert done.returncode == 0
    assert "explore - static" in done.stdout
    assert done.stderr.splitlines()[-1].startswith("3/3 eu_oak explore seed 1: UAS ")
    failed = script(tmp_path / "nowhere")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == f"{tmp_path / 'nowhere'}: there is no such folder\n"


def test_a_plot_is_xml_with_a_point_for_each_value():
    lines = {"a < b": [70.5, 80.25], "c & d": [60, 65, 66]}
    svg = ElementTree.fromstring(
        line_plots([Panel("<one>", lines), Panel("two", {"a < b": [1.0]})], title="T", x_label="t")
    )
    told = [title.text for title in svg.iterfind(".//{*}circle/{*}title")]
    assert told == [
        *("a < b, t 1: 70.50", "a < b, t 2: 80.25"),
        *("c & d, t 1: 60.00", "c & d, t 2: 65.00", "c & d, t 3: 66.00"),
        "a < b, t 1: 1.00",
    ]
    width, height = map(float, svg.attrib["viewBox"].split()[2:])
    for circle in svg.iterfind(".//{*}circle"):
        assert 0 < float(circle.attrib["cx"]) < width / 2
        assert 0 < float(circle.attrib["cy"]) < height


@given(st.floats(0, 100), st.floats(0, 100), st.integers(2, 8))
def test_ticks_enclose_the_values_at_even_steps(x, y, n_most):
    low, high = sorted((x, y))
    found = ticks(low, high, n_most)
    assert 2 <= len(found) <= n_most
    assert found[0] <= low + 1e-6
    assert found[-1] >= high - 1e-6
    steps = [b - a for a, b in pairwise(found)]
    assert steps == pytest.approx([steps[0]] * len(steps))


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_a_terminal_shows_every_cell_of_a_table_whatever_its_width(width):
    names = [f"treebank{i}" for i in range(7)]
    values = [f"{80 + i}.25±0.5{i}" for i in range(7)]
    table = Table("Scores", ["", *names], [["Labeled"], ["Static", *values]], "A note.")
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        table.print(console)
    shown = capture.get()
    assert [cell for cell in names + values if cell not in shown] == []
    assert max(map(len, shown.splitlines())) <= max(width, 20)
