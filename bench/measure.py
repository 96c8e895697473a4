"""Shared functions of the benchmarks: CPU affinity, medians, memory, separate processes."""

from __future__ import annotations

import multiprocessing
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

import typer

Data = Annotated[
    Path,
    typer.Option(envvar="DODONA_DATA", help="Folder of treebanks: DIR/<name>/train.conllu, …"),
]
# en-linear and en-large, which do not ship
os.environ.setdefault("DODONA_MODELS", str(Path(__file__).parents[1] / "models"))
P = ParamSpec("P")
R = TypeVar("R")


def use_one_core() -> bool:
    """Bind this process and its children to one core; return False if the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True


def use_all_cores(cores: set[int]) -> None:
    """Undo `use_one_core`."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def cores() -> set[int]:
    """Return the cores on which this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def peak_memory() -> int | None:
    """Return the peak memory of this process in bytes, or None if it is unknown."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a child starts from its parent's on Linux; VmHWM does not
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
        (line,) = (line for line in lines if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return None


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process so far; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return 0.0
    user, system = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def apart(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a function in a new process, so that its peak memory is its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *args, **kwargs).result()


def median_seconds(function: Callable[[], Any], repeat: int) -> float:
    """Return the median wall time of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def machine() -> dict[str, Any]:
    """Describe the machine on which the figures are measured."""
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if shutil.which("lscpu"):  # ARM: /proc/cpuinfo has numbers instead of names
        listed = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
        if found := re.search(r"^Model name:\s*(.+)$", listed, re.MULTILINE):
            return found[1]
    return platform.processor() or platform.machine()
