"""`dodona info`, `oracle`, `experiment` and `help`: what matters comes first."""

from pathlib import Path

import pytest

import dodona
from dodona.core.transitions.action import Action
from support.shell import Shell


def test_info_begins_with_what_matters(shell: Shell) -> None:
    lines = shell("info", "en").out.splitlines()
    names = [line.split("  ")[0] for line in lines[:9] if not line.startswith(" ")]
    assert names[:5] == ["language", "treebank", "licence", "version", "dev scores"]
    assert "speed" in names and "size" in names
    assert lines[0].endswith("English") and "words/s" in "\n".join(lines[:8])
    assert "acl:relcl" not in "\n".join(lines[: lines.index("Inside")])


def test_info_of_a_model_of_ones_own(shell: Shell, model: Path) -> None:
    shown = shell("info", model).out
    assert "language" not in shown.split("Inside")[0]
    assert shown.startswith("dev scores")


def test_info_names_the_encoder_of_a_teacher(shell: Shell, model: Path, tmp_path: Path) -> None:
    parser = dodona.load(model)
    teacher = {"kind": "teacher", "sha256": "c3" * 32, "dev": {"LAS": 91.25}}
    parser.record["learned_from"] = [
        teacher | {"file": "teacher 1"},
        teacher | {"file": "teacher 2", "encoder": "oak-bert"},
    ]
    parser.save(tmp_path / "taught.dodona")
    shown = shell("info", tmp_path / "taught.dodona").out
    rows = [line.split() for line in shown.splitlines() if line.split()[:1] == ["teacher"]]
    assert [row[:-3] for row in rows] == [
        ["teacher", "teacher", "1", "-"],
        ["teacher", "teacher", "2", "on", "oak-bert", "-"],
    ]


def test_a_long_buffer_is_not_shown_again_and_again(shell: Shell) -> None:
    n = 40
    long = dodona.Sentence.from_columns(
        [f"w{i}" for i in range(1, n + 1)], heads=[0, *range(1, n)], deprels=["root"] + ["dep"] * 39
    )
    lines = shell("oracle", "--gold", "-", stdin=bytes(long)).out.splitlines()
    states = lines[: next(i for i, line in enumerate(lines) if "●" in line)]
    assert max(map(len, states)) < 120
    assert "  buffer  1:w1 2:w2 3:w3 4:w4 5:w5 6:w6 … 34 more" in states


def test_the_papers_are_listed(shell: Shell) -> None:
    shown = " ".join(shell("experiment", "--help").out.split())
    assert "goldberg-nivre-2012: A Dynamic Oracle for Arc-Eager Dependency Parsing" in shown
    assert "tokgoz-eryigit-2015: Tokgöz & Eryiğit (2015)" in shown


@pytest.mark.parametrize("words", [["help"], ["help", "parse"], ["help", "nonsense"]])
def test_help_is_a_verb_too(shell: Shell, words: list[str]) -> None:
    expected = shell(*words[1:], "--help")
    assert shell(*words) == expected


def test_actions_are_given_as_people_write_them() -> None:
    system = dodona.system("arc-eager", labels=["nsubj"])
    state = system.step(system.step(system.start(2), "SHIFT"), "LEFT-ARC:nsubj")
    assert state == system.step(
        system.step(system.start(2), Action("SHIFT")), Action("LEFT-ARC", "nsubj")
    )
    with pytest.raises(ValueError, match="no action LEFT-ARC:obj; moves"):
        system.step(system.start(2), "LEFT-ARC:obj")


def test_training_time_is_the_time_that_passed(
    shell: Shell, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dodona.cli.verbs import train

    times = iter([100.0, 175.5])
    clock = type("Clock", (), {"perf_counter": staticmethod(lambda: next(times))})
    monkeypatch.setattr(train, "time", clock)
    files = ["--train", data / "projective.conllu", "-o", tmp_path / "m"]
    result = shell("train", *files, "--epochs", "1")
    assert "75.5 s" in result.out
