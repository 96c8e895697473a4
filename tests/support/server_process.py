"""`dodona serve` in a process of its own, and misbehaving clients for it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from support.server_lab import conllu
from support.waiting import until

HANG_SECONDS = 600  # after which a server that does not end has failed: a guard, not a measure
COMMAND = (sys.executable, "-c", "from dodona.cli import main; main()", "serve")


class Running:
    """A server process, its address and its greeting."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        self.process, self._errors = process, errors
        until(lambda: "\n" in self._said() or process.poll() is not None, HANG_SECONDS)
        self.greeting = self._said().partition("\n")[0]
        found = re.search(r"https?://([\d.]+):(\d+)/", self.greeting)
        assert found, self._said()
        self.address = found[1], int(found[2])
        self.client = httpx.Client(base_url=f"http://{found[1]}:{found[2]}", timeout=HANG_SECONDS)

    def _said(self) -> str:
        return self._errors.read_text("utf-8", "replace")

    @property
    def log(self) -> str:
        """What the server has written to stderr so far, after its greeting."""
        return self._said().partition("\n")[2]

    def connect(self) -> socket.socket:
        """Open a connection for a misbehaving client."""
        return socket.create_connection(self.address, timeout=HANG_SECONDS)

    def parse(self) -> Any:
        """Send a well-formed request."""
        return self.client.post("/api/parse", json={"conllu": conllu()})

    def is_healthy(self) -> bool:
        """Whether the server answers /health on a new connection."""
        with httpx.Client(base_url=self.client.base_url, timeout=HANG_SECONDS) as client:
            return client.get("/health").status_code == 200

    @property
    def n_in_flight(self) -> int:
        """The number of requests in progress, without the one that asks for it."""
        return int(self.metric("dodona_requests_in_flight")) - 1

    def metric(self, name: str) -> float:
        """Return a value of /metrics: 0 of what was not counted yet."""
        lines = self.client.get("/metrics").text.splitlines()
        found = (float(line.split()[1]) for line in lines if line.startswith(f"{name} "))
        return next(found, 0.0)

    def memory(self) -> float:
        """Return the peak memory so far in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1000

    def whole_memory(self) -> float:
        """Return the memory of the server and its helpers now in MiB; what they share counts once.

        This is what the memory limit of a container counts.
        """
        found = 0
        for member in (self.process.pid, *children(self.process.pid)):
            with suppress(OSError):  # a helper that has just ended
                text = Path(f"/proc/{member}/smaps_rollup").read_text()
                found += sum(map(int, re.findall(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)))
        return found / 1024

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and stderr after the greeting."""
        return self.process.wait(timeout=HANG_SECONDS), self.log


def children(parent: int) -> list[int]:
    """Return the processes that another has started, on Linux (`ps` hangs under sanitizers)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            after_name = path.read_text().rpartition(")")[2].split()
            if int(after_name[1]) == parent:
                found.append(int(path.parent.name))
    return found


@contextmanager
def start(*arguments: str | Path) -> Iterator[Running]:
    command = [*COMMAND, *map(str, arguments), "--port", "0"]
    with TemporaryDirectory() as folder:
        path = Path(folder, "stderr")
        with path.open("wb") as errors, subprocess.Popen(command, stderr=errors) as process:
            try:
                running = Running(process, path)
                with running.client:
                    yield running
            finally:
                process.kill()


def head(path: str, length: int) -> bytes:
    is_json = path in ("/api/parse", "/api/explore")
    kind = "application/json" if is_json else "application/x-www-form-urlencoded"
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def read_all(client: socket.socket) -> bytes:
    """Return what the server sends until it closes the connection."""
    found = b""
    try:
        while chunk := client.recv(1 << 16):
            found += chunk
    except ConnectionResetError:
        pass
    return found
