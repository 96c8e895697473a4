"""Trees for tests: any that Hypothesis can think of, and those of treebanks."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from support.treebanks import treebank_file


@st.composite
def trees(draw: st.DrawFn, max_words: int = 12) -> list[int]:
    """Any tree, of one root or several: words come in some order, each hangs on an earlier one."""
    order = draw(st.permutations(range(1, draw(st.integers(1, max_words)) + 1)))
    heads = [0] * len(order)
    for i, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:i]]))
    return heads


def read_trees(treebank: str) -> Iterator[tuple[list[int], list[str]]]:
    """Heads and labels of a train set; skips the test where the treebank is not at hand."""
    path = treebank_file(treebank, "train")
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        words = [row for row in rows if row[0].isdigit()]
        yield [int(row[6]) for row in words], [row[7] for row in words]


def descends(heads: list[int], word: int, ancestor: int) -> bool:
    while word != ancestor and word != 0:
        word = heads[word - 1]
    return word == ancestor


def nonprojective_by_definition(heads: list[int]) -> list[int]:
    return [
        word
        for word, head in enumerate(heads, start=1)
        if not all(descends(heads, k, head) for k in range(min(word, head) + 1, max(word, head)))
    ]
