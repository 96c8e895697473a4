"""Systems describe themselves: explorer, command line and manual need no other list of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dodona
from dodona.cli.help import make_page
from dodona.cli.verbs import load_verb
from dodona.core.transitions.registry import describe_systems, find_system
from reference.twins import all_twins
from tools.pages import systems_table

ROOT = Path(__file__).parents[3]
HOOK = re.compile(r"^    cdef (?!readonly)[\w.]+\*? (\w+)\(", re.MULTILINE)
DOES = {"SHIFT": "pushes", "LEFT-ARC": "attaches to the left", "RIGHT-ARC": "nothing"}
SHIPPED = [name for name in dodona.systems() if find_system(name).__module__.startswith("dodona.")]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_system_that_ships_describes_itself(name: str) -> None:
    kind = find_system(name)
    assert kind.paper and kind.builds and kind.exactness
    moves = dodona.system(name, labels=["dep"]).describe_moves()
    assert all(move["does"] and move["needs"] for move in moves)
    assert {move["name"] for move in moves} == set(kind.does)
    assert name in all_twins()


@pytest.mark.parametrize("name", SHIPPED)
def test_the_help_of_oracle_names_the_paper_of_every_system(name: str) -> None:
    page = " ".join(make_page("dodona oracle", load_verb("oracle"), 100).split())
    assert f"{name}: {find_system(name).builds}; {find_system(name).paper}" in page


@pytest.mark.usefixtures("own_systems")
def test_a_system_that_is_only_a_class_is_described_everywhere() -> None:
    class Leftward(dodona.PythonSystem):
        name = "leftward"
        paper = "Nobody (2031)"
        builds = "chains"
        exactness = "never computed"
        roots = ("last",)
        moves = ("SHIFT", "LEFT-ARC", "RIGHT-ARC")
        when = ("a word in the buffer", "two words", "no state at all")
        does = DOES
        leftward, rightward = ("LEFT-ARC",), ("RIGHT-ARC",)
        joins = "stack"

    assert "leftward" in dodona.systems()
    assert "leftward: chains; Nobody (2031)" in describe_systems()
    assert "| `leftward` | chains | s1, s0 | last | never computed |" in systems_table(["leftward"])
    assert dodona.system("leftward", labels=["dep"]).describe_moves()[1] == {
        "name": "LEFT-ARC",
        "does": "attaches to the left",
        "needs": "two words",
    }
    explore = pytest.importorskip(
        "dodona.server.answers.explorer_answers", reason="needs dodona[server]"
    )
    [found] = [one for one in explore.describe_systems() if one["name"] == "leftward"]
    assert (found["paper"], found["roots"]) == ("Nobody (2031)", ["last"])
    assert [move["does"] for move in found["moves"]] == list(DOES.values())


def test_moves_are_described_under_their_own_names() -> None:
    with pytest.raises(ValueError, match="does describes JUMP, which is not one of its moves"):
        type(
            "Jumping",
            (dodona.PythonSystem,),
            {
                "name": "jumping",
                **{"moves": ("LEFT-ARC", "RIGHT-ARC"), "when": ("", "")},
                **{"leftward": ("LEFT-ARC",), "rightward": ("RIGHT-ARC",)},
                "does": {"JUMP": "leaps"},
            },
        )


def test_the_manual_has_the_table_that_the_systems_give() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    assert sum(systems_table() in page for page in pages) == 1, "run: make pages"


def test_contributing_lists_every_hook_of_a_system() -> None:
    declared = (ROOT / "src/dodona/core/transitions/system.pxd").read_text(encoding="utf-8")
    _, _, hooks = declared.partition("# Hooks that every system defines:")
    hooks, _, _ = hooks.partition("# Shared by all systems:")
    names = HOOK.findall(hooks)
    assert len(names) == hooks.count("cdef ") >= 16
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, section = guide.partition("## A new transition system")
    section, _, _ = section.partition("\n## ")
    rows = re.findall(r"^ *\| (`\w+.*?) \|", section, re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == names
