"""One run: what decides its result, and what does not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import dodona
from dodona.settings import Settings
from dodona.synthetic.generator import write_treebank
from dodona_papers.running import runs
from dodona_papers.running.data import find_treebanks
from dodona_papers.running.runs import Job, Result


def test_a_result_is_used_again_only_for_the_same_settings_and_data(
    two_treebanks: Path, tmp_path: Path
) -> None:
    treebank = find_treebanks(two_treebanks)[0]
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


def test_no_result_of_another_core_is_used_again(
    two_treebanks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(find_treebanks(two_treebanks)[0], "static", Settings())
    before = job.key()
    monkeypatch.setattr(runs, "CORE", "another")
    assert job.key() != before


def test_the_dev_set_decides_nothing(two_treebanks: Path, tmp_path: Path) -> None:
    """The last epoch is scored, whatever the dev set would choose."""
    settings = Settings(epochs=4)
    first = Job(find_treebanks(two_treebanks)[0], "x", settings).run()
    folder = shutil.copytree(two_treebanks / "eu_oak", tmp_path / "eu_oak")
    write_treebank(folder / "dev.conllu", 5, seed=99)
    second = Job(find_treebanks(tmp_path)[0], "x", settings).run()
    assert first.curve != second.curve
    assert first.test == second.test
    parser = dodona.train(two_treebanks / "eu_oak" / "train.conllu", epochs=4, tags="gold")
    gold = list(dodona.read(two_treebanks / "eu_oak" / "test.conllu"))
    assert first.test["all"].score("las") == dodona.evaluate(gold, list(parser.pipe(gold))).las


def test_a_result_survives_json(two_treebanks: Path) -> None:
    result = Job(find_treebanks(two_treebanks)[1], "static", Settings(epochs=2)).run()
    assert Result.from_record(json.loads(json.dumps(result.to_record()))) == result
    assert result.commit == runs.COMMIT
