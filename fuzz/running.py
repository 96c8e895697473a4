"""Run targets in processes of their own, start again after a crash, and tell what was found."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz.loop import Job, Note, name_finding, save_finding
from fuzz.shrinking import shrink

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "out" / "fuzz"  # git ignores it
CPU_SECONDS = 10.0  # for one input: it takes some milliseconds at the most
STANDSTILL = 60.0  # seconds by the clock without a new input: it waits for something
MEMORY = 1 << 30
ENDLESS = 1 << 60
SHRINK_TRIES = 30  # processes
# of the innermost frame, in what faulthandler prints first
FRAME = re.compile(r'most recent call first\):\n\s+File "(?:.*[/\\])?([^"]+)", line (\d+)')


@dataclass(frozen=True)
class Limits:
    """How long a target runs, and what one input may take."""

    seconds: float = 60.0
    n_inputs: int = ENDLESS
    cpu_seconds: float = CPU_SECONDS
    standstill: float = STANDSTILL
    memory: int = MEMORY


@dataclass
class Result:
    """What came of a target."""

    target: str
    n_inputs: int
    seconds: float
    findings: list[Path]

    def after(self, earlier: Result | None) -> Result:
        """The sum of this round and of those before."""
        if earlier is None:
            return self
        found = sorted({*earlier.findings, *self.findings})
        n_inputs = earlier.n_inputs + self.n_inputs
        return Result(self.target, n_inputs, earlier.seconds + self.seconds, found)


@dataclass(frozen=True)
class Ended:
    """How a process ended: after how many inputs, the last of them, and why if not well."""

    n_inputs: int
    data: bytes
    why: str = ""
    story: str = ""


def fuzz(name: str, limits: Limits, seed: int = 1, found: Path = FOUND) -> Result:
    """Run a target; the same seed and number of inputs do the same again."""
    folder, now = found / name, time.time()
    begin, n_inputs, n_starts = time.monotonic(), 0, 0
    while True:
        left = limits.seconds - (time.monotonic() - begin)
        if n_starts and (left <= 0 or n_inputs >= limits.n_inputs):
            break
        job = Job(
            name, f"{seed}/{n_starts}", limits.n_inputs - n_inputs, max(left, 0.0),
            limits.cpu_seconds, limits.memory, str(folder), is_first=n_starts == 0,
        )  # fmt: skip
        ended = run_job(job, limits.standstill)
        n_inputs += ended.n_inputs
        n_starts += 1
        if not ended.why:
            break
        remember(job, ended, limits.standstill)
    findings = sorted(path for path in folder.glob("*.txt") if path.stat().st_mtime >= now)
    return Result(name, n_inputs, time.monotonic() - begin, findings)


def run_job(job: Job, standstill: float) -> Ended:
    """One process, from its start to its end, good or bad."""
    with TemporaryDirectory() as folder:
        job = replace(job, note=str(Path(folder, "note")))
        Note.make(Path(job.note))
        job.write(Path(folder, "job"))
        with Path(folder, "stderr").open("w+b") as stderr:
            command = [sys.executable, "-m", "fuzz.loop", str(Path(folder, "job"))]
            process = subprocess.Popen(command, cwd=ROOT, stderr=stderr, stdout=stderr)
            try:
                is_stuck = wait(process, Path(job.note), standstill)
            finally:
                process.kill()
                process.wait()
            stderr.seek(0)
            story = stderr.read().decode(errors="replace")
        n_inputs, data = Note.read(Path(job.note))
    if is_stuck:
        return Ended(n_inputs, data, f"stuck for {standstill:g} s", story)
    if process.returncode == 0:
        return Ended(n_inputs, data)
    why = name_end(process.returncode)
    if n_inputs == 0:
        raise RuntimeError(f"the target {job.target!r} did not even start: {why}\n{story}")
    return Ended(n_inputs, data, why, story)


def wait(process: subprocess.Popen[bytes], note: Path, standstill: float) -> bool:
    """Wait for the end; True if no input has come to its own for so long."""
    seen, since = -1, time.monotonic()
    while True:
        try:
            process.wait(timeout=min(1.0, standstill / 4))
            return False
        except subprocess.TimeoutExpired:
            n_inputs, _ = Note.read(note)
            if n_inputs != seen:
                seen, since = n_inputs, time.monotonic()
            elif time.monotonic() - since > standstill:
                return True


def name_end(code: int) -> str:
    """How a process ended, in a word.

    >>> name_end(-11), name_end(1)
    ('SIGSEGV', 'exit-1')
    """
    if code >= 0:
        return f"exit-{code}"
    name = signal.Signals(-code).name
    return "hang" if name == "SIGPROF" else name


def remember(job: Job, ended: Ended, standstill: float) -> None:
    """Save what crashed a process or let it hang, shortened if it is new."""
    frame = FRAME.search(ended.story)
    path = name_finding(Path(job.found), "-".join([ended.why, *(frame.groups() if frame else ())]))
    if path.exists():
        path.with_name(f"{path.name}.txt").touch()  # found in this run, too
        return
    data = ended.data

    def fails(shorter: bytes) -> bool:
        return replay(job, shorter, standstill).why == ended.why

    if ended.why.startswith("SIG"):  # to wait for a hang again and again takes too long
        data = shrink(data, fails, SHRINK_TRIES)
    save_finding(path, data, f"{ended.why}\n\n{ended.story}")


def replay(job: Job, data: bytes, standstill: float = STANDSTILL) -> Ended:
    """Try one input alone, in a process of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(data)
        return run_job(replace(job, only=str(path), n_inputs=0), standstill)


def table(results: list[Result]) -> str:
    """What came of each target, and of all."""
    rows = [("target", "inputs", "inputs/s", "findings")]
    for result in results:
        speed = result.n_inputs / max(result.seconds, 1e-9)
        rows.append(
            (result.target, f"{result.n_inputs:,}", f"{speed:,.0f}", str(len(result.findings)))
        )
    total = sum(result.n_inputs for result in results)
    rows.append(("all", f"{total:,}", "", str(sum(len(r.findings) for r in results))))
    return "\n".join(f"{a:<14}{b:>14}{c:>12}{d:>10}" for a, b, c, d in rows)
