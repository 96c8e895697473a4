"""Compiled classes without their initialiser: refused, or of no harm."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dodona

# Goes through every compiled class; what does not refuse `__new__` is used in every way. It prints
# the number of classes, then those that gave an object.
EXERCISE = """
import copy, copyreg, importlib, pkgutil, sys
import dodona, dodona._compiled

def use(thing):
    values = [(), (None,), (1,), ("x",), (thing,), (None, None), (1, "x"), (thing, thing, thing)]
    for do in (repr, str, len, iter, list, hash, bytes, bool, copy.copy, copy.deepcopy):
        attempt(do, thing)
    attempt(lambda: thing == thing)
    attempt(lambda: thing[0])
    for name in dir(thing):
        found = attempt(getattr, thing, name)
        if callable(found) and name not in ("__init_subclass__", "__subclasshook__", "__class__"):
            for some in values:
                attempt(found, *some)

def attempt(do, *given):
    try:
        return do(*given)
    except Exception:
        return None

kinds = []
for module in pkgutil.iter_modules(dodona._compiled.__path__):
    names = vars(importlib.import_module(f"dodona._compiled.{module.name}"))
    own = names["__name__"]
    kinds += [v for v in names.values() if isinstance(v, type) and v.__module__ == own]
bare = []
for kind in sorted(set(kinds), key=repr):
    makers = [kind.__new__, copyreg.__newobj__, object.__new__]
    makers += [base.__new__ for base in kind.__mro__[1:]]
    made = [thing for make in makers if (thing := attempt(make, kind)) is not None]
    if made:
        bare.append(kind.__name__)
    for thing in made:
        use(thing)
print(len(set(kinds)), *bare)
"""


def test_no_object_without_content_can_be_made_or_does_harm() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", EXERCISE],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    n_kinds, *bare = done.stdout.split()
    assert int(n_kinds) > 50
    assert bare == ["PythonBridge"]  # the base of systems in Python, made without labels and moves


def test_the_message_tells_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"Word\.__new__ would make an object without content"):
        dodona.Word.__new__(dodona.Word)


def test_a_python_system_that_forgets_the_initialiser_does_no_harm() -> None:
    class Forgetful(dodona.PythonSystem):
        def __init__(self) -> None:
            pass

        def final(self, state: dodona.State) -> bool:
            return False

    system = Forgetful()
    assert (system.labels, system.moves) == ((), ())
    state = system.start(3)
    assert repr(state) and repr(system)
    with pytest.raises((ValueError, NotImplementedError)):
        system.derivation(dodona.Gold([2, 0, 2], ["a", "root", "b"]))
