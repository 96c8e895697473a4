"""Folders of steps: recorded files exist, and a folder made from something else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dodona.distilling.step_folder import EARLIER_JOURNAL, JOURNAL, StepFolder
from dodona.storage.steps import StepError


def test_a_step_is_resumed_after_the_recorded_files(tmp_path: Path) -> None:
    folder = tmp_path / "silver"
    step = StepFolder(folder, {"seed": 1, "sizes": (1, 2)})
    for name in ("part-2", "part-1"):
        (folder / name).write_bytes(b"oak")
        step.add(name, words=7)
    again = StepFolder(folder, {"seed": 1, "sizes": (1, 2)})
    assert again.has("part-1") and not again.has("part-3") and not again.is_done
    assert [path.name for path in again.paths()] == ["part-1", "part-2"]
    again.finish(words=14)
    done = StepFolder(folder, {"seed": 1, "sizes": [1, 2]})
    assert done.is_done and done.summary["words"] == 14 and done.files["part-1"]["words"] == 7
    (folder / "part-1").unlink()
    lost = StepFolder(folder, {"seed": 1, "sizes": [1, 2]})
    assert not lost.is_done and not lost.has("part-1")


def test_a_torn_record_is_repeated(tmp_path: Path) -> None:
    n_made = []

    def make(path: Path) -> None:
        path.write_bytes(b"oak")
        n_made.append(path)

    path = StepFolder(tmp_path, {}).single_file("tree", make)
    assert StepFolder(tmp_path, {}).single_file("tree", make) == path and len(n_made) == 1
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-5])
    assert not StepFolder(tmp_path, {}).is_done
    StepFolder(tmp_path, {}).single_file("tree", make)
    assert len(n_made) == 2 and StepFolder(tmp_path, {}).is_done


def test_a_step_of_something_else_is_refused(tmp_path: Path) -> None:
    StepFolder(tmp_path, {"held_out": ["a"]}).finish()
    with pytest.raises(StepError, match=r"made with another held_out: .*; remove the folder"):
        StepFolder(tmp_path, {"held_out": ["b"]})
    with pytest.raises(StepError, match="another seed"):
        StepFolder(tmp_path, {"held_out": ["a"], "seed": 1})
    (tmp_path / JOURNAL).write_text("{\n", encoding="utf-8")
    with pytest.raises(StepError, match=r"steps\.jsonl:1: not the header of a run"):
        StepFolder(tmp_path, {})


def test_a_folder_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / EARLIER_JOURNAL).write_text("{}", encoding="utf-8")
    with pytest.raises(StepError, match="earlier version of Dodona; remove the folder"):
        StepFolder(tmp_path, {})
