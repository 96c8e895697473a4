"""Learning in the background, in a process of its own, and what came of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from dodona.annotate.guessing import load_parser
from dodona.annotate.learner import Job, Result
from dodona.annotate.views import CurvePoint, LearnerKind, LearnerState
from dodona.errors import DodonaError
from dodona.parsing.parser import Parser

_END_OF_ERRORS = 2000  # characters of a traceback that are shown


@dataclass(frozen=True)
class Learned:
    """What a run of the learner returned: its model, and ratings of the candidates by number."""

    parser: Parser | None  # None: the sentences were only rated
    path: str  # of the model
    kind: LearnerKind | None
    doubts: dict[int, float]
    disputes: dict[int, float]


class Learning:
    """One run of the learner at a time; the models stay in a folder until the end.

    `take` is called in a thread of its own, with what was learned.
    """

    def __init__(self, take: Callable[[Learned], None]) -> None:
        self._take = take
        self._folder: Path | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._n_runs = 0
        self._start = 0.0
        self.state: LearnerState = "idle"
        self.kind: LearnerKind = "linear"
        self.message = ""
        self.curve: list[CurvePoint] = []
        self._seconds = 0.0
        self._is_closed = False

    @property
    def seconds(self) -> float:
        """Seconds of the run that is going on, or of the last one."""
        return perf_counter() - self._start if self.is_busy else self._seconds

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(
        self, job: Job, decided: Sequence[bytes], candidates: Sequence[tuple[int, bytes]]
    ) -> bool:
        """Start a run on these sentences; return False if one is going on."""
        with self._lock:
            if self.is_busy or self._is_closed:
                return False
            self._n_runs += 1
            if job.kind is not None:
                self.state, self.kind, self.message = "learning", job.kind, ""
            self._start = perf_counter()
            self._thread = threading.Thread(
                target=self._run,
                args=(job, decided, candidates),
                name="dodona-learning",
                daemon=True,
            )
            self._thread.start()
            return True

    def wait(self) -> None:
        """Return when no run is going on."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(
        self, job: Job, decided: Sequence[bytes], candidates: Sequence[tuple[int, bytes]]
    ) -> None:
        """Write the sentences for a process, run it, and pass on what it found."""
        result, parser, path = Result(), None, ""
        try:
            folder = self._new_folder()
            (folder / "train.conllu").write_bytes(_joined(decided))
            (folder / "candidates.conllu").write_bytes(_joined([data for _, data in candidates]))
            (folder / "job.json").write_text(json.dumps(asdict(job)))
            result, path = self._result(folder), str(folder / "model.dodona")
            if job.kind is not None and not result.message:
                parser = load_parser(path)
        except (DodonaError, OSError) as error:
            result.message = str(error)
        self._seconds = result.seconds
        if job.kind is not None:
            self.state, self.message = "idle", result.message
            if parser is None:
                self.state = "failed"
        if self._is_closed or result.message:
            return
        if job.kind is not None:
            about = result.n_sentences, result.seconds, result.las, result.uas, result.source
            self.curve.append(CurvePoint(job.kind, *about))
        numbers = [number for number, _ in candidates]
        doubts = dict(zip(numbers, result.doubts, strict=True))
        disputes = dict(zip(numbers, result.disputes, strict=False))
        self._take(Learned(parser, path, job.kind, doubts, disputes))

    def _new_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="dodona-annotate-"))
        folder = self._folder / str(self._n_runs)
        folder.mkdir()
        return folder

    def _result(self, folder: Path) -> Result:
        """Run the process in a folder and return what it found."""
        program = "import sys; from dodona.annotate.learner import work; work(sys.argv[1])"
        command = [sys.executable, "-c", program, str(folder)]
        with (folder / "errors").open("w+b") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=errors, stderr=errors
            )
            if self._is_closed:
                self._process.kill()
            with self._process:  # closes stdin, which ends a process that is still there
                code = self._process.wait()
            errors.seek(0)
            text = errors.read().decode(errors="replace")
        try:
            return Result(**json.loads((folder / "result.json").read_text()))
        except FileNotFoundError:
            return Result(message=f"the learner ended with {code}: {text[-_END_OF_ERRORS:]}")

    def close(self) -> None:
        """End the run that is going on, and remove all models."""
        self._is_closed = True
        if self._process is not None and self._process.poll() is None:
            with suppress(OSError):
                self._process.kill()
        self.wait()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _joined(blocks: Sequence[bytes]) -> bytes:
    """Return a file of sentences, which need not end in a blank line."""
    return b"".join(block.lstrip(b"\xef\xbb\xbf").rstrip() + b"\n\n" for block in blocks)
