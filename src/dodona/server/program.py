"""One process of `dodona serve`: the application, its signals, and the reload of its models."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette

from dodona.core.base.heaps import share_heaps
from dodona.errors import DodonaError
from dodona.server.app import make_app
from dodona.server.http.guard import ConnectionGuard
from dodona.server.http.serving import ENDING, bounded_by_files, handle_signals, serve
from dodona.server.http.sockets import load_certificate
from dodona.server.limits import Limits
from dodona.server.log import LogWriter, log_everything, make_log, no_log
from dodona.server.models import Models, load_models
from dodona.server.service import Service
from dodona.server.shared_metrics import SharedMetrics

THREAD_SECONDS = 2.0  # for threads to end after all connections are closed
N_HEAPS = 2  # of the C library, for all threads
LOG_SECONDS = 1.0  # for the last lines of the log to be read
HANGUP: int | None = getattr(signal, "SIGHUP", None)  # which Windows does not have
HANDLED = ENDING if HANGUP is None else (*ENDING, HANGUP)


@dataclass(frozen=True)
class Settings:
    """What a server serves, and how."""

    models: Sequence[str]
    constraints: str | None
    rules: str | None  # their file
    limits: Limits
    cors: Sequence[str]
    hosts: frozenset[str]
    proxies: Sequence[str]
    tokens: Sequence[str]
    log: str | None  # the format; None: requests are not logged
    tls: ssl.SSLContext | None
    certificate: tuple[Path, Path | None] | None  # the files of the chain and of the key

    def load(self) -> Models:
        return load_models(self.models, self.constraints, self.rules)


@dataclass(frozen=True)
class Team:
    """What one of several worker processes knows of the others."""

    number: int
    metrics: SharedMetrics
    alive: int  # file descriptor of a pipe that ends with the supervisor
    note: str = ""  # for the log


def run(
    settings: Settings, models: Models, listening: socket.socket, team: Team | None = None
) -> None:
    """Serve in this process until a signal arrives."""
    share_heaps(N_HEAPS)
    writer = LogWriter()
    log_everything(writer)
    limits = bounded_by_files(settings.limits)
    app = make_app(
        models,
        limits,
        cors=settings.cors,
        hosts=settings.hosts,
        tokens=settings.tokens,
        proxies=settings.proxies,
        log=no_log if settings.log is None else make_log(settings.log, writer),
    )
    if team is not None and team.note:
        writer.write(team.note)
    program = _Program(app, settings, writer, team)
    asyncio.run(program.serve(listening, limits))
    have_ended = program.service.close(THREAD_SECONDS)
    writer.close(LOG_SECONDS)
    if team is not None or not have_ended:
        # A thread cannot be killed, but nobody waits for its result, and it holds nothing open.
        os._exit(0)


class _Program:
    """The server in this process."""

    def __init__(
        self, app: Starlette, settings: Settings, writer: LogWriter, team: Team | None
    ) -> None:
        self.service: Service = app.state.service
        self._app, self._settings, self._writer, self._team = app, settings, writer, team
        self._loader = ThreadPoolExecutor(1, thread_name_prefix="dodona-load")
        self._is_loading = self._is_asked = False

    async def serve(self, listening: socket.socket, limits: Limits) -> None:
        """Serve until a signal arrives, or the supervisor has ended."""
        self._end = asyncio.Event()
        guard = ConnectionGuard(limits, self.service.memory)
        guard.refused = self.service.metrics.refused
        self._join_team()
        handlers = dict.fromkeys(ENDING, self._begin_to_end)
        if HANGUP is not None:
            handlers[HANGUP] = self._reload
        handle_signals(handlers)
        await serve(self._app, listening, guard, tls=self._settings.tls, end=self._end)
        self._loader.shutdown(wait=False, cancel_futures=True)

    def _begin_to_end(self) -> None:
        self.service.is_ending = True
        self._end.set()

    def _join_team(self) -> None:
        """Share the counters with the other worker processes; end with the supervisor."""
        service, writer, team = self.service, self._writer, self._team
        own = service.metrics

        def count_log() -> None:
            own.n_log_lines_dropped = writer.n_dropped

        if team is None:
            service.before_metrics = count_log
            return
        loop = asyncio.get_running_loop()
        before = team.metrics.read(team.number)  # of a worker whose place this one takes
        before.n_in_flight = 0
        own.add(before)
        service.before_metrics = count_log
        service.all_metrics = lambda: team.metrics.total(team.number, own)
        self._writing = loop.create_task(team.metrics.keep_writing(team.number, own))
        loop.add_reader(team.alive, self._begin_to_end)

    def _reload(self) -> None:
        """Load the models and the certificate again; keep the old ones if that fails."""
        self._is_asked = True  # also while they are loaded: the files may have changed since
        if not self._is_loading:
            self._is_loading = True
            self._loading = asyncio.get_running_loop().create_task(self._load_as_asked())

    async def _load_as_asked(self) -> None:
        try:
            while self._is_asked:
                self._is_asked = False
                await self._load()
        finally:
            self._is_loading = False

    async def _load(self) -> None:
        settings = self._settings
        try:
            if settings.tls is not None and settings.certificate is not None:
                load_certificate(settings.tls, *settings.certificate)
            loop = asyncio.get_running_loop()
            models = await loop.run_in_executor(self._loader, settings.load)
        except (DodonaError, OSError, ValueError) as error:
            self._writer.write(f"not reloaded: {error}; the server goes on with what it has")
        else:
            self.service.replace_models(models)
            self._writer.write(f"reloaded {', '.join(model.name for model in models)}")
