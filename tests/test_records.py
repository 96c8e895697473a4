"""Records behave like dataclasses."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import dodona
from dodona import records
from dodona.settings import SegmenterSettings, TaggerSettings


def make(decorate: Callable[..., Any], field: Any, **how: Any) -> Any:
    """Make a class by records or by dataclasses."""

    class Oak:
        kind: ClassVar[str] = "tree"
        name: str
        height: int = 3
        leaves: list[str] = field(default_factory=list, metadata={"help": "green"})
        hidden: int = field(default=0, repr=False, compare=False)
        later: int = field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", self.height + 1)

    Oak.__qualname__ = "Oak"
    return decorate(Oak, **how)


BOTH = [(records.record, records.field), (dataclasses.dataclass, dataclasses.field)]


def pair(**how: Any) -> list[Any]:
    return [make(decorate, field, **how) for decorate, field in BOTH]


def told(ask: Callable[[], Any]) -> Any:
    """Return the result of a call, or the type of its error."""
    try:
        return ask()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(
    "ask",
    [
        lambda oak: repr(oak("Dodona", 7, ["a"], hidden=4)),
        lambda oak: oak("Dodona").later,
        lambda oak: oak("Dodona").leaves is oak("Dodona").leaves,
        lambda oak: oak("Dodona", hidden=1) == oak("Dodona", hidden=2),
        lambda oak: oak("Dodona") == oak("Delphi"),
        lambda oak: oak("Dodona") == ("Dodona", 3, []),
        lambda oak: oak(),
        lambda oak: oak("a", 1, [], 0, 5),
        lambda oak: oak("a", 1, [], 0, 5, 6),
        lambda oak: oak("a", name="b"),
        lambda oak: oak("a", size=3),
        lambda oak: hash(oak("Dodona", leaves=())) == hash(oak("Dodona", leaves=(), hidden=9)),
        lambda oak: (oak.height, oak.hidden, oak.kind, hasattr(oak, "leaves"), oak.__match_args__),
        lambda oak: setattr(oak("Dodona"), "height", 4),
        lambda oak: setattr(oak("Dodona"), "width", 4),
        lambda oak: delattr(oak("Dodona"), "name"),
        lambda oak: dataclasses.is_dataclass(oak) and dataclasses.is_dataclass(oak("Dodona")),
        lambda oak: [
            (f.name, f.type, f.init, f.repr, f.compare, dict(f.metadata))
            for f in dataclasses.fields(oak)
        ],
        lambda oak: [f.default is dataclasses.MISSING for f in dataclasses.fields(oak)],
        lambda oak: dataclasses.asdict(oak("Dodona", leaves=["a"])),
        lambda oak: repr(dataclasses.replace(oak("Dodona"), height=9)),
        lambda oak: dataclasses.replace(oak("Dodona"), size=9),
        lambda oak: str(inspect.signature(oak)).replace("Oak", ""),
        lambda oak: repr(copy.copy(oak("Dodona"))) + repr(copy.deepcopy(oak("Dodona"))),
    ],
)
def test_it_answers_as_a_dataclass_does(ask: Callable[[Any], Any], frozen: bool) -> None:
    ours, theirs = (told(lambda oak=oak: ask(oak)) for oak in pair(frozen=frozen))
    assert ours == theirs


def test_a_class_keeps_its_own_repr() -> None:
    ours, theirs = pair(repr=False)
    assert (
        repr(ours("Dodona")).partition(" object")[0]
        == repr(theirs("Dodona")).partition(" object")[0]
    )


def test_it_is_matched_by_place() -> None:
    oak, _ = pair()
    match oak("Dodona", 7):
        case oak(name, height):
            assert (name, height) == ("Dodona", 7)
        case _:
            pytest.fail("no match")


def test_one_that_can_be_called_shows_what_it_is_called_with() -> None:
    @records.record
    class Voice:
        pitch: int = 0

        def __call__(self, question: str) -> str:
            return question

    assert list(inspect.signature(Voice()).parameters) == ["question"]
    assert list(inspect.signature(Voice).parameters) == ["pitch"]


@pytest.mark.parametrize("kind", [dodona.Settings, TaggerSettings, SegmenterSettings])
def test_settings_are_dataclasses_to_everybody(kind: Any) -> None:
    settings = kind(seed=7)
    assert dataclasses.asdict(settings)["seed"] == 7
    assert (
        dataclasses.replace(settings, seed=8) == records.replace(settings, seed=8) == kind(seed=8)
    )
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert hash(settings) == hash(kind(seed=7))
    ours = [(f.name, f.type, f.default) for f in records.fields(kind)]
    assert ours == [(f.name, f.type, f.default) for f in dataclasses.fields(kind)]
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.seed = 9


def test_nobody_waits_for_dataclasses_who_does_not_ask() -> None:
    program = (
        "import sys, dodona.settings\n"
        "dodona.settings.Settings(seed=2).resolved()\n"
        "print('dataclasses' in sys.modules, 'inspect' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"False"]
