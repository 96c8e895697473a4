"""`dodona experiment`: every paper with its options, and no option that is ignored."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dodona.cli.flags import parameters
from dodona_papers.paper import Paper
from dodona_papers.registry import PAPERS
from dodona_papers.verb import experiment
from support.shell import Shell
from support.split_treebanks import write_split

SIZES = {"train": 20, "dev": 5, "test": 10}
PAGES = (Path(__file__).parents[2] / "docs").rglob("*.md")
IN_PAGES = [  # every command in the manual, the lines of one put together
    command.replace("\\\n", " ")
    for page in sorted(PAGES)
    for command in re.findall(
        r"^    dodona (experiment (?:\\\n|.)+)$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
]


@pytest.fixture(scope="session")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_split(tmp_path_factory.mktemp("treebanks"), ["xx_elm", "xx_oak"], SIZES)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Which papers were run, and with what."""
    calls: list[tuple[str, dict[str, Any]]] = []
    names = ("data", "treebanks", "seeds", "out", "quick")

    def run(paper: Paper, *args: Any, **options: Any) -> None:
        calls.append((paper.name, dict(zip(names, args, strict=True)) | options))

    monkeypatch.setattr(Paper, "run", run)
    return calls


def test_a_paper_is_called_by_its_name(
    shell: Shell,
    called: list[tuple[str, dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("DODONA_DATA", "somewhere")
    note = tmp_path / "note.md"
    note.write_text("Oaks answer.", encoding="utf-8")
    options = ["--treebanks", "a, b,a", "--seeds", 2, "--jobs", 3]
    assert shell("experiment", "nivre-2009", *options).code == 0
    options = ["--data", "d", "-o", "r.html", "--quick", "--note", note]
    assert shell("experiment", "goldberg-nivre-2012", *options).code == 0
    plain = {"treebanks": None, "seeds": 1, "out": None, "jobs": 1, "quick": False, "note": ""}
    first = {"data": Path("somewhere"), "treebanks": ["a", "b"], "seeds": 2, "jobs": 3}
    second = {"data": Path("d"), "out": Path("r.html"), "quick": True, "note": "Oaks answer."}
    assert called == [
        ("nivre-2009", {**plain, **first}),
        ("goldberg-nivre-2012", {**plain, **second}),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "aufrant-2017 --epochs 3 --beam 4 --features zn11 --loss graded --restarts good,bad",
            {
                "epochs": 3,
                "beam": 4,
                "features": "zn11",
                "loss": "graded",
                "restarts": ["good", "bad"],
            },
        ),
        ("goldberg-nivre-2012 --epochs 3 --root last", {"epochs": 3, "root": "last"}),
        ("honnibal-johnson-2015 --conditions gold", {"conditions": ["gold"]}),
        ("nivre-2009 --epochs 1", {"epochs": 1}),
        ("tokgoz-eryigit-2015 --folds 2 --epochs 4", {"folds": 2, "epochs": 4}),
    ],
)
def test_options_reach_the_paper(
    line: str, expected: dict[str, Any], shell: Shell, called: list[tuple[str, dict[str, Any]]]
) -> None:
    assert shell("experiment", *line.split(), "--data", "d").code == 0
    ((name, options),) = called
    assert name == line.split()[0]
    assert {option: options.get(option) for option in PAPERS[name].options} == dict.fromkeys(
        PAPERS[name].options
    ) | expected


@pytest.mark.parametrize("command", IN_PAGES)
def test_the_manual_names_commands_that_are_understood(
    command: str, shell: Shell, called: list[tuple[str, dict[str, Any]]]
) -> None:
    assert shell(*command.split()).code == 0
    assert len(called) == 1


def test_the_manual_has_a_command_for_every_paper() -> None:
    assert {command.split()[1] for command in IN_PAGES} == set(PAPERS)


@pytest.mark.usefixtures("called")
@pytest.mark.parametrize("name", PAPERS)
def test_an_option_of_another_paper_is_refused(name: str, shell: Shell) -> None:
    own = PAPERS[name].options
    others = {
        option: p.options[option] for p in PAPERS.values() for option in p.options.keys() - own
    }
    assert others
    for option, about in others.items():
        value = ",".join(about.default) if isinstance(about.default, tuple) else about.default
        result = shell("experiment", name, "--data", "d", f"--{option}", value)
        flags = ", ".join(f"--{one}" for one in own)
        assert result == (2, "", f"{name} has no option --{option}; it has {flags}\n")


def test_help_names_all_papers_and_whose_options_are_whose(shell: Shell) -> None:
    shown = shell("experiment", "--help").out
    flags = {parameter.name: parameter.flag for parameter in parameters(experiment)}
    assert "--conditions" in shown
    assert all(name in flags["paper"].help for name in PAPERS)
    for name, paper in PAPERS.items():
        for option in paper.options:
            assert name in flags[option].help or "(every paper)" in flags[option].help
    assert "(every paper)" in flags["epochs"].help


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nivre-2009", "--data is missing"),
        (
            "nobody-1999 --data d",
            f"unknown paper 'nobody-1999'; the papers are: {', '.join(PAPERS)}",
        ),
        ("nivre-2009 --data d --seeds 0", "--seeds must be at least 1, not 0"),
        ("nivre-2009 --data d --jobs 0", "--jobs must be at least 1, not 0"),
        ("nivre-2009 --data d --treebanks ,", "--treebanks must be names separated by commas"),
    ],
)
def test_misuse_is_told_in_a_line(
    line: str, message: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DODONA_DATA", raising=False)
    result = shell("experiment", *line.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(message)


def test_a_quick_run_shows_its_tables_and_tells_of_each_run(
    shell: Shell, treebanks: Path, tmp_path: Path
) -> None:
    done = shell(
        "experiment", "goldberg-nivre-2012", "--data", treebanks, "--quick", "-o", tmp_path
    )
    assert done.code == 0, done.err
    assert "explore - static" in done.out
    assert done.err.splitlines()[-1].startswith("3/3 xx_elm explore seed 1: UAS ")
    assert (tmp_path / "goldberg-nivre-2012.html").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "nowhere"], "nowhere: no such folder\n"),
        (["--conditions", "silver"], "conditions: unknown 'silver'; choose from gold, "),
        (["--epochs", -1], "epochs must be at least 0"),
    ],
)
def test_an_error_is_told_in_a_line(
    options: list[Any], message: str, shell: Shell, treebanks: Path
) -> None:
    result = shell("experiment", "honnibal-johnson-2015", "--data", treebanks, *options)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (["-o", "r.html"], "interrupted; repeat the command to continue\n"),
        ([], "interrupted; without --out no results are kept\n"),
    ],
)
def test_an_interrupted_run_says_how_to_go_on(
    out: list[str], message: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Paper, "run", interrupt)
    assert shell("experiment", "nivre-2009", "--data", "d", *out) == (130, "", message)


def test_a_note_needs_a_report_and_letters(shell: Shell, treebanks: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"\xff")
    command = ["experiment", "nivre-2009", "--data", treebanks, "--note", note]
    done = shell(*command)
    assert (done.code, "--note requires a report" in done.err) == (2, True)
    done = shell(*command, "-o", tmp_path / "report.html")
    assert (done.code, f"{note}: not UTF-8" in done.err) == (1, True)
    assert list(tmp_path.iterdir()) == [note]
