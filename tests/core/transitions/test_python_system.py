"""Systems written in Python: the one of the manual, and broken ones."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.core.transitions.registry import SYSTEMS
from dodona.core.transitions.system import LOSSES
from dodona.explorer.explore import Explorer
from dodona.parsing.parser import Parser
from dodona.storage.container import ContainerError
from reference.arc_hybrid import ArcHybrid
from reference.search import Space
from reference.trees import projective_trees
from support.given_lab import cases, check
from support.small import train, treebank
from support.states import TWO, core_states

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "own-system.md"
pytestmark = pytest.mark.usefixtures("own_systems")


@pytest.fixture
def hybrid() -> type[dodona.PythonSystem]:
    """Return the class that the manual shows."""
    block = re.search(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {"__name__": __name__}
    exec(block[1], names)
    found: type[dodona.PythonSystem] = names["MyHybrid"]
    return found


def broken(hybrid: type[dodona.PythonSystem], **methods: Any) -> str:
    """Register the manual's system with other methods; return its name."""
    type("Broken", (hybrid,), {"name": "broken", **methods})
    return "broken"


@pytest.mark.usefixtures("hybrid")
def test_it_keeps_given_arcs() -> None:
    mine, n_kept = train(treebank(20, 1, 0.3), system="my-hybrid", root="first"), 0
    for sentence, given, is_possible in cases("my-hybrid", 40, seed=1):
        try:
            check(given, mine.parse(sentence, given=given))
            n_kept += 1
        except dodona.DodonaError:
            assert not is_possible
    assert n_kept > 30


# --- it is a system as others are


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.usefixtures("hybrid")
def test_it_equals_its_compiled_sister_in_every_state(n: int, loss: str) -> None:
    mine = dodona.system("my-hybrid", labels=TWO, loss=loss)
    sister = dodona.system("arc-hybrid", labels=TWO, loss=loss)
    twin = Space(ArcHybrid(TWO))
    for (_, state), (_, other) in zip(
        core_states(mine, twin, n), core_states(sister, twin, n), strict=True
    ):
        assert (state.stack, state.buffer, state.arcs) == (other.stack, other.buffer, other.arcs)
        assert mine.valid(state) == sister.valid(other)
        assert mine.is_final(state) == sister.is_final(other)
        for heads in projective_trees(n):
            gold = dodona.Gold(heads, ["root" if head == 0 else "obj" for head in heads])
            if not mine.is_final(state):
                assert mine.costs(state, gold) == sister.costs(other, gold)
                assert mine.optimal(state, gold) == sister.optimal(other, gold)


@pytest.mark.parametrize(
    "settings",
    [{"training": "ambiguity"}, {"training": "explore"}, {"beam": 3}],
    ids=["ambiguity", "explore", "beam"],
)
@pytest.mark.usefixtures("hybrid")
def test_it_learns_what_its_compiled_sister_learns(settings: dict[str, Any]) -> None:
    sentences, unseen = treebank(20, 1, 0.3), treebank(10, 5)
    mine, sister = (
        train(sentences, system=name, root="first", **settings)
        for name in ("my-hybrid", "arc-hybrid")
    )
    assert mine.scorer.weights.rows_bytes() == sister.scorer.weights.rows_bytes()
    assert list(mine.pipe(unseen)) == list(sister.pipe(unseen))
    assert list(mine.pipe(unseen, threads=2)) == list(sister.pipe(unseen))
    assert [action for _, action in mine.trace(unseen[0])] == [
        action for _, action in sister.trace(unseen[0])
    ]


@pytest.mark.usefixtures("hybrid")
def test_it_learns_from_its_static_oracle() -> None:
    parser = train(treebank(20, 1, 0.3), system="my-hybrid", training="static")
    assert parser.settings.root == "first"
    assert all(None not in parsed.heads for parsed in parser.pipe(treebank(5, 5)))


def test_its_settings_are_those_that_suit_it(hybrid: type[dodona.PythonSystem]) -> None:
    assert dodona.Settings(system="my-hybrid").resolved().features == "rich-hybrid"
    assert type("OnStack", (hybrid,), {"name": "x", "joins": "stack"}).default_templates == (
        "rich-stack"
    )


@pytest.mark.usefixtures("hybrid")
def test_it_can_be_explored() -> None:
    sentence = treebank(5, 1)[0]
    parser = train(treebank(10, 1), system="my-hybrid")
    explorer = Explorer(sentence, parser=parser)
    state, taken = explorer.follow(explorer.derivation("static"))
    assert explorer.view(state).is_final and all(choice.cost == 0 for choice in taken)
    assert explorer.derivation("model") == [a for _, a in parser.trace(sentence) if a]
    assert Explorer(sentence, "my-hybrid").derivation("best") == explorer.derivation("best")


@pytest.mark.usefixtures("hybrid")
def test_a_model_needs_the_system_that_it_was_trained_with(tmp_path: Path) -> None:
    parser, path = train(treebank(5, 1), system="my-hybrid"), tmp_path / "my.dodona"
    parser.save(path)
    sentences = treebank(5, 5)
    assert list(Parser.load(path).pipe(sentences)) == list(parser.pipe(sentences))
    del SYSTEMS["my-hybrid"]
    with pytest.raises(ContainerError, match=r"'my-hybrid'.*import the module that defines it"):
        dodona.load(path)


# --- names


def test_a_name_of_the_package_is_refused(hybrid: type[dodona.PythonSystem]) -> None:
    with pytest.raises(ValueError, match="'arc-hybrid' is a transition system of Dodona"):
        type("Thief", (hybrid,), {"name": "arc-hybrid"})
    assert not issubclass(SYSTEMS["arc-hybrid"], dodona.PythonSystem)


def test_a_class_of_the_same_name_takes_the_place_of_the_first(
    hybrid: type[dodona.PythonSystem],
) -> None:
    again = type("Again", (hybrid,), {"name": "my-hybrid"})
    assert type(dodona.system("my-hybrid", labels=TWO)) is again


def test_a_class_without_a_name_of_its_own_is_not_registered(
    hybrid: type[dodona.PythonSystem],
) -> None:
    type("Half", (hybrid,), {})
    assert type(dodona.system("my-hybrid", labels=TWO)) is hybrid


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"when": ("one",)}, "3 moves, but `when` has 1 texts"),
        ({"leftward": ("LEFT",)}, "leftward is a tuple of one or more of its moves"),
        ({"rightward": ()}, "rightward is a tuple of one or more of its moves"),
        ({"joins": "friends"}, "joins is one of front, stack, hybrid, not 'friends'"),
        ({"roots": ("left",)}, "roots are some of first, last, none"),
    ],
)
def test_a_class_that_does_not_fit_together_is_refused(
    hybrid: type[dodona.PythonSystem], wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        broken(hybrid, **wrong)


# --- errors reach whoever asked


def fail(*_: object) -> Any:
    raise ZeroDivisionError("a slip of the pen")


def derive(name: str) -> None:
    system = dodona.system(name, labels=TWO)
    system.derivation(dodona.Gold([0, 1], ["root", "obj"]))


def rollout(name: str) -> None:
    system = dodona.system(name, labels=TWO)
    gold, state = dodona.Gold([0, 1], ["root", "obj"]), system.start(2)
    while not system.is_final(state):
        costs = system.costs(state, gold)
        state = system.step(state, min(costs, key=costs.__getitem__))


def learn(**settings: Any) -> Callable[[str], object]:
    return lambda name: train(treebank(5, 1), system=name, **settings)


WAYS: dict[str, Callable[[str], object]] = {
    "derivation": derive,
    "steps": rollout,
    "explore": learn(training="explore"),
    "static": learn(training="static"),
    "beam": learn(beam=3),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["final", "valid_moves", "take", "move_costs"])
def test_what_goes_wrong_in_a_method_is_raised(
    hybrid: type[dodona.PythonSystem], method: str, way: str
) -> None:
    name = broken(hybrid, **{method: fail})
    for _ in range(2):  # the first error leaves nothing behind
        with pytest.raises(ZeroDivisionError, match="a slip of the pen"):
            WAYS[way](name)


def no_moves(*_: object) -> Iterable[str]:
    return ()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"valid_moves": no_moves}, "no valid move in .*, which is not final"),
        ({"valid_moves": lambda *_: ["JUMP"]}, "no move 'JUMP', only SHIFT, LEFT-ARC, RIGHT-ARC"),
        ({"move_costs": lambda *_: {"LEFT-ARC": 0}}, "no cost for SHIFT|'SHIFT'"),
        ({"take": lambda _, state, *rest: [state.pop(), state.pop()]}, "the stack is empty"),
        ({"take": lambda _, state, *rest: state.push(1)}, "1 is on the stack or in the buffer"),
        ({"take": lambda _, state, *rest: state.push(99)}, "there is no node 99"),
        ({"take": lambda _, state, *rest: state.add_arc(1, None, 0)}, "the artificial root has no"),
        ({"take": lambda _, state, *rest: state.add_arc(1, None, 1)}, "would close a cycle"),
        ({"take": lambda _, state, *rest: state.add_arc(0, "?", 1)}, "has no label '\\?'"),
    ],
)
def test_what_cannot_be_is_said(
    hybrid: type[dodona.PythonSystem], wrong: dict[str, Any], message: str, way: str
) -> None:
    name = broken(hybrid, **wrong)
    with pytest.raises((ValueError, IndexError, KeyError), match=message):
        WAYS[way](name)


@pytest.mark.parametrize("way", WAYS)
def test_costs_that_are_no_mapping_are_said(hybrid: type[dodona.PythonSystem], way: str) -> None:
    name = broken(hybrid, move_costs=lambda *_: 7)
    with pytest.raises(TypeError, match=r"'int' object is not subscriptable|'int' is not iterable"):
        WAYS[way](name)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("beam", [1, 3])
def test_what_goes_wrong_in_parsing_is_raised_for_the_sentence_alone(
    hybrid: type[dodona.PythonSystem], beam: int, threads: int
) -> None:
    sentences = treebank(12, 1)
    longest = max(map(len, sentences))

    def final(self: dodona.PythonSystem, state: dodona.State) -> bool:
        if len(state) == longest:
            fail()
        return hybrid.final(self, state)

    parser = train([s for s in sentences if len(s) < longest], system=broken(hybrid, final=final))
    with pytest.raises(ZeroDivisionError):
        list(parser.pipe(sentences, beam=beam, threads=threads))
    for ask in (parser.trace, parser.trace_beam):
        with pytest.raises(ZeroDivisionError):
            ask(max(sentences, key=len))
    short = min(sentences, key=len)
    assert None not in next(parser.pipe([short], beam=beam, threads=threads)).heads


def test_moves_that_were_never_learned_end_the_search(hybrid: type[dodona.PythonSystem]) -> None:
    """Training has rightward arcs only, but then only LEFT-ARC is valid."""
    chain = dodona.Sentence.from_columns(["a", "b"], heads=[0, 1], deprels=["root", "obj"])
    parser = train([chain] * 5, system=broken(hybrid))

    def only_left(self: dodona.PythonSystem, state: dodona.State) -> list[str]:
        moves = hybrid.valid_moves(self, state)
        return ["LEFT-ARC"] if "LEFT-ARC" in moves else list(moves)

    parser.system.__class__.valid_moves = only_left  # type: ignore[method-assign]
    for beam in (1, 3):
        assert None not in next(parser.pipe([chain], beam=beam)).heads
    assert parser.trace(chain)[-1][1] is None


def test_a_system_whose_class_can_be_imported_can_be_pickled(
    hybrid: type[dodona.PythonSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "MyHybrid", hybrid)
    system = dodona.system("my-hybrid", labels=TWO, loss="graded")
    assert pickle.loads(pickle.dumps(system)) == system
