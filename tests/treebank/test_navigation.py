"""Ways through a tree: edges, neighbours, coordinated words, common ancestors, paths."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona import Sentence, read
from support.trees import trees

# oaks, doves and priests listen and speak
PARTS = Sentence.from_columns(
    ["oaks", ",", "doves", "and", "priests", "listen", "and", "speak"],
    heads=[6, 3, 1, 5, 1, 0, 8, 6],
    deprels=["nsubj", "punct", "conj", "cc", "conj", "root", "cc", "conj"],
)


def test_edges_of_a_subtree() -> None:
    assert PARTS[0].left_edge == PARTS[0] and PARTS[0].right_edge == PARTS[4]
    assert PARTS[5].left_edge == PARTS[0] and PARTS[5].right_edge == PARTS[7]


def test_conjuncts_are_those_of_the_whole_coordination() -> None:
    oaks, _, doves, _, priests, listen, _, speak = PARTS
    assert oaks.conjuncts == [doves, priests] and doves.conjuncts == [oaks, priests]
    assert speak.conjuncts == [listen] and listen.conjuncts == [speak]
    assert PARTS[1].conjuncts == []
    chain = Sentence.from_columns(
        ["a", "b", "c"], heads=[0, 1, 2], deprels=["root", "conj:and", "conj"]
    )
    assert chain[2].conjuncts == [chain[0], chain[1]]


def test_neighbours_are_in_the_sentence() -> None:
    assert PARTS[0].nbor() == PARTS[1] and PARTS[7].nbor(-7) == PARTS[0]
    assert PARTS[3].nbor(0) == PARTS[3]
    for word, n, shown in ((PARTS[0], -1, "-1"), (PARTS[7], 1, r"\+1")):
        with pytest.raises(IndexError, match=f"no neighbour {shown}: the sentence has 8 words"):
            word.nbor(n)


def test_words_of_different_sentences_have_no_path() -> None:
    other = Sentence.from_columns(["Listen"], heads=[0])
    with pytest.raises(ValueError, match="words of different sentences"):
        PARTS[0].path_to(other[0])
    several = Sentence.from_columns(["a", "b"], heads=[0, 0])
    assert several[0].common_ancestor(several[1]) is None
    with pytest.raises(ValueError, match="in different trees"):
        several[0].path_to(several[1])


@given(heads=trees(), data=st.data())
def test_paths_follow_arcs_and_meet_at_the_lowest_common_ancestor(
    heads: list[int], data: st.DataObject
) -> None:
    words = Sentence.from_columns(["w"] * len(heads), heads=heads).words
    one, other = (data.draw(st.sampled_from(words)) for _ in range(2))
    above = [word for word in words if {one, other} <= {*word.subtree}]
    lowest = min(above, key=lambda word: len(word.subtree), default=None)
    assert one.common_ancestor(other) == lowest
    if lowest is not None:
        path = one.path_to(other)
        assert path[0] == one and path[-1] == other and lowest in path
        assert len({*path}) == len(path)
        assert all(a.parent == b or b.parent == a for a, b in pairwise(path))


def test_trees_with_cycles_do_not_hang() -> None:
    rows = ["1\ta\t_\t_\t_\t_\t2\tconj\t_\t_", "2\tb\t_\t_\t_\t_\t1\tconj\t_\t_", "", ""]
    [circle] = read(BytesIO("\n".join(rows).encode()), trees="ignored")
    assert isinstance(circle, Sentence)
    assert circle[0].conjuncts == [circle[1]] and circle[0].path_to(circle[1]) == [*circle]
