"""A network refuses arrays of wrong type, size or range, and unknown word types."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest

from dodona.core.network.network import Network, NetworkSpace, variants
from support.networks import Shape, as_lists, random_arrays, spellings

SHAPE = Shape()
NAN, INFINITE = float("nan"), float("inf")


def made(int8: bool = True, **changes: Any) -> Network:
    """Make a network with some arrays replaced (None: left out); _ in a name stands for a dot."""
    arrays = random_arrays(SHAPE, Random(1), int8=int8)
    for name, change in changes.items():
        key = name.replace("_", ".")
        if change is None:
            del arrays[key]
        else:
            arrays[key] = change(arrays[key])
    return Network(SHAPE.about(), arrays)


def put(value: float, place: int = -1) -> Any:
    """Change one number of an array."""

    def change(numbers: array[Any]) -> array[Any]:
        numbers[place] = value
        return numbers

    return change


@pytest.mark.parametrize("name", [*SHAPE.matrices(), *SHAPE.tables()])
def test_every_array_is_needed_whole(name: str) -> None:
    key = name.replace(".", "_")
    with pytest.raises(ValueError, match=f"no array '{name}'"):
        made(**{key: None})
    with pytest.raises(ValueError, match=name):
        made(**{key: lambda numbers: numbers[:-1]})
    with pytest.raises(ValueError, match=f"{name}: numbers of type 'd'"):
        made(**{key: lambda numbers: array("d", numbers)})
    with pytest.raises(ValueError, match=f"{name}: not an array"):
        made(**{key: lambda numbers: list(numbers)})


@pytest.mark.thorough
@pytest.mark.parametrize("value", [NAN, INFINITE, -INFINITE, 128.5, -1e30])
@pytest.mark.parametrize("name", [*SHAPE.matrices(), *SHAPE.tables(), "layer.1.in.bias"])
def test_numbers_must_be_finite_and_not_too_large(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name}: .* is not between"):
        made(int8=False, **{name.replace(".", "_"): put(value)})


@pytest.mark.parametrize("name", SHAPE.matrices())
def test_small_numbers_and_their_scales_are_within_bounds(name: str) -> None:
    key = name.replace(".", "_")
    with pytest.raises(ValueError, match=f"{name}: -128 is not between"):
        made(**{key: put(-128)})
    with pytest.raises(ValueError, match=f"no array '{name}.scale'"):
        made(**{f"{key}_scale": None})
    for value in (-0.5, NAN, 2.0):
        with pytest.raises(ValueError, match=f"{name}.scale: .* is not between"):
            made(**{f"{key}_scale": put(value)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", 48),
        ("width", 0),
        ("width", 2048),
        ("width", True),
        ("width", "32"),
        ("width", None),
        ("layers", -1),
        ("layers", 33),
        ("layers", 3),
        ("hidden", 24),
        ("hidden", 528),
        ("slots", 0),
        ("slots", 2**70),
        ("classes", 0),
        ("classes", 6),
        ("fields", []),
        ("fields", [8, 3]),
        ("fields", [8, 8]),
        ("fields", 8),
        ("tags", [3, 0]),
        ("tags", [1] * 65),
        ("back", [2]),
        ("back", [-1]),
        ("atoms", [5]),
        ("atoms", [4.0]),
    ],
)
def test_sizes_must_be_possible_and_fit_the_arrays(name: str, value: object) -> None:
    arrays = random_arrays(SHAPE, Random(1), int8=True)
    with pytest.raises(ValueError, match=r"of the network|numbers, not|no array|whose table"):
        Network({**SHAPE.about(), name: value}, arrays)


def test_a_table_has_rows() -> None:
    with pytest.raises(ValueError, match="0 rows, not 1 to"):
        made(word_0=lambda numbers: numbers[:0])


def test_matrices_may_have_their_shape() -> None:
    def shaped(shape: tuple[int, int]) -> Any:
        return lambda numbers: memoryview(numbers).cast("B").cast("f", shape)

    made(int8=False, slot=shaped((48, 32)))
    with pytest.raises(ValueError, match="slot: 32 x 48 numbers, not 48 x 32"):
        made(int8=False, slot=shaped((32, 48)))
    with pytest.raises(ValueError, match="the array is not contiguous"):
        made(hidden_bias=lambda numbers: memoryview(array("f", [*numbers, *numbers]))[::2])


def test_kernels_that_this_machine_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match=f"no kernels 'abacus'; it has {', '.join(variants())}"):
        Network(SHAPE.about(), random_arrays(SHAPE, Random(1), int8=True), "abacus")


def ints(*numbers: int) -> array[int]:
    return array("i", numbers)


@pytest.mark.parametrize(
    ("rows", "starts", "message"),
    [
        (ints(0, 11), ints(0, 1, 2), "row 11 of field 1 does not exist: its table has 11 rows"),
        (ints(-1, 0), ints(0, 1, 2), "row -1 of field 0"),
        (ints(0, 0), ints(0, 1, 3), "list 2 of rows starts at 3 of 2"),
        (ints(0, 0), ints(0, 2, 1), "list 2 of rows starts at 1"),
        (ints(0, 0), ints(-1, 0, 0), "list 0 of rows starts at -1"),
        (ints(0, 0), ints(0, 1), "2 offsets do not fit 2 fields per word"),
        (ints(), ints(), "0 offsets do not fit"),
    ],
)
def test_spellings_must_be_in_the_tables(rows: Any, starts: Any, message: str) -> None:
    space = NetworkSpace(made())
    with pytest.raises(ValueError, match=message):
        space.add_types(rows, starts)
    assert space.n_types == 0


@pytest.mark.parametrize(
    ("types", "lengths", "message"),
    [
        (ints(0, 3), ints(2), "word 1 is of type 3 of 3"),
        (ints(-1), ints(1), "word 0 is of type -1"),
        (ints(0, 1), ints(3), "2 words, but the lengths sum to 3"),
        (ints(0), ints(2, -1), "a sentence has -1 words"),
    ],
)
def test_words_must_be_of_known_types(types: Any, lengths: Any, message: str) -> None:
    network = made()
    space = NetworkSpace(network)
    space.add_types(*as_lists(spellings(SHAPE, Random(2), 3)))
    with pytest.raises(ValueError, match=message):
        network.annotate(space, types, lengths)
    assert len(network.annotate(space, ints(0, 1, 2), ints(2, 1))[1]) == 3 * 3 * 16


def test_a_space_belongs_to_its_network() -> None:
    with pytest.raises(ValueError, match="belongs to another network"):
        made().annotate(NetworkSpace(made()), ints(), ints())


def test_rows_of_states_have_the_hidden_units() -> None:
    network = made()
    with pytest.raises(ValueError, match="a row has 15 numbers, not 16"):
        network.state_scores([array("h", [0] * 15)])
    with pytest.raises(ValueError, match="129 rows"):
        network.state_scores([array("h", [0] * 16)] * 129)
