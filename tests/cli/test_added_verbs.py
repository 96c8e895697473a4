"""Verbs of other distributions, found by entry points of the group `dodona.verbs`."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from dodona.cli import verbs
from dodona.cli.program import complete
from support.shell import Shell

GREETING = '''
from typing import Annotated
from dodona.cli.flags import Flag

def greet(times: Annotated[int, Flag("how often")] = 1) -> None:
    """Greet the oak."""
    print("hello " * times)
'''
ENTRY_POINTS = """\
[dodona.verbs]
greet = oak_greeting:greet
mourn = oak_mourning:mourn
miss = oak_greeting:miss
parse = oak_greeting:greet
"""


@pytest.fixture
def oak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with verbs that work, that fail on import, and that do not exist."""
    about = tmp_path / "oak_verbs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: oak-verbs\nSummary: Talk to oaks\n"
    )
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "oak_greeting.py").write_text(GREETING)
    (tmp_path / "oak_mourning.py").write_text("raise RuntimeError('no oak is left')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("oak_greeting", "oak_mourning"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.usefixtures("oak")
def test_a_verb_of_another_distribution_is_called(shell: Shell) -> None:
    assert shell("greet", "--times", "2") == (0, "hello hello \n", "")
    page = shell("greet", "--help").out
    assert page.startswith("Usage: dodona greet [OPTIONS]\n\n  Greet the oak.\n")
    assert complete(["greet", "--t"]) == ["--times\thow often"]
    assert shell("greet", "--time", "2").err.startswith("dodona greet: unknown option --time")
    assert "did you mean greet" in shell("gret").err


@pytest.mark.usefixtures("oak")
def test_help_and_completion_list_added_verbs_without_importing_them(shell: Shell) -> None:
    for name in ("greet", "mourn", "miss"):
        assert f"  {name:<12}Talk to oaks (oak-verbs)\n" in shell("--help").out
    assert complete(["gree"]) == ["greet\tTalk to oaks (oak-verbs)"]
    assert not {"oak_greeting", "oak_mourning"} & sys.modules.keys()


@pytest.mark.usefixtures("oak")
def test_a_verb_that_cannot_be_loaded_is_explained(shell: Shell) -> None:
    broken = shell("mourn")
    assert (broken.code, broken.out) == (1, "")
    assert broken.err.startswith("dodona: cannot load the verb mourn from oak_mourning:mourn")
    assert "oak-verbs" in broken.err and "RuntimeError: no oak is left" in broken.err
    missing = shell("miss")
    assert missing.code == 1 and "AttributeError" in missing.err and "reinstall" in missing.err


@pytest.mark.usefixtures("oak")
def test_a_built_in_verb_cannot_be_replaced(shell: Shell) -> None:
    assert "parse" not in verbs.find_added()
    assert "Parse text or sentences" in shell("parse", "--help").out


def test_without_papers_experiment_says_how_to_install_them(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: dict[str, EntryPoint] = {}
    monkeypatch.setattr(verbs, "find_added", lambda: nothing)
    result = shell("experiment", "nivre-2009")
    assert result.code == 2 and "pip install ./papers" in result.err
