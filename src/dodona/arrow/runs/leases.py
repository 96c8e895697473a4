"""Leases: who is at work in a folder of an object store, where files cannot be locked.

A lease is a small object with its owner and the time of its last renewal. A run that finds the
lease of another one refuses to begin, unless that one is stale: not renewed for `STALE` seconds, or
held by a process of this machine that has ended. Where a file system can create an object only if
there is none (fsspec's mode "xb"), that decides between two runs that begin at once. Elsewhere a
run writes its lease, waits, and looks whose lease is there, as the last writer wins.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pyarrow import fs

from dodona.arrow.locations import Location
from dodona.storage.steps import StepError

RENEWAL = 60.0  # seconds between two renewals
STALE = 300.0  # seconds after which a lease has no owner: clocks may differ by minutes
SETTLING = 1.0  # seconds in which another run that has seen no lease has written its own


@contextmanager
def hold_lease(location: Location) -> Iterator[Lease]:
    """Hold a lease in this block; raise StepError if another run holds it."""
    lease = Lease(location)
    lease.acquire()
    renewer = threading.Thread(target=lease.renew_regularly, daemon=True)
    renewer.start()
    try:
        yield lease
        lease.check()
    finally:
        lease.release()


class Lease:
    """The lease of one run."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self.host, self.process = socket.gethostname(), os.getpid()
        self.token = os.urandom(8).hex()
        self._is_over, self._is_lost = threading.Event(), False

    def acquire(self) -> None:
        """Take the lease if nobody has it, or if it is stale."""
        other = self._read()
        if other is not None and not self._is_stale(other):
            when = time.strftime("%H:%M:%S", time.gmtime(float(other["renewed"]) + STALE))
            raise StepError(
                f"{self.location.name}: another run is at work in this folder: process "
                f"{other['process']} on {other['host']}; if it was killed, wait until {when} UTC, "
                "or remove this file"
            )
        if other is not None:
            self.location.system.delete_file(self.location.path)
        if not self._create():
            raise StepError(f"{self.location.name}: another run has just begun in this folder")

    def check(self) -> None:
        """Raise StepError if another run has taken the lease."""
        found = None if self._is_lost else self._read()
        if found is None or found["token"] != self.token:
            raise StepError(
                f"{self.location.name}: the lease was removed, or another run has taken it; what "
                "is recorded is complete: continue with --resume when the other run has ended"
            )

    def check_renewal(self) -> None:
        """Raise StepError if the last renewal found another lease; nothing is read."""
        if self._is_lost:
            self.check()

    def renew_regularly(self) -> None:
        """Renew the lease until it is released or lost."""
        while not self._is_over.wait(RENEWAL):
            try:
                self.check()
                self._write()
            except StepError:
                self._is_lost = True
                return
            except OSError:  # try again: a lease lasts for several renewals
                continue

    def release(self) -> None:
        """Give the lease back."""
        self._is_over.set()
        with suppress(OSError, ValueError):
            found = self._read()
            if found is not None and found["token"] == self.token:
                self.location.system.delete_file(self.location.path)

    def _create(self) -> bool:
        """Write the lease, and return whether it is ours."""
        system, path = self.location.system, self.location.path
        system.create_dir(path.rpartition("/")[0], recursive=True)
        if (exclusive := _fsspec_of(system)) is not None:
            try:
                with exclusive.open(path, "xb") as file:
                    file.write(self._content())
                return True
            except FileExistsError:
                return False
            except (ValueError, NotImplementedError):  # it has no such mode
                pass
        self._write()
        time.sleep(SETTLING)
        found = self._read()
        return found is not None and found["token"] == self.token

    def _write(self) -> None:
        with self.location.system.open_output_stream(self.location.path, compression=None) as file:
            file.write(self._content())

    def _content(self) -> bytes:
        about = {"host": self.host, "process": self.process, "token": self.token}
        return json.dumps({**about, "renewed": time.time()}).encode()

    def _read(self) -> dict[str, Any] | None:
        """Return the lease that is there; one that cannot be read is that of nobody."""
        try:
            with self.location.system.open_input_stream(
                self.location.path, compression=None
            ) as file:
                found = json.loads(bytes(file.read()))
        except FileNotFoundError:
            return None
        except ValueError:
            return {"host": "?", "process": 0, "token": "", "renewed": 0}
        is_whole = isinstance(found, dict) and {"host", "process", "token", "renewed"} <= {*found}
        return found if is_whole else {"host": "?", "process": 0, "token": "", "renewed": 0}

    def _is_stale(self, other: dict[str, Any]) -> bool:
        if time.time() - float(other["renewed"]) > STALE:
            return True
        if other["host"] != self.host or not hasattr(os, "getpgid"):
            return False
        try:
            os.kill(int(other["process"]), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False


def _fsspec_of(system: fs.FileSystem) -> Any:
    """Return the file system of fsspec behind one of Arrow's, or None."""
    if isinstance(system, fs.PyFileSystem) and isinstance(system.handler, fs.FSSpecHandler):
        return system.handler.fs
    return None
