"""The slot language: parsing, built-in slot sets, and errors."""

from __future__ import annotations

import pytest

import dodona
from dodona.core.features.templates import TemplateError
from dodona.core.network.slot_language import load_slots, parse_slots, slot_names
from dodona.core.network.slots import Slots
from dodona.settings import SLOTS


@pytest.mark.parametrize("name", slot_names())
def test_slots_that_ship_are_understood_and_suit_a_system(name: str) -> None:
    slots = Slots(load_slots(name))
    suited = [
        system
        for system in dodona.systems()
        if SLOTS.get(type(dodona.system(system, labels=["a"])).default_templates) == name
    ]
    assert suited
    for system in suited:
        found = dodona.system(system, labels=["a", "b"])
        slots.check(found)
        assert len(slots.sizes(found)) == slots.n_atoms


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s0\nt0", "<slots>:2: no slot 't0'; slots start with s0"),
        ("s0.leaf", "<slots>:1: no relation 'leaf'; there are: head"),
        ("s0.tree_head", "no relation 'tree_head'"),
        ("s0\ns0", "is listed twice"),
        ("# nothing\n", "lists no slot"),
        ("distance", "lists no slot"),
    ],
)
def test_what_is_no_slot_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said):
        parse_slots(text)


def test_slots_of_graphs_are_not_for_trees() -> None:
    with pytest.raises(ValueError, match="for graph systems, but arc-eager builds trees"):
        Slots("s0.head2").check(dodona.system("arc-eager", labels=["a"]))
