"""The texts of a distillation: files of one name in several folders are kept apart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

from dodona.distilling.recipe import Distillation, Recipe
from dodona.distilling.text_selection import find_texts
from dodona.storage.steps import StepError
from dodona.treebank.conllu.writer import Writer
from support.small import treebank


def write_text(path: Path, seed: int) -> Path:
    path.parent.mkdir(exist_ok=True)
    lines = [" ".join(sentence.forms) for sentence in treebank(6, seed)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    with Writer(tmp_path / "train.conllu") as writer:
        for sentence in treebank(10, 1):
            writer.write(sentence)
    texts = [write_text(tmp_path / name / "x.tokens.txt", n) for n, name in enumerate("ab", 5)]
    train = [str(tmp_path / "train.conllu")]
    return Recipe(train, tmp_path / "work", text=[*map(str, texts)], segmenter="none")


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_change_in_either_of_two_texts_of_one_name_is_noticed(
    recipe: Recipe, name: str, tmp_path: Path
) -> None:
    assert Distillation(recipe).sentences().is_done
    assert Distillation(recipe).sentences().is_done  # again: nothing has changed
    write_text(tmp_path / name / "x.tokens.txt", 9)
    with pytest.raises(StepError):
        Distillation(recipe).sentences()


def test_words_are_counted_for_each_text(recipe: Recipe, tmp_path: Path) -> None:
    counts = Distillation(recipe).sentences().summary["words"]
    assert [*counts] == [f"{tmp_path}/{name}/x.tokens.txt" for name in "ab"]
    assert all(count > 0 for count in counts.values())


def test_a_text_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a" / "x.tokens.txt", 5)
    assert find_texts([str(text), str(tmp_path / "a")]) == [text]


def test_pipes_are_no_texts(tmp_path: Path) -> None:
    text = write_text(tmp_path / "a" / "x.tokens.txt", 5)
    os.mkfifo(tmp_path / "a" / "pipe.txt")
    assert find_texts([str(tmp_path / "a")]) == [text]
    with pytest.raises(ValueError, match="a pipe or a device, but texts are read more than once"):
        find_texts([str(tmp_path / "a" / "pipe.txt")])
