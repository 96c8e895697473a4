"""Projectivity against its definition, and against the figures published for eleven treebanks."""

import doctest
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona.treebank import projectivity
from dodona.treebank.projectivity import is_projective, is_tree, n_roots, nonprojective_arcs

# No test is timed: a busy machine is no failure.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

DATA = Path(os.environ.get("DODONA_DATA") or Path(__file__).parents[2] / "shared" / "data")

# Per train set: non-projective sentences and arcs, in percent.
PUBLISHED = {
    "en_ewt": (2.3, 0.17),
    "eu_bdt": (33.9, 4.98),
    "fr_sequoia": (2.6, 0.12),
    "el_gdt": (11.0, 0.49),
    "hu_szeged": (19.5, 1.41),
    "ko_gsd": (11.6, 1.32),
    "sv_lines": (5.5, 0.41),
    "ta_ttb": (1.8, 0.13),
    "tr_imst": (5.0, 0.60),
    "got_proiel": (20.4, 2.82),
    "nl_lassysmall": (34.9, 7.65),
}


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
    path = DATA / treebank / "train.conllu"
    if not path.exists():
        pytest.skip(f"{path} does not exist; set DODONA_DATA to the folder of the treebanks")
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


def reaches_root(heads: list[int], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1] if word else 0
    return word == 0


@given(trees())
def test_nonprojective_arcs_are_those_of_the_definition(heads: list[int]) -> None:
    assert nonprojective_arcs(heads) == nonprojective_by_definition(heads)
    assert is_projective(heads) == (not nonprojective_by_definition(heads))


@given(st.lists(st.integers(0, 6), min_size=6, max_size=6))
def test_a_tree_has_a_way_to_the_root_from_every_word(heads: list[int]) -> None:
    assert is_tree(heads) == all(reaches_root(heads, word) for word in range(1, 7))


@pytest.mark.parametrize("heads", [[2], [0, -1], [0, None], [0, 2**40], [1], [2, 1]])
def test_what_is_no_tree_is_refused(heads: list[int]) -> None:
    assert not is_tree(heads)
    with pytest.raises(ValueError, match=r"word \d"):
        is_projective(heads)


def test_errors_name_the_word() -> None:
    with pytest.raises(ValueError, match="word 2 has head 31, but the sentence has 3 words"):
        nonprojective_arcs([0, 31, 1])
    with pytest.raises(ValueError, match="from word 2 ends in a cycle"):
        nonprojective_arcs([0, 3, 2])


def test_no_words_are_a_projective_tree_without_roots() -> None:
    assert is_tree([]) and is_projective([]) and n_roots([]) == 0


def test_five_thousand_words_need_no_deep_recursion() -> None:
    chain = [*range(2, 5001), 0]
    assert is_projective(chain)
    two_chains = [*range(3, 5001), 5000, 0]  # of odd and of even words
    assert nonprojective_arcs(two_chains) == [*range(1, 4998)]


@pytest.mark.parametrize("treebank", PUBLISHED)
def test_share_of_nonprojective_sentences_and_arcs(treebank: str) -> None:
    n_arcs = [len(heads) for heads, _ in read_trees(treebank)]
    n_crossed = [len(nonprojective_arcs(heads)) for heads, _ in read_trees(treebank)]
    sentences = 100 * sum(map(bool, n_crossed)) / len(n_crossed)
    arcs = 100 * sum(n_crossed) / sum(n_arcs)
    assert (round(sentences, 1), round(arcs, 2)) == PUBLISHED[treebank]


def test_examples() -> None:
    results = doctest.testmod(projectivity)
    assert results.attempted >= 4 and results.failed == 0
