"""The compiled network is bit-identical to its reference implementation, in every batch."""

from __future__ import annotations

from array import array
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from random import Random

import pytest

from dodona.core.network.network import WINDOW, Network, NetworkSpace, variants
from reference import network as reference
from support.networks import Arrays, Shape, as_lists, random_arrays, spellings

SHAPES = {
    "usual": Shape(),
    "one layer, odd classes": Shape(layers=1, classes=19, tags=(1, 9), back=(0, 1), slots=1),
    "no tags, no atoms": Shape(tags=(), back=(), atoms=(), classes=1, width=64),
    "no layers": Shape(layers=0, fields=(4, 4, 12), hidden=48, classes=16),
    "wide": Shape(layers=1, width=96, fields=(36, 8), tags=(40,), back=(0,), hidden=32, classes=33),
}


def space_of(network: Network, types: list[list[list[int]]]) -> NetworkSpace:
    space = NetworkSpace(network)
    space.add_types(*as_lists(types))
    return space


def sentences(random: Random, n_types: int, lengths: list[int]) -> tuple[array[int], array[int]]:
    words = [random.randrange(n_types) for _ in range(sum(lengths))]
    return array("i", words), array("i", lengths)


def check_against_twin(
    shape: Shape, arrays: Arrays, random: Random, variant: str, lengths: list[int]
) -> None:
    network = Network(shape.about(), arrays, variant)
    twin = reference.Network(shape.about(), arrays)
    types = spellings(shape, random, 7)
    space = space_of(network, types)
    vectors = [twin.word(spelling) for spelling in types]
    for i, vector in enumerate(vectors):
        assert space.type_vector(i) == vector
    words, counts = sentences(random, len(types), lengths)
    tags, products = network.annotate(space, words, counts)
    stages = network.stages(space, words, counts)
    begin, size = 0, shape.slots * shape.hidden
    for length in lengths:
        found = twin.read([vectors[word] for word in words[begin : begin + length]])
        for name, rows in found.stages.items():
            width = len(stages[name]) // len(words)
            for i, row in enumerate(rows, begin):
                assert stages[name][i * width : (i + 1) * width].tolist() == row, name
        assert [head[begin : begin + length] for head in tags] == found.tags
        for i, row in enumerate(found.products, begin):
            assert products[i * size : (i + 1) * size].tolist() == row
        begin += length


@pytest.mark.thorough
@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("int8", [True, False], ids=["int8", "float32"])
@pytest.mark.parametrize("name", SHAPES)
def test_network_is_its_twin_to_the_bit(name: str, int8: bool, variant: str) -> None:
    shape, random = SHAPES[name], Random(name)
    arrays = random_arrays(shape, random, int8=int8)
    check_against_twin(shape, arrays, random, variant, [3, 0, 1, 2])


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 20.0])
@pytest.mark.parametrize("int8", [True, False], ids=["int8", "float32"])
def test_network_is_its_twin_where_numbers_are_tiny_or_large(int8: bool, scale: float) -> None:
    shape, random = SHAPES["usual"], Random(5)
    arrays = random_arrays(shape, random, int8=int8, scale=scale)
    check_against_twin(shape, arrays, random, variants()[-1], [4])


@pytest.mark.thorough
@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("int8", [True, False], ids=["int8", "float32"])
@pytest.mark.parametrize("hidden", [16, 128, 512])
def test_scores_of_states_are_the_twins(hidden: int, int8: bool, variant: str) -> None:
    random = Random(hidden)
    shape = Shape(layers=0, hidden=hidden, slots=1, classes=21)
    arrays = random_arrays(shape, random, int8=int8, scale=3.0)
    network = Network(shape.about(), arrays, variant)
    twin = reference.Network(shape.about(), arrays)
    for most in (50, 3000, 32767):
        for n_rows in (0, 1, 2, 7, 14):
            rows = [
                array("h", [random.randint(-most, most) for _ in range(hidden)])
                for _ in range(n_rows)
            ]
            assert network.state_scores(rows) == twin.state_scores(rows)


def test_scores_of_states_saturate() -> None:
    shape = Shape(layers=0, hidden=512, slots=1, classes=2)
    arrays = random_arrays(shape, Random(1), int8=True)
    arrays["class"] = array("b", [127] * 512 + [-127] * 512)
    arrays["class.scale"] = array("f", [1.0, 1.0])
    network, twin = Network(shape.about(), arrays), reference.Network(shape.about(), arrays)
    for value in (32767, -32768):
        rows = [array("h", [value] * 512)] * 20
        assert network.state_scores(rows) == twin.state_scores(rows)
        assert set(map(abs, network.state_scores(rows))) == {8191}


LARGE = Shape(width=64, hidden=32, slots=5, fields=(16, 12, 8), n_rows=40)


def large_types() -> tuple[array[int], array[int]]:
    return as_lists(spellings(LARGE, Random(4), 90))


def large_case(int8: bool) -> tuple[Network, NetworkSpace, array[int], array[int]]:
    """Return a network of realistic size, and more words than one batch holds."""
    random = Random(3)
    network = Network(LARGE.about(), random_arrays(LARGE, random, int8=int8))
    space = NetworkSpace(network)
    space.add_types(*large_types())
    return network, space, *sentences(random, 90, [5, 0, 1, 70, 30, 3, 64, 200, 2, 0])


@pytest.mark.parametrize("int8", [True, False], ids=["int8", "float32"])
def test_sentences_are_read_alike_alone_and_among_others(int8: bool) -> None:
    network, space, words, lengths = large_case(int8)
    tags, products = network.annotate(space, words, lengths)
    n_products, begin = network.n_slots * network.hidden, 0
    for length in lengths:
        one = words[begin : begin + length]
        tags_alone, products_alone = network.annotate(space, one, array("i", [length]))
        assert tags_alone == [head[begin : begin + length] for head in tags]
        assert products_alone == products[begin * n_products : (begin + length) * n_products]
        begin += length


@pytest.mark.parametrize("int8", [True, False], ids=["int8", "float32"])
def test_threads_share_a_network(int8: bool) -> None:
    network, space, words, lengths = large_case(int8)
    expected = network.annotate(space, words, lengths)

    def read(_: int) -> bool:
        mine = NetworkSpace(network)
        mine.add_types(*large_types())
        return all(network.annotate(mine, words, lengths) == expected for _ in range(3))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(12)))


def test_types_are_added_in_any_portions() -> None:
    shape, random = SHAPES["usual"], Random(8)
    network = Network(shape.about(), random_arrays(shape, random, int8=True))
    types = spellings(shape, random, 200)
    at_once, in_portions = space_of(network, types), NetworkSpace(network)
    for begin in range(0, 200, 7):
        assert in_portions.add_types(*as_lists(types[begin : begin + 7])) == begin
    assert in_portions.n_types == at_once.n_types == 200
    for i in range(200):
        assert at_once.type_vector(i) == in_portions.type_vector(i)
    in_portions.clear_types()
    assert in_portions.n_types == 0
    assert in_portions.add_types(*as_lists(types[:1])) == 0
    assert in_portions.type_vector(0) == at_once.type_vector(0)


def test_nothing_is_read_as_nothing() -> None:
    network, space, _, _ = large_case(int8=True)
    empty = array("i")
    for lengths in (empty, array("i", [0]), array("i", [0, 0])):
        tags, products = network.annotate(space, empty, lengths)
        assert tags == [[], []]
        assert len(products) == 0
    assert space.add_types(empty, array("i", [0])) == space.n_types


def test_a_very_long_sentence_is_read() -> None:
    network, space, _, _ = large_case(int8=True)
    words = array("i", [i * i % 90 for i in range(10_000)])
    tags, products = network.annotate(space, words, array("i", [10_000]))
    assert [len(head) for head in tags] == [10_000, 10_000]
    assert len(products) == 10_000 * network.n_slots * network.hidden


@pytest.mark.parametrize("length", [WINDOW, WINDOW + 1, 2500])
def test_a_long_sentence_is_read_in_windows(length: int) -> None:
    network, space, _, _ = large_case(int8=True)
    words = array("i", [i * i % 90 for i in range(length)])
    n_windows = -(-length // WINDOW)
    ends = [length * i // n_windows for i in range(n_windows + 1)]
    windows = array("i", [end - begin for begin, end in pairwise(ends)])
    assert max(windows) <= WINDOW
    whole = network.annotate(space, words, array("i", [length]))
    assert whole == network.annotate(space, words, windows)


def test_words_at_both_ends_reach_all_others() -> None:
    network, space, _, _ = large_case(int8=False)
    usual = network.stages(space, array("i", [5] * 6), array("i", [6]))["layer.0"]
    for end in (0, 5):
        words = array("i", [5] * 6)
        words[end] = 6
        found = network.stages(space, words, array("i", [6]))["layer.0"]
        for word in range(6):
            assert usual[word * 64 : (word + 1) * 64] != found[word * 64 : (word + 1) * 64]
