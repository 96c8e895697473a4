"""Committees: no tree has more votes than the elected one, and models annotate text by vote."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.distilling.committee import Committee, elected_tree
from dodona.distilling.recipe import Distillation, Recipe
from dodona.parsing.parser import Parser
from dodona.settings import Settings
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective
from support.shell import Shell
from support.small import treebank


def trees(n: int, *, projective: bool) -> list[list[int]]:
    """Return all trees of n words with one word under the root."""
    found = []
    for heads in product(range(n + 1), repeat=n):
        if heads.count(0) != 1 or any(_is_lost(word, heads) for word in range(1, n + 1)):
            continue
        if not projective or is_projective(list(heads)):
            found.append(list(heads))
    return found


def _is_lost(word: int, heads: tuple[int, ...]) -> bool:
    """Whether a word does not lead to the root."""
    for _ in heads:
        word = heads[word - 1] if word else 0
    return word != 0


@pytest.mark.parametrize("projective", [False, True])
def test_no_tree_has_more_votes(projective: bool) -> None:
    draw = random.Random(1)
    for n in (1, 2, 3, 4, 5):
        possible = trees(n, projective=projective)
        for _ in range(60):
            votes = [draw.choice(possible) for _ in range(draw.choice((1, 2, 3, 4)))]

            def score(tree: list[int], votes: list[list[int]] = votes) -> tuple[int, int]:
                """The votes for all arcs; between equal trees, those of the first model."""
                agreed = [sum(a == b for a, b in zip(tree, vote, strict=True)) for vote in votes]
                return sum(agreed), agreed[0]

            found = elected_tree(votes, projective=projective)
            assert found in possible
            assert score(found) == max(map(score, possible))


@pytest.fixture(scope="module")
def parsers() -> list[Parser]:
    """Three linear models, which differ in their treebanks."""
    return [dodona.train(treebank(30, seed), epochs=3) for seed in (1, 2, 3)]


def test_one_model_elects_its_own_trees(parsers: list[Parser]) -> None:
    sentences = treebank(20, 9)
    found = Committee(parsers[:1], projective=False).annotate(sentences)
    bare = [Sentence.from_columns(sentence.forms) for sentence in sentences]
    alone = list(parsers[0].pipe(bare))
    for column in ("heads", "deprels", "upos"):
        assert [getattr(s, column) for s in found] == [getattr(s, column) for s in alone]


def test_two_outvote_one(parsers: list[Parser]) -> None:
    sentences = treebank(30, 9)
    first, second, _ = parsers
    assert _heads(Committee([first], projective=False), sentences) != _heads(
        Committee([second], projective=False), sentences
    )
    together = _heads(Committee([first, second, second], projective=False), sentences)
    assert together == _heads(Committee([second], projective=False), sentences)


def _heads(committee: Committee, sentences: list[Sentence]) -> list[list[int | None]]:
    return [list(sentence.heads) for sentence in committee.annotate(sentences)]


def test_a_committee_has_members() -> None:
    with pytest.raises(ValueError, match="at least one model"):
        Committee([], projective=False)


@pytest.fixture
def files(tmp_path: Path, parsers: list[Parser]) -> Path:
    """A treebank, a text, and two models."""
    for name, n, seed in (("train", 30, 1), ("dev", 10, 5)):
        with Writer(tmp_path / f"{name}.conllu") as writer:
            for sentence in treebank(n, seed):
                writer.write(sentence)
    lines = [" ".join(sentence.forms) for sentence in treebank(40, 7)]
    (tmp_path / "text.tokens.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for number, parser in enumerate(parsers[:2]):
        parser.save(tmp_path / f"{number}.dodona")
    return tmp_path


def recipe(files: Path, by: list[str]) -> Recipe:
    small = Settings(scorer="neural", width=32, layers=1, hidden=16, epochs=1, system="arc-hybrid")
    return Recipe(
        train=[str(files / "train.conllu")],
        dev=str(files / "dev.conllu"),
        text=[str(files / "text.tokens.txt")],
        segmenter="none",
        by=by,
        work=files / "work",
        settings=small,
    )


def test_models_annotate_text_instead_of_teachers(files: Path, parsers: list[Parser]) -> None:
    pytest.importorskip("jax")
    by = [str(files / f"{number}.dodona") for number in range(2)]
    told: list[str] = []
    work = Distillation(recipe(files, by), told.append)
    silver = work.silver()
    found = list(dodona.read(silver.paths()[0]))
    expected = Committee(parsers[:2], projective=work.is_projective).annotate(found)
    assert [s.heads for s in found] == [s.heads for s in expected]
    assert silver.summary["dev"]["LAS"] > 50
    assert any(line.startswith("committee of 2: UAS") for line in told)
    assert not (files / "work" / "teachers").exists()
    kinds = [source["kind"] for source in work._sources()]
    assert kinds == ["gold", "text", "teacher", "teacher"]


def test_silver_of_other_models_is_refused(files: Path) -> None:
    pytest.importorskip("jax")
    first, second = (str(files / f"{number}.dodona") for number in range(2))
    Distillation(recipe(files, [first])).silver()
    with pytest.raises(ValueError, match="remove the folder"):
        Distillation(recipe(files, [second])).silver()


def test_a_missing_model_is_named_before_the_work(files: Path, shell: Shell) -> None:
    pytest.importorskip("jax")
    texts = ["--text", str(files / "text.tokens.txt"), "--segmenter", "none"]
    words = ["distil", str(files / "train.conllu"), *texts, "--out", str(files / "x.dodona")]
    found = shell(*words, "--by", str(files / "nobody.dodona"))
    assert found.code == 1
    assert "nobody.dodona" in found.err
    assert not (files / "x.dodona.work").exists()


def test_models_and_teachers_exclude_each_other(files: Path) -> None:
    given = recipe(files, ["a.dodona"])
    for changed in ({"n_teachers": 2}, {"encoders": ["x"]}, {"soft": True}, {"votes": True}):
        with pytest.raises(ValueError, match="teachers"):
            Recipe(**(vars(given) | changed))


@pytest.mark.thorough
def test_linear_models_have_no_vote_on_tags_beside_a_network(parsers: list[Parser]) -> None:
    """Their taggers are alike, and would outvote it."""
    pytest.importorskip("jax")
    small: dict[str, Any] = {"scorer": "neural", "width": 32, "layers": 1, "hidden": 16}
    network = dodona.train(treebank(40, 4), epochs=3, **small)
    sentences = treebank(20, 9)
    bare = [Sentence.from_columns(sentence.forms) for sentence in sentences]
    found = Committee([network, *parsers], projective=False).annotate(sentences)
    assert [s.upos for s in found] == [s.upos for s in network.pipe(bare)]
    assert [s.heads for s in found] != [s.heads for s in network.pipe(bare)]
    turned = Committee([*parsers, network], projective=False).annotate(sentences)
    assert [s.upos for s in turned] != [s.upos for s in found]
