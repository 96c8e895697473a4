"""Systems written in Python whose methods are wrong: errors are raised, and the core stays sound.

An input is the JSON of a class: its attributes, and for each method what it does in one state after
the other. What is not given is done by a system that is right.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import dodona
from dodona.core.transitions.registry import SYSTEMS
from fuzz import samples
from fuzz.json_mutation import deep, json_values
from fuzz.mutation import BLIND
from fuzz.parses import check_parses
from fuzz.target import Target, promise

NAME = "fuzzed"
MOVES = ["SHIFT", "LEFT-ARC", "RIGHT-ARC"]
OPERATIONS = ["push", "pop", "next_word", "put_back", "add_arc"]
MOST_CALLS = 3000  # of the methods; a system need not come to an end
GOLD = dodona.Gold([2, 0, 2], ["nsubj", "root", "obj"])
LABELS = ["nsubj", "root", "obj"]
ATTRIBUTES = ("moves", "when", "leftward", "rightward", "joins", "roots")
KNOWN = [
    *(*MOVES, *OPERATIONS, *LABELS, "front", "stack", "hybrid", "first", "last", "none"),
    *(["add_arc", 1, "obj", 2], ["add_arc", 0, None, 3], ["push", 1], ["pop"], ["next_word"]),
    *(["put_back", 2], {"SHIFT": 0, "LEFT-ARC": 1, "RIGHT-ARC": 2}, {"error": "a slip"}),
]


class EndlessError(ValueError):
    """A system that goes on and on, which only its author can know."""


class Hybrid(dodona.PythonSystem):
    """Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011), from which inputs differ."""

    moves = tuple(MOVES)
    when = ("a word in the buffer", "a word on the stack and one in the buffer", "two nodes")
    leftward, rightward = ("LEFT-ARC",), ("RIGHT-ARC",)
    joins = "hybrid"

    def final(self, state: Any) -> bool:
        return bool(state.stack == (0,) and not state.buffer)

    def valid_moves(self, state: Any) -> list[str]:
        are_valid = (state.buffer, state.buffer and state.stack[-1] != 0, len(state.stack) > 1)
        return [move for move, is_valid in zip(MOVES, are_valid, strict=True) if is_valid]

    def take(self, state: Any, move: str, label: str | None) -> None:
        if move == "SHIFT":
            state.push(state.next_word())
        elif move == "LEFT-ARC":
            state.add_arc(state.buffer[0], label, state.pop())
        else:
            word = state.pop()
            state.add_arc(state.stack[-1], label, word)

    def move_costs(self, state: Any, gold: Any) -> dict[str, int]:
        return dict.fromkeys(self.valid_moves(state), 0)


class Methods:
    """The methods of an input, each of which goes through its list again and again."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given, self._n_calls = given, 0

    def replaced(self) -> dict[str, Any]:
        """Return the methods that are given."""
        names = ("final", "valid_moves", "take", "move_costs", "static_move")
        return {name: self._method(name) for name in names if self._list(name)}

    def _list(self, name: str) -> list[Any]:
        found = self._given.get(name)
        return found if isinstance(found, list) else []

    def _method(self, name: str) -> Callable[..., Any]:
        doings = self._list(name)

        def method(system: Any, state: Any, *rest: Any) -> Any:
            self._n_calls += 1
            if self._n_calls > MOST_CALLS:
                raise EndlessError("the methods are called again and again")
            doing = doings[self._n_calls % len(doings)]
            if doing == "right":
                return getattr(Hybrid, name)(system, state, *rest)
            if isinstance(doing, dict) and "error" in doing:
                raise ValueError(f"an error of its own: {doing['error']!r}")
            return self._change(state, doing) if name == "take" else doing

        return method

    def _change(self, state: Any, operations: Any) -> None:
        for operation in operations if isinstance(operations, list) else []:
            if isinstance(operation, list) and operation and operation[0] in OPERATIONS:
                getattr(state, operation[0])(*operation[1:])


@cache
def sentences() -> list[dodona.Sentence]:
    return [sentence for sentence in samples.treebank() if len(sentence) <= 6][:4]


def run(data: bytes) -> object:
    """Define the class; derive, train and parse with it."""
    try:
        given = json.loads(data)
    except RecursionError:
        raise ValueError("JSON that Python does not descend") from None
    if not isinstance(given, dict):
        raise ValueError("expected an object")
    attributes = {name: _hashable(given[name]) for name in ATTRIBUTES if name in given}
    methods = Methods(given).replaced()
    type("Fuzzed", (Hybrid,), {"name": NAME, **attributes, **methods})
    try:
        return _use()
    finally:
        SYSTEMS.pop(NAME, None)


def _use() -> object:
    system = dodona.system(NAME, labels=LABELS)
    outcomes = [_outcome(way, system) for way in (_derive, _walk)]
    parser = dodona.train(sentences(), system=NAME, epochs=1, features=samples.small_templates())
    check_parses(sentences(), list(parser.pipe(sentences())))
    check_parses(sentences(), list(parser.pipe(sentences(), beam=2)))
    return tuple(outcomes)


def _outcome(way: Callable[[Any], int], system: Any) -> str:
    """Return how it ended: an error of one way does not keep the others from being tried."""
    try:
        return str(min(way(system), 9))
    except REFUSES as error:
        promise(bool(str(error)), "an error says what is wrong")
        return type(error).__name__


def _derive(system: Any) -> int:
    return len(system.derivation(GOLD))


def _walk(system: Any) -> int:
    """Take the cheapest action, for as many steps as a derivation may have."""
    state, n_steps = system.start(3), 0
    while not system.is_final(state) and n_steps < 50:
        costs = system.costs(state, GOLD)
        state = system.step(state, min(costs, key=costs.__getitem__))
        n_steps += 1
        words = [*state.stack, *state.buffer]
        promise(len(words) == len(set(words)) and all(0 <= w <= 3 for w in words), "nodes")
        heads = [arc[0] for arc in state.arcs]
        promise(all(0 <= head <= 3 for head in heads), "arcs join nodes")
    return n_steps


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _whole(data: bytes) -> tuple[bytes, bytes]:
    return b"", data


# RuntimeError: too many transitions
REFUSES = (ValueError, IndexError, KeyError, TypeError, OverflowError, RuntimeError)
TARGET = Target(
    run=run,
    refuses=REFUSES,
    mutators=[*BLIND, *[json_values(*KNOWN, part=_whole)] * 12, deep(_whole)],
    longest=800,
)
