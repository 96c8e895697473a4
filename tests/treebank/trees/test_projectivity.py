"""Projectivity against its definition, and against the figures published for eleven treebanks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona.treebank.trees.projectivity import is_projective, is_tree, n_roots, nonprojective_arcs
from support.trees import nonprojective_by_definition, read_trees, trees

# No test is timed: a busy machine is no failure.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


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


def reaches_root(heads: list[int], word: int) -> bool:
    for _ in heads:
        word = heads[word - 1] if word else 0
    return word == 0


@given(trees())
def test_nonprojective_arcs_are_those_of_the_definition(heads: list[int]) -> None:
    assert nonprojective_arcs(heads) == nonprojective_by_definition(heads)
    assert is_projective(heads) == (not nonprojective_by_definition(heads))


@given(st.lists(st.integers(0, 6), min_size=6, max_size=6))
def test_a_tree_has_a_path_to_the_root_from_every_word(heads: list[int]) -> None:
    assert is_tree(heads) == all(reaches_root(heads, word) for word in range(1, 7))


@pytest.mark.parametrize("heads", [[2], [0, -1], [0, None], [0, 2**40], [1], [2, 1]])
def test_heads_that_do_not_form_a_tree_are_refused(heads: list[int]) -> None:
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


@pytest.mark.thorough
@pytest.mark.parametrize("treebank", PUBLISHED)
def test_share_of_nonprojective_sentences_and_arcs(treebank: str) -> None:
    n_arcs = [len(heads) for heads, _ in read_trees(treebank)]
    n_crossed = [len(nonprojective_arcs(heads)) for heads, _ in read_trees(treebank)]
    sentences = 100 * sum(map(bool, n_crossed)) / len(n_crossed)
    arcs = 100 * sum(n_crossed) / sum(n_arcs)
    assert (round(sentences, 1), round(arcs, 2)) == PUBLISHED[treebank]
