"""`dodona serve` in a process of its own, and clients for it that are up to no good."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from support.server_lab import conllu

COMMAND = (sys.executable, "-c", "from dodona.cli import main; main()", "serve")


class Running:
    """A server, where it is, and what it said."""

    def __init__(self, process: subprocess.Popen[str], greeting: str) -> None:
        self.process = process
        self.greeting = greeting
        found = re.search(r"http://([\d.]+):(\d+)/", greeting)
        assert found, greeting + (process.stderr.read() if process.stderr else "")
        self.address = found[1], int(found[2])
        self.client = httpx.Client(base_url=f"http://{found[1]}:{found[2]}", timeout=30)

    def connect(self) -> socket.socket:
        """A client that is up to no good."""
        return socket.create_connection(self.address, timeout=30)

    def parse(self) -> Any:
        """A client as it should be."""
        return self.client.post("/api/parse", json={"conllu": conllu()})

    def health(self) -> float:
        """Seconds that the server took to say how it is, to a client that it did not know."""
        begin = time.monotonic()
        with httpx.Client(base_url=self.client.base_url, timeout=30) as client:
            assert client.get("/health").status_code == 200
        return time.monotonic() - begin

    def metric(self, name: str) -> float:
        """A number of /metrics."""
        lines = self.client.get("/metrics").text.splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))

    def memory(self) -> float:
        """Megabytes that it has had at most so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1000

    def end(self) -> tuple[int, str]:
        """The exit code, and what was said since the greeting."""
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@contextmanager
def start(*arguments: str | Path) -> Iterator[Running]:
    command = [*COMMAND, *map(str, arguments), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            running = Running(process, process.stderr.readline())
            with running.client:
                yield running
        finally:
            process.kill()


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait for it; False where it does not come, on however busy a machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.1)
    return False


def head(path: str, length: int) -> bytes:
    kind = "application/json" if path == "/api/parse" else "application/x-www-form-urlencoded"
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def read_all(client: socket.socket) -> bytes:
    """What the server sends until it hangs up."""
    found = b""
    try:
        while chunk := client.recv(1 << 16):
            found += chunk
    except ConnectionResetError:
        pass
    return found
