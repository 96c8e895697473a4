"""Fault injection: exactly the selected calls fail."""

from __future__ import annotations

from pathlib import Path

from faults.inject import run_with_faults

FILES = """
import errno, os, sys
from pathlib import Path
from faults.inject import failing

kind, path = sys.argv[1], Path(sys.argv[2])

def work():
    with open(path.with_name("other"), "wb", buffering=0) as other:
        other.write(b"not counted")
    with open(f"{path}.part", "wb", buffering=0) as file:
        for _ in range(3):
            file.write(b"abc")
        os.fsync(file.fileno())
    os.replace(f"{path}.part", path)
    with open(path, "rb", buffering=0) as file:
        file.read()

with failing(kind, 0, within=path.name) as fault:
    work()
print(fault.n_calls, fault.n_failed)
for n in range(1, fault.n_calls + 2):
    try:
        with failing(kind, n, within=path.name, error=errno.EIO) as fault:
            work()
    except OSError as error:
        assert error.errno == errno.EIO, error
    print(fault.n_calls, fault.n_failed)
"""

MEMORY = """
from faults.inject import COMPILED, failing
import dodona
from dodona.core.weights.linear import Weights

with failing("memory", 0, within=COMPILED) as fault:
    Weights(3)
n_calls = fault.n_calls
for n in range(1, n_calls + 1):
    try:
        with failing("memory", n, within=COMPILED) as fault:
            Weights(3)
    except MemoryError:
        pass
    else:
        raise SystemExit("it did not fail")
    assert fault.n_failed == 1, fault
with failing("memory", 1, last=0, within=COMPILED):
    [str(i) * 1000 for i in range(1000)]         # others have as much as they like
print(n_calls)
"""


def outcomes(kind: str, folder: Path) -> list[tuple[int, int]]:
    run = run_with_faults(FILES, kind, folder / "book")
    assert run.returncode == 0, run.stderr
    return [(int(a), int(b)) for a, b in (line.split() for line in run.stdout.splitlines())]


def test_each_write_of_a_file_fails_in_turn(tmp_path: Path) -> None:
    assert outcomes("write", tmp_path) == [(3, 0), (1, 1), (2, 1), (3, 1), (3, 0)]


def test_each_opening_of_a_file_fails_in_turn(tmp_path: Path) -> None:
    assert outcomes("open", tmp_path) == [(2, 0), (1, 1), (2, 1), (2, 0)]


def test_syncs_and_renames_fail(tmp_path: Path) -> None:
    assert outcomes("sync", tmp_path) == [(1, 0), (1, 1), (1, 0)]
    assert outcomes("rename", tmp_path) == [(1, 0), (1, 1), (1, 0)]


def test_each_allocation_of_ours_fails_in_turn_and_no_other() -> None:
    run = run_with_faults(MEMORY)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 0
