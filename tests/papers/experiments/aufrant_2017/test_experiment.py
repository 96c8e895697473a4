"""The experiment of Aufrant, Wisniewski & Yvon (2017) on invented treebanks."""

import json
from statistics import fmean
from xml.etree import ElementTree

import pytest

import dodona
from dodona_papers.experiments.aufrant_2017 import experiment as paper
from dodona_papers.experiments.aufrant_2017 import report as pages
from dodona_papers.experiments.aufrant_2017.experiment import PAPER
from dodona_papers.reporting.summary import Summary
from dodona_papers.running.grid import load_results
from dodona_papers.running.runs import Job, Result
from support.split_treebanks import write_split

RUNS = f"{PAPER.name}.runs.jsonl"
BEAMS = [name for name in pages.TITLES if not name.startswith("greedy")]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two treebanks: one of a language of the paper, one of none."""
    sizes = {"train": 30, "dev": 10, "test": 15}
    return write_split(tmp_path_factory.mktemp("data"), ["fr_oak", "xx_elm"], sizes)


@pytest.fixture(scope="module")
def out(data, tmp_path_factory):
    """A report over both treebanks and two seeds."""
    folder = tmp_path_factory.mktemp("out")
    PAPER.run(data, seeds=2, out=folder, epochs=2, beam=3)
    return folder


@pytest.fixture(scope="module")
def summary(out):
    return Summary(load_results(out / RUNS, Result.from_record))


@pytest.mark.thorough
def test_the_grid_is_every_way_to_train_and_both_ways_to_go_on(summary):
    assert summary.variants == list(pages.TITLES)
    assert (summary.treebanks, summary.seeds) == (["fr_oak", "xx_elm"], [1, 2])


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_the_report_holds_every_figure(out, summary, suffix):
    text = (out / f"{PAPER.name}.{suffix}").read_text(encoding="utf-8")
    for variant in pages.TITLES:
        assert str(summary.average(variant, "uas", "words")) in text
        for name in summary.treebanks:
            assert str(summary.score(name, variant, "uas", "words")) in text
            measured = summary.measures(name, variant)
            assert all(f"{score:.1f}" in text for score in pages.quarter_scores(measured))
            for direction in ("training from parsing", "parsing from training"):
                mean = fmean(run["divergence"][direction] for run in measured)
                assert f"{mean:.3f}" in text
    for scores in pages.TABLE_1.values():
        assert all(f"{score:.2f}" in text for score in scores)
    for variant in ("early", "imp-early", "maxv", "imp-maxv"):
        for name in summary.treebanks:
            assert all(f"{uas:.2f}" in text for uas in summary.curve(name, variant, "uas"))


def test_figure_1_is_drawn_by_epoch_by_updates_and_by_processor_time(out, summary):
    for name, unit in {"": None, "-n-updates": "n_updates", "-cpu-seconds": "cpu_seconds"}.items():
        svg = ElementTree.parse(out / f"{PAPER.name}-curves{name}.svg").getroot()
        told = [title.text for title in svg.iterfind(".//{*}circle/{*}title")]
        assert len(told) == 2 * 4 * 2
        if unit == "n_updates":
            places = summary.effort("fr_oak", "early", unit)
            assert places[1] > places[0] > 0
            first, last = (f"{x:.0f}" if x == int(x) else f"{x:.2f}" for x in places)
            assert told[0].startswith(f"EARLY, updates {first}: ")
            assert told[1].startswith(f"EARLY, updates {last}: ")


def test_figures_for_machines_are_those_of_the_runs(out, summary):
    figures = json.loads((out / f"{PAPER.name}.json").read_text(encoding="utf-8"))
    pairs = {(test["a"], test["b"]) for test in figures["differences"]}
    assert pairs == set(pages.COMPARISONS)
    for name in summary.treebanks:
        for variant in summary.variants:
            assert figures["measured"][name][variant] == summary.measures(name, variant)
            curves = figures["dev_uas"][name][variant]
            assert curves["uas"] == summary.curve(name, variant, "uas")
            assert curves["n_updates"] == summary.effort(name, variant, "n_updates")
    assert figures["paper"]["gains"]["early - greedy"] == pytest.approx(1.19, abs=0.005)


def test_improved_training_considers_whole_sentences(summary):
    for name in summary.treebanks:
        for variant in BEAMS:
            for run in summary.measures(name, variant):
                whole = run["n_finished"] == run["n_sentences"] == 30
                assert whole == variant.startswith("imp") == (run["considered"] == 1)


def test_a_second_call_trains_nothing_and_writes_the_same_bytes(data, out, monkeypatch):
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    monkeypatch.setattr(Job, "run", lambda job: pytest.fail(f"trained again: {job}"))
    PAPER.run(data, seeds=2, out=out, epochs=2, beam=3)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_neither_labels_nor_fine_tags_are_looked_at(data):
    (sentence, *_) = dodona.read(data / "fr_oak" / "train.conllu")
    bare = paper.drop_labels_too(sentence)
    assert set(bare.deprels) == {"dep"} and set(bare.xpos) == {"_"}
    assert (bare.heads, bare.upos) == (sentence.heads, sentence.upos)
    assert paper.drop_fine_tags(sentence).deprels == sentence.deprels


def test_with_a_labelled_loss_labels_are_learned(data, tmp_path):
    PAPER.run(
        data, ["xx_elm"], seeds=1, out=tmp_path, epochs=1, beam=2, loss="labelled",
        features="zn11", restarts=["good"],
    )  # fmt: skip
    results = load_results(tmp_path / RUNS, Result.from_record)
    assert [r.variant for r in results] == [
        *("greedy-static", "greedy", "early", "imp-early-good", "maxv", "imp-maxv-good")
    ]
    for result in results:
        assert 0 < result.test["all"].score("las") < result.test["all"].score("uas")
        assert result.settings["features"] == "zn11"
    page = (tmp_path / f"{PAPER.name}.md").read_text(encoding="utf-8")
    assert "labels, and these are learned" in page and "IMP-EARLY from c+" in page


def test_table_1_is_the_papers():
    """Its own averages, and section 4 in words: 0.2 on average, up to 0.7."""
    averages = {name: round(fmean(row), 2) for name, row in pages.TABLE_1.items()}
    assert averages == {
        "greedy": 85.32, "early": 86.51, "imp-early": 86.72, "maxv": 86.54, "imp-maxv": 86.74
    }  # fmt: skip
    gains = [pages.in_paper("imp-maxv", "maxv", [code]) for code in pages.CODES]
    assert round(max(gains), 1) == 0.7 and round(fmean(gains), 1) == 0.2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beam": 1}, "a beam of at least 2"),
        ({"loss": "none"}, "loss must be one of"),
        ({"restarts": ["ugly"]}, "restarts: unknown 'ugly'; choose from bad, good"),
    ],
)
def test_a_wrong_option_is_told(data, options, said):
    with pytest.raises(ValueError, match=said):
        PAPER.run(data, **options)
