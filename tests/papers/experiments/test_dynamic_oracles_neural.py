"""Dynamic oracles under a network, compared on an invented treebank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

from dodona_papers.experiments.dynamic_oracles_neural import PAPER, TRAININGS, name
from dodona_papers.running.grid import load_results
from dodona_papers.running.runs import Result
from support.split_treebanks import write_split

pytestmark = pytest.mark.thorough
CHOSEN = ["arc-eager", "nonmonotonic"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report with a network as small as can be."""
    sizes = {"train": 40, "dev": 10, "test": 20}
    data = write_split(tmp_path_factory.mktemp("data"), ["xx_oak"], sizes)
    out = tmp_path_factory.mktemp("out")
    tiny = {"width": 32, "layers": 1, "hidden": 16}
    PAPER.run(data, out=out, quick=True, systems=CHOSEN, **tiny)
    return out


def test_every_system_is_trained_in_every_way(finished: Path) -> None:
    results = load_results(finished / f"{PAPER.name}.runs.jsonl", Result.from_record)
    expected = [name(system, training) for system in CHOSEN for training in TRAININGS]
    assert [result.variant for result in results] == expected
    for result in results:
        assert result.variant == name(result.settings["system"], result.settings["training"])
        assert result.settings["scorer"] == "neural"
        assert len(result.curve) == len(result.n_updates) == 2  # lemmas are not counted


def test_the_report_says_what_exploring_and_repairs_bring(finished: Path) -> None:
    page = (finished / f"{PAPER.name}.md").read_text(encoding="utf-8")
    for system in CHOSEN:
        assert f"{system}: exploring changes LAS by" in page
    assert "nonmonotonic against arc-eager, both exploring: UAS" in page
    found = json.loads((finished / f"{PAPER.name}.json").read_text(encoding="utf-8"))
    assert list(found["systems"]) == CHOSEN
