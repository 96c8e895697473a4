"""Tags of several classifiers are chosen together where the best of each contradict each other."""

from __future__ import annotations

from array import array
from itertools import product
from random import Random

import pytest

from dodona.core.network.network import COMBINATIONS, Network, NetworkSpace
from support.networks import Shape, as_lists, random_arrays, spellings

SHAPE = Shape(tags=(5, 9, 3), back=(0, 2))
N_TYPES, LENGTHS = 40, array("i", [7, 0, 1, 40])
WORDS = array("i", [Random(1).randrange(N_TYPES) for _ in range(sum(LENGTHS))])


def made(combinations: array[int] | None) -> tuple[Network, NetworkSpace]:
    random = Random(2)
    arrays = random_arrays(SHAPE, random, int8=False, scale=2.0)
    if combinations is not None:
        arrays[COMBINATIONS] = combinations
    network = Network(SHAPE.about(), arrays)
    space = NetworkSpace(network)
    space.add_types(*as_lists(spellings(SHAPE, random, N_TYPES)))
    return network, space


def some_combinations(n: int) -> list[tuple[int, ...]]:
    return Random(3).sample([*product(*map(range, SHAPE.tags))], n)


def flat(combinations: list[tuple[int, ...]]) -> array[int]:
    return array("I", [tag for some in combinations for tag in some])


def scores_of(network: Network, space: NetworkSpace) -> list[list[list[float]]]:
    """Return the scores of every word by every classifier."""
    stages = network.stages(space, WORDS, LENGTHS)
    n = len(WORDS)
    whole = [stages[f"tag.{i}"].tolist() for i in range(len(SHAPE.tags))]
    return [
        [row[i * (len(row) // n) : (i + 1) * (len(row) // n)] for row in whole] for i in range(n)
    ]


def single_tags(scores: list[list[float]]) -> tuple[int, ...]:
    return tuple(max(range(len(row)), key=row.__getitem__) for row in scores)


def test_the_best_combination_replaces_tags_that_contradict_each_other() -> None:
    single = [single_tags(scores) for scores in scores_of(*made(None))]
    allowed = [*dict.fromkeys([*sorted({*single})[::2], *some_combinations(20)])]
    network, space = made(flat(allowed))
    chosen = [*zip(*network.annotate(space, WORDS, LENGTHS)[0], strict=True)]
    for scores, before, after in zip(scores_of(network, space), single, chosen, strict=True):
        totals = {c: sum(row[tag] for row, tag in zip(scores, c, strict=True)) for c in allowed}
        if before in allowed:
            assert after == before
        else:
            assert totals[after] == pytest.approx(max(totals.values()), rel=1e-6)
    assert {*single} & {*allowed} and {*single} - {*allowed}


def test_the_parser_reads_the_same_words_whatever_tags_are_chosen() -> None:
    """The probabilities of tags are fed back, not the chosen ones."""
    products = [
        network.annotate(space, WORDS, LENGTHS)[1]
        for network, space in (made(None), made(flat(some_combinations(2))))
    ]
    assert products[0] == products[1]


def test_a_network_that_knows_all_combinations_chooses_each_tag_for_itself() -> None:
    every = flat([*product(*map(range, SHAPE.tags))])
    free, bound = made(None), made(every)
    assert free[0].annotate(free[1], WORDS, LENGTHS) == bound[0].annotate(bound[1], WORDS, LENGTHS)


@pytest.mark.parametrize(
    ("combinations", "why"),
    [
        (array("I", []), "0 tags are not combinations of 3 each"),
        (array("I", [1, 2]), "2 tags are not combinations of 3 each"),
        (array("I", [1, 2, 3]), "a combination has tag 3 of 3"),
        (array("f", [1, 2, 2]), "tag.combinations: numbers of type 'f', not uint32"),
    ],
)
def test_combinations_of_other_tags_are_refused(combinations: array[int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        made(combinations)
