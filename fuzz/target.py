"""What is fuzzed: a function of bytes, what it may refuse, and how inputs of it are changed."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random

import fuzz.targets

CORPUS = Path(__file__).parent / "corpus"

Mutator = Callable[[bytes, Random, Sequence[bytes]], bytes]  # an input, and those to borrow from


@dataclass(frozen=True)
class Target:
    """One way into Dodona.

    `run` tells roughly what became of an input: an input that gives something new is kept, and
    changed further. Whatever it raises but for `refuses` is a finding.
    """

    run: Callable[[bytes], Hashable]
    refuses: tuple[type[Exception], ...]
    mutators: Sequence[Mutator]
    longest: int  # bytes of an input; short ones are quick
    seeds: Callable[[], Sequence[bytes]] = lambda: ()  # beside those in the corpus


class WrongAnswer(AssertionError):  # noqa: N818
    """An input was taken, but what came of it does not keep what we promise."""


def promise(holds: bool, what: str) -> None:
    """Fail if something does not hold.

    >>> promise(1 < 2, "one is less than two")
    """
    if not holds:
        raise WrongAnswer(f"not so: {what}")


def names() -> list[str]:
    """Every target there is: a module each."""
    return sorted(module.name for module in pkgutil.iter_modules(fuzz.targets.__path__))


def load(name: str) -> Target:
    """The target of this name, or in the module of it; may take a moment to make models."""
    module = name if "." in name else f"fuzz.targets.{name}"
    found: Target = import_module(module).TARGET
    return found


def seeds(name: str, target: Target) -> list[bytes]:
    """What to begin with: our own small files, in the order of their names, and what is made."""
    files = sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
    return [path.read_bytes() for path in files] + list(target.seeds())
