"""Folders of treebanks: what is found in them, and what is said where something is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dodona.treebank.conllu.errors import TreebankError
from dodona_papers.running.data import find_treebanks


@pytest.mark.parametrize(
    ("spoil", "names", "message"),
    [
        (lambda folder: shutil.rmtree(folder), None, "{}: there is no such folder"),
        (lambda folder: shutil.rmtree(folder / "a"), None, "{}: no treebank in it; expected"),
        (lambda folder: None, ["b"], "{}: no treebank 'b' in it; there are a"),
        (lambda folder: (folder / "a/dev.conllu").unlink(), None, "{}/a: dev.conllu missing;"),
        (
            lambda folder: (
                (folder / "a/dev.conllu").rename(folder / "dev.conllu")
                and shutil.rmtree(folder / "a")
            ),
            None,
            "{}: this is one treebank; give the folder above it",
        ),
    ],
)
def test_a_wrong_folder_is_told(
    tmp_path: Path, spoil: Callable[[Path], object], names: list[str] | None, message: str
) -> None:
    folder = tmp_path / "data"
    (folder / "a").mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (folder / "a" / f"{part}.conllu").touch()
    spoil(folder)
    with pytest.raises(TreebankError) as caught:
        find_treebanks(folder, names)
    assert str(caught.value).replace("\\", "/").startswith(message.format(folder.as_posix()))


def test_treebanks_come_in_the_order_asked_for_and_once(two_treebanks: Path) -> None:
    found = find_treebanks(two_treebanks, ["xx_elm", "eu_oak", "xx_elm"])
    assert [treebank.name for treebank in found] == ["xx_elm", "eu_oak"]
