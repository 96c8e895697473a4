"""Swaps counted against other ways to count them."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona_papers.experiments.nivre_2009.swaps import (
    ORACLES,
    count_swaps,
    fewest_swaps,
    n_swaps,
    small_trees,
)
from reference.swap import Swap
from reference.trees import all_trees, is_projective
from support.small import treebank


def fewest_by_twin(heads: tuple[int, ...]) -> int:
    """Breadth-first over the slow twin's states, one swap more at a time."""
    twin, n = Swap(("_",)), len(heads)
    level, count = {twin.start(n)}, 0
    while True:
        seen = set(level)
        todo = list(level)
        swapped = set()
        while todo:
            state = todo.pop()
            if twin.is_final(state) and {(h, d) for h, _, d in state.arcs} == {
                (head, word) for word, head in enumerate(heads, 1)
            }:
                return count
            for action in twin.valid(state):
                after = twin.step(state, action)
                if "SWAP" in action:
                    swapped.add(after)
                elif after not in seen:
                    seen.add(after)
                    todo.append(after)
        level, count = swapped - seen, count + 1


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_fewest_swaps_are_those_of_exhaustive_search(n: int) -> None:
    for heads in all_trees(n):
        assert fewest_swaps(heads) == fewest_by_twin(heads)
        assert (fewest_swaps(heads) == 0) == is_projective(heads)


def test_swaps_on_all_trees_of_five_words() -> None:
    counts = {"eager": 1918, "lazy": 1708, "minimal": 1665, "fewest": 1560}
    assert small_trees(5)[5] == counts


def test_swaps_of_a_treebank_are_the_sums_over_its_sentences(tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    path.write_text(b"".join(map(bytes, treebank(60, 0, 0.4))).decode(), encoding="utf-8")
    found = count_swaps(path)
    trees = [sentence.heads for sentence in dodona.read(path)]
    for oracle in ORACLES:
        assert found.n_swaps[oracle] == sum(n_swaps(heads, oracle) for heads in trees) > 0
        short = [heads for heads in trees if len(heads) <= 5]
        n_transitions = sum(2 * len(heads) + 2 * n_swaps(heads, oracle) for heads in short)
        assert found.per_word[oracle][0] == pytest.approx(n_transitions / sum(map(len, short)))
    eager, lazy = found.n_swaps["eager"], found.n_swaps["lazy"]
    assert found.reduction == pytest.approx(100 * (1 - lazy / eager))
