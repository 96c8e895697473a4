"""The compiled network against its slow twin, to the bit, and against itself."""

from __future__ import annotations

from array import array
from random import Random
from threading import Thread

import pytest

from dodona.core.network.network import Network, NetworkSpace, variants
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
