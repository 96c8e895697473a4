"""Steps that are kept: what is noted is there, and what is made of something else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dodona.distilling.work import MANIFEST, Step, WorkError


def test_a_step_goes_on_from_the_parts_that_are_noted(tmp_path: Path) -> None:
    folder = tmp_path / "silver"
    step = Step.open(folder, {"seed": 1, "sizes": (1, 2)})
    for name in ("part-2", "part-1"):
        (folder / name).write_bytes(b"oak")
        step.note(name, {"words": 7})
    again = Step.open(folder, {"seed": 1, "sizes": (1, 2)})
    assert again.has("part-1") and not again.has("part-3") and not again.is_done
    assert [path.name for path in again.paths()] == ["part-1", "part-2"]
    again.finish({"words": 14})
    assert Step.open(folder, {"seed": 1, "sizes": [1, 2]}).is_done
    (folder / "part-1").unlink()
    lost = Step.open(folder, {"seed": 1, "sizes": [1, 2]})
    assert not lost.is_done and not lost.has("part-1")


def test_a_step_of_something_else_is_refused(tmp_path: Path) -> None:
    Step.open(tmp_path, {"held_out": ["a"]}).finish({})
    with pytest.raises(WorkError, match="made with another held out: remove the folder"):
        Step.open(tmp_path, {"held_out": ["b"]})
    with pytest.raises(WorkError, match="another seed"):
        Step.open(tmp_path, {"held_out": ["a"], "seed": 1})
    (tmp_path / MANIFEST).write_text("{", encoding="utf-8")
    with pytest.raises(WorkError, match="no manifest of a step"):
        Step.open(tmp_path, {})
