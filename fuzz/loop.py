"""The loop, in a process of its own that may crash: change an input, try it, keep what is new.

    python -m fuzz.loop JOB

`JOB` is a file in JSON that `fuzz.running` writes. What the process is doing stands in a file that
both have mapped, so that the input survives the crash.
"""

from __future__ import annotations

import faulthandler
import json
import signal
import struct
import sys
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from mmap import mmap
from pathlib import Path
from random import Random

from fuzz import target as targets
from fuzz.outcomes import describe, tell, try_input
from fuzz.shrinking import shrink
from fuzz.target import Target

MOST_MUTATIONS = 6
MOST_KEPT = 2000  # inputs; the oldest of those that were kept last goes
MOST_FINDINGS = 50  # whose kinds are told apart
SHRINK_TRIES = 1000
GIVE_BACK = 64  # inputs between two looks at the clock
LONGEST = 1 << 20  # bytes of any input
NOTE = struct.Struct("<QQ")  # how many inputs were begun, and how long the one at hand is


@dataclass(frozen=True)
class Job:
    """What a process is to do."""

    target: str
    seed: str
    n_inputs: int  # 0: only those of the corpus
    seconds: float
    cpu_seconds: float  # for one input, then it hangs
    memory: int  # bytes; 0: no limit
    found: str  # folder
    is_first: bool = True  # after a crash, the seeds are not tried again: one may be its cause
    note: str = ""
    only: str = ""  # an input, if it is to be tried alone

    def write(self, path: Path) -> None:
        """For `Job.read`."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Job:
        """What `write` wrote."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


class Note:
    """The input that is being tried, where another process can read it."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._mapped = mmap(file.fileno(), 0)

    @staticmethod
    def make(path: Path) -> None:
        """The file, before two processes map it."""
        path.write_bytes(bytes(NOTE.size + LONGEST))

    def write(self, n_inputs: int, data: bytes) -> None:
        """That this is being tried."""
        self._mapped[NOTE.size : NOTE.size + len(data)] = data
        NOTE.pack_into(self._mapped, 0, n_inputs, len(data))

    @staticmethod
    def read(path: Path) -> tuple[int, bytes]:
        """How many inputs there were, and the last of them."""
        with path.open("rb") as file:
            n_inputs, length = NOTE.unpack(file.read(NOTE.size))
            return n_inputs, file.read(length)


class Loop:
    """Inputs one after the other: first all seeds, then what is made of them."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.target: Target = targets.load(job.target)
        if job.only:
            self.pool = [Path(job.only).read_bytes()]
        else:
            self.pool = targets.seeds(job.target, self.target)
        self.longest = max(self.target.longest, *map(len, self.pool))
        self.note = Note(Path(job.note))
        self.n_inputs = 0
        self.signs: set[Hashable] = set()
        self.findings: set[Hashable] = set()
        self.random = Random(job.seed)

    def run(self) -> None:
        """Until the time is over, or the inputs are."""
        for data in list(self.pool) if self.job.is_first else ():
            self.try_one(data)
        for data in self.made():
            if self.try_one(data):
                self.keep(data)

    def made(self) -> Iterator[bytes]:
        """New inputs, as many as asked for."""
        end = time.monotonic() + self.job.seconds
        while self.n_inputs < self.job.n_inputs and time.monotonic() < end:
            for _ in range(min(GIVE_BACK, self.job.n_inputs - self.n_inputs)):
                yield self.mutate(self.random.choice(self.pool))

    def mutate(self, data: bytes) -> bytes:
        """Some changes, one on top of the other; mostly few."""
        random = self.random
        for _ in range(1 + int(random.random() ** 2 * MOST_MUTATIONS)):
            data = random.choice(self.target.mutators)(data, random, self.pool)
        return data[: self.longest]

    def try_one(self, data: bytes) -> bool:
        """Whether the outcome is new."""
        self.n_inputs += 1
        self.note.write(self.n_inputs, data)
        with limited_cpu(self.job.cpu_seconds):
            outcome = try_input(self.target, data)
        if outcome.error is not None:
            self.remember(data, outcome.error)
        if outcome.sign in self.signs:
            return False
        self.signs.add(outcome.sign)
        return True

    def keep(self, data: bytes) -> None:
        """Change this one further, too."""
        if len(self.pool) >= MOST_KEPT:
            self.pool.pop()
        self.pool.append(data)

    def remember(self, data: bytes, error: Exception) -> None:
        """Save a finding, as short as it can be, unless it is known."""
        sign = describe(error)[:2]
        if sign in self.findings or len(self.findings) >= MOST_FINDINGS:
            return
        self.findings.add(sign)

        def fails(shorter: bytes) -> bool:
            self.note.write(self.n_inputs, shorter)
            with limited_cpu(self.job.cpu_seconds):
                again = try_input(self.target, shorter).error
            return again is not None and describe(again)[:2] == sign

        shortest = shrink(data, fails, SHRINK_TRIES)
        again = try_input(self.target, shortest).error or error
        path = name_finding(Path(self.job.found), "-".join(sign))
        save_finding(path, shortest, tell(again))


def name_finding(folder: Path, sign: str) -> Path:
    """Where an input is saved: it is named after what it does."""
    return folder / "".join(char if char.isalnum() or char in "-_." else "_" for char in sign)


def save_finding(path: Path, data: bytes, story: str) -> None:
    """The input, and beside it what is known about it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    beside = path.with_name(f"{path.name}.txt")
    beside.write_text(story, encoding="utf-8", errors="backslashreplace")


@contextmanager
def limited_cpu(seconds: float) -> Iterator[None]:
    """End the process, with a traceback, if this one input takes longer; the parent sees to it
    where there are no such timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def limit_memory(n_bytes: int) -> None:
    """Let an allocation beyond this fail: more than what the process has by now."""
    if n_bytes and sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + n_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> None:
    """Do the job that is named."""
    job = Job.read(Path(sys.argv[1]))
    faulthandler.enable()
    if hasattr(signal, "SIGPROF"):
        faulthandler.register(signal.SIGPROF, chain=True)
    loop = Loop(job)
    limit_memory(job.memory)
    loop.run()


if __name__ == "__main__":
    main()
