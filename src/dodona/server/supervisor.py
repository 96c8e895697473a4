"""Several worker processes that share a socket (`--workers`): started, restarted and ended.

They are forked after the models are loaded, and share their memory. The limits of all requests
together are divided among them.
"""

from __future__ import annotations

import os
import signal
import socket
import time
import traceback
from dataclasses import replace

from dodona.server.limits import Limits
from dodona.server.models import Models
from dodona.server.program import HANDLED, Settings, Team, run
from dodona.server.shared_metrics import SharedMetrics

SHARED = ("memory", "waiting", "streams", "connections", "heads", "threads", "explorers")
RESTART_SECONDS = 1.0  # before a worker that ended by itself is started again
EXTRA_SECONDS = 4.0  # beyond the grace period, after which a worker is killed


def share(limits: Limits, n_workers: int) -> Limits:
    """Return the limits of each of several workers.

    >>> share(Limits(memory=200_000_000, explorers=2), 4).memory
    50000000
    """
    found = {name: max(getattr(limits, name) // n_workers, 1) for name in SHARED}
    return replace(limits, **found)


class Supervisor:
    """The parent of the worker processes."""

    def __init__(
        self, settings: Settings, models: Models, listening: socket.socket, n_workers: int
    ) -> None:
        self._settings = replace(settings, limits=share(settings.limits, n_workers))
        self._models, self._listening = models, listening
        self._metrics = SharedMetrics(n_workers)
        self._workers: dict[int, int] = {}  # number by process id
        self._is_reloaded = False
        self._alive, self._own_end = os.pipe()

    def run(self, n_workers: int) -> None:
        """Run the workers until a signal arrives, and pass signals on to them."""
        handled = {*HANDLED, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, handled)
        for number in range(n_workers):
            self._start(number)
        while (found := signal.sigwait(handled)) not in (signal.SIGTERM, signal.SIGINT):
            if found == signal.SIGHUP:
                self._is_reloaded = True
                self._send(signal.SIGHUP)
            else:
                self._restart()
        self._send(signal.SIGTERM)
        last = time.monotonic() + self._settings.limits.grace + EXTRA_SECONDS
        while self._workers and (left := last - time.monotonic()) > 0:
            signal.sigtimedwait(handled, left)
            self._collect()
        self._send(signal.SIGKILL)

    def _start(self, number: int, note: str = "") -> int:
        process = os.fork()
        if process:
            self._workers[process] = number
            return process
        code = 1
        try:
            os.close(self._own_end)
            signal.pthread_sigmask(signal.SIG_SETMASK, HANDLED)  # until the program handles them
            team = Team(number, self._metrics, self._alive, note)
            run(self._settings, self._models, self._listening, team)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def _send(self, number: int) -> None:
        for process in self._workers:
            os.kill(process, number)

    def _collect(self) -> list[int]:
        """Return the numbers of the workers that have ended."""
        ended = []
        while self._workers:
            process, _ = os.waitpid(-1, os.WNOHANG)
            if not process:
                break
            ended.append(self._workers.pop(process))
        return ended

    def _restart(self) -> None:
        for number in self._collect():
            time.sleep(RESTART_SECONDS)
            process = self._start(number, f"worker {number} ended; another takes its place")
            if self._is_reloaded:  # it was forked with the first models
                os.kill(process, signal.SIGHUP)
