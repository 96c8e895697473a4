"""Injection of faults into the N-th allocation, write, … of a program, by preloading `faults.c`.

A test passes a script to `run_with_faults`. The script selects where faults happen:

    from faults.inject import failing

    with failing("write", 3, within=".conllu") as fault:
        …
    print(fault.n_calls, fault.n_failed)

Paths are those that the program opens; of `open` and `rename`, the path that is written.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

KINDS = ("memory", "open", "read", "write", "sync", "rename")
TESTS = Path(__file__).parent.parent
COMPILED = "dodona/_compiled"  # a piece of the paths of our extension modules

_places: list[TemporaryDirectory[str]] = []  # they go with the process


@dataclass
class Fault:
    """The outcome of a region with injected faults."""

    n_calls: int = 0  # of the kind, in the region
    n_failed: int = 0


@contextmanager
def failing(
    kind: str, first: int, *, last: int | None = None, error: int = 0, within: str = ""
) -> Iterator[Fault]:
    """Make the calls `first` … `last` of a kind fail, counted from 1; by default only the first.

    With `last=0`, all calls from the first on fail, as on a disk that stays full; with `first=0`
    and no `last`, calls are only counted. `error` is the errno, by default ENOSPC (allocations
    ignore it). `within` restricts the calls to paths that contain it: of files, or of the shared
    objects that allocate memory (`COMPILED`: the compiled core).
    """
    library = ctypes.CDLL(None)  # finds preloaded symbols
    library.faults_calls.restype = library.faults_failed.restype = ctypes.c_long
    fault = Fault()
    library.faults_arm(
        KINDS.index(kind),
        ctypes.c_long(first if first > 0 else 2**62),
        ctypes.c_long(first if last is None else last),
        error or errno.ENOSPC,
        os.fsencode(within),
    )
    try:
        yield fault
    finally:
        library.faults_disarm()
        fault.n_calls, fault.n_failed = library.faults_calls(), library.faults_failed()


def run_with_faults(
    script: str, *arguments: object, timeout: float = 60, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in a Python process with fault injection; skip if it is not available."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={
            **os.environ,
            "LD_PRELOAD": str(built()),
            "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
            "PYTHONFAULTHANDLER": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@cache
def built() -> Path:
    """Return the path of the library; skip the test if it cannot be built."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux":
        pytest.skip("faults are injected by a preloaded library, on Linux only")
    if compiler is None:
        pytest.skip("faults are injected by a library in C, and there is no compiler here")
    if "LD_PRELOAD" in os.environ:
        pytest.skip("another library is preloaded: that of a sanitizer?")
    place = TemporaryDirectory()
    _places.append(place)
    library = Path(place.name, "faults.so")
    source = Path(__file__).with_name("faults.c")
    flags = "-std=gnu11 -O1 -shared -fPIC -fexceptions -Wall -Wextra -Werror"
    # operator new is behind ours only if its library is there from the start
    libraries = "-Wl,--no-as-needed -lstdc++ -ldl"
    command = [compiler, *flags.split(), source, "-o", library, *libraries.split()]
    subprocess.run(command, check=True)
    return library
