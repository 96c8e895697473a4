"""Running the application: the listening socket, uvicorn's settings, and the end of the process."""

from __future__ import annotations

import logging
import math
import os
import socket
import sys
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette

from dodona.server.connections import ConnectionGuard
from dodona.server.limits import Limits
from dodona.server.uvicorn_adapter import BACKLOG, HttpConnection, HttpServer, is_worth_logging

MAX_HEADER_BYTES = 1 << 17  # of a request's address and headers: /process takes data there
ACCEPTED_AT_ONCE = 64  # connections that are accepted before others are served
SPARE_FILES = 100  # open files beside connections
THREAD_SECONDS = 2.0  # for threads to end after all connections are closed


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise an error that says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"cannot listen on {host} port {port}: {why}; choose another --port"
        ) from error
    except OverflowError:
        raise ValueError(f"a port is a number from 0 to 65535, not {port}") from None


def run(app: Starlette, listening: socket.socket, limits: Limits) -> None:
    """Serve until a signal arrives, then finish the open requests within the grace period."""
    n_files = allow_files(limits.connections + SPARE_FILES)
    limits = replace(limits, connections=min(limits.connections, max(n_files - SPARE_FILES, 1)))
    logging.getLogger("uvicorn.error").addFilter(is_worth_logging)
    config = uvicorn.Config(
        app,
        http=type("GuardedHttpConnection", (HttpConnection,), {"guard": ConnectionGuard(limits)}),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=math.ceil(limits.grace + 1),
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    HttpServer(config, limits).run(sockets=[listening])
    if not app.state.service.close(THREAD_SECONDS):
        # A thread cannot be killed, but nobody waits for its result, and it holds nothing open.
        sys.stderr.flush()
        os._exit(0)


def allow_files(n_files: int) -> int:
    """Raise the limit on open files to `n_files` if possible; return how many are allowed."""
    if sys.platform == "win32":
        return n_files
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= n_files:
        return n_files
    allowed = n_files if hard == resource.RLIM_INFINITY else min(n_files, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed
