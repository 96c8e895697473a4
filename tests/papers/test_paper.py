"""What papers tell of themselves, and how their comparisons are called."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from dodona.settings import Settings
from dodona_papers import experiments
from dodona_papers.paper import Option, Paper
from dodona_papers.registry import PAPERS
from dodona_papers.reporting.study import Study

CALLS: list[tuple[Study, dict[str, Any]]] = []
NOBODY = Paper(
    "nobody-2099",
    Settings(epochs=7, beam=4),
    lambda study, leaves, trees: CALLS.append((study, {"leaves": leaves, "trees": trees})),
    free=("epochs", "beam"),
    own={
        "leaves": Option("how many", 10, quick=1),
        "trees": Option("which", ("oak", "elm")),
    },
)


def call(data: Path, *args: Any, **options: Any) -> tuple[Study, dict[str, Any]]:
    CALLS.clear()
    NOBODY.run(data, *args, **options)
    (found,) = CALLS
    return found


def test_every_module_of_papers_is_a_paper() -> None:
    (folder,) = map(Path, experiments.__path__)
    modules = [path.stem for path in folder.iterdir() if not path.stem.startswith("_")]
    assert sorted(modules) == [name.replace("-", "_") for name in PAPERS]


@pytest.mark.parametrize("name", PAPERS)
def test_a_comparison_takes_a_study_and_its_papers_own_options(name: str) -> None:
    paper = PAPERS[name]
    assert list(inspect.signature(paper.compare).parameters) == ["study", *paper.own]
    assert "epochs" in paper.options


def test_without_options_all_is_as_the_paper_says(two_treebanks: Path) -> None:
    study, own = call(two_treebanks)
    assert [treebank.name for treebank in study.treebanks] == ["eu_oak", "xx_elm"]
    assert (study.settings, study.seeds, study.page) == (NOBODY.settings, [1], None)
    assert own == {"leaves": 10, "trees": ("oak", "elm")}


def test_options_reach_the_comparison(two_treebanks: Path, tmp_path: Path) -> None:
    chosen = {"epochs": 3, "beam": 2, "leaves": 4, "trees": ["elm"]}
    study, own = call(two_treebanks, ["xx_elm"], 2, tmp_path / "new", jobs=3, **chosen)
    assert study.settings == Settings(epochs=3, beam=2)
    assert own == {"leaves": 4, "trees": ["elm"]}
    assert (study.seeds, study.n_processes) == ([1, 2], 3)
    assert study.page == tmp_path / "new" / "nobody-2099.html"
    assert study.page.parent.is_dir()
    page = tmp_path / "other.html"
    assert call(two_treebanks, out=page)[0].page == page


def test_a_quick_run_is_small_where_nothing_else_is_chosen(two_treebanks: Path) -> None:
    study, own = call(two_treebanks, quick=True)
    assert [treebank.name for treebank in study.treebanks] == ["eu_oak"]
    assert study.settings == Settings(epochs=2, beam=4, explore_after=1)
    assert own == {"leaves": 1, "trees": ("oak", "elm")}
    names = ["xx_elm", "eu_oak"]
    study, own = call(two_treebanks, names, 2, quick=True, epochs=5, leaves=3)
    assert [treebank.name for treebank in study.treebanks] == names
    assert (study.settings.epochs, study.seeds, own["leaves"]) == (5, [1, 2], 3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seeds": 0}, ValueError, "at least one seed is needed, not 0"),
        ({"beam": 0}, ValueError, "beam must be from 1 to"),
        ({"trees": ["oak", "ash"]}, ValueError, "trees: there is no 'ash'; there are oak, elm"),
        ({"trees": []}, ValueError, "trees: choose at least one of oak, elm"),
        ({"root": "first"}, TypeError, "unexpected keyword argument 'root'"),
    ],
)
def test_a_wrong_option_is_refused(
    two_treebanks: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        NOBODY.run(two_treebanks, **options)


def test_a_study_knows_how_it_was_called_and_what_its_author_says(
    two_treebanks: Path,
) -> None:
    chosen = {"epochs": 3, "trees": ["elm", "oak"]}
    study, _ = call(two_treebanks, ["xx_elm"], 2, quick=True, note="Oaks answer.", **chosen)
    assert study.note == "Oaks answer."
    assert study.command == (
        "dodona experiment nobody-2099 --data DIR --quick --treebanks xx_elm --seeds 2 --epochs 3 "
        "--trees elm,oak -o report.html"
    )
    assert call(two_treebanks)[0].note == ""
