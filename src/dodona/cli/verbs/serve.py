"""`dodona serve`: models over HTTP."""

import socket
import sys
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Constraints, Flag, Parameter, RulesFile, add_parameters
from dodona.server.limits import Limits

if TYPE_CHECKING:
    from dodona.server.program import Settings

LOG_FORMATS = ("text", "json")


def serve(
    models: Annotated[
        list[str] | None,
        Flag(
            "models, each FILE or NAME=FILE; the first is the default (none given: en, which is "
            "part of Dodona)",
            positional=True,
        ),
    ] = None,
    port: Annotated[int, Flag("port to listen on; 0 selects a free one")] = 8000,
    host: Annotated[
        str, Flag("address to listen on; 0.0.0.0: all interfaces", metavar="HOST")
    ] = "127.0.0.1",
    allowed_host: Annotated[
        str | None,
        Flag("further host names of the server, separated by commas ('*': any)", metavar="NAMES"),
    ] = None,
    cors: Annotated[
        str | None,
        Flag(
            "origins of web pages that may send requests, separated by commas ('*': any)",
            metavar="ORIGINS",
        ),
    ] = None,
    constraints: Constraints = None,
    rules: RulesFile = None,
    unix_socket: Annotated[
        str | None, Flag("listen at a Unix socket instead of a port", metavar="PATH")
    ] = None,
    tls_cert: Annotated[
        str | None, Flag("file of the certificate chain (PEM); the server then speaks HTTPS")
    ] = None,
    tls_key: Annotated[
        str | None, Flag("key of --tls-cert, unless the same file contains it")
    ] = None,
    token: Annotated[
        str | None,
        Flag(
            "secret that clients must send; others can see it in the list of processes, but not "
            "if the variable DODONA_TOKEN or --token-file gives it",
            metavar="TOKEN",
        ),
    ] = None,
    token_file: Annotated[str | None, Flag("file of secrets, one per line")] = None,
    trusted_proxy: Annotated[
        str | None,
        Flag(
            "addresses of proxies whose X-Forwarded-For is trusted, separated by commas (unix: "
            "all clients of --unix-socket)",
            metavar="ADDRESSES",
        ),
    ] = None,
    workers: Annotated[int, Flag("processes, which share the models and the limits")] = 1,
    log_format: Annotated[str, Flag("format of the log of requests", choices=LOG_FORMATS)] = "text",
    quiet: Annotated[bool, Flag("do not log requests")] = False,
    **limits: Any,
) -> None:
    """Serve models over HTTP: UDPipe's REST interface, a JSON interface, and web pages.

    Only programs on this machine can connect, unless --host is given. SIGTERM and Ctrl-C end the
    server after the open requests, or after --grace seconds; SIGHUP loads models and certificate
    again.
    """
    try:
        from dodona.server.forwarded import check_proxies
        from dodona.server.http.sockets import tls_context
        from dodona.server.origin_check import own_hosts
        from dodona.server.program import Settings
        from dodona.server.token_check import read_tokens
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dodona"):
            raise
        missing = (error.name or "").partition(".")[0]
        raise UsageError(
            f'dodona serve requires {missing}: pip install "dodona[server]"'
        ) from error
    certificate = _certificate(tls_cert, tls_key)
    tokens = read_tokens(token, None if token_file is None else Path(token_file))
    proxies = check_proxies(_names(trusted_proxy))
    _check_workers(workers)
    settings = Settings(
        models=models or [],
        constraints=constraints,
        rules=rules,
        limits=_read_limits(limits),
        cors=_names(cors),
        hosts=own_hosts(host, _names(allowed_host)),
        proxies=proxies,
        tokens=tokens,
        log=None if quiet else log_format,
        tls=None if certificate is None else tls_context(*certificate),
        certificate=certificate,
    )
    with _listen(host, port, unix_socket) as listening:
        _run(settings, listening, workers)


def _run(settings: "Settings", listening: socket.socket, workers: int) -> None:
    """Load the models, report the address, and serve."""
    from dodona.server.http.serving import hold_signals
    from dodona.server.origin_check import own_hosts
    from dodona.server.program import HANDLED, run

    models = settings.load()
    address = listening.getsockname()
    where = f"unix:{address}"
    if isinstance(address, tuple):
        settings = replace(settings, hosts=settings.hosts | own_hosts(address[0], []))
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        where = f"http{'' if settings.tls is None else 's'}://{shown}:{address[1]}/"
    names = ", ".join(model.name for model in models)
    hold_signals(HANDLED)  # a signal after the greeting ends the server in good order
    say(f"Dodona serves {names} at {where} (stop with Ctrl-C)")
    if workers == 1:
        run(settings, models, listening)
        return
    from dodona.server.supervisor import Supervisor

    Supervisor(settings, models, listening, workers).run(workers)


def _listen(host: str, port: int, unix_socket: str | None) -> socket.socket:
    from dodona.server.http.sockets import listen, listen_at

    return listen(host, port) if unix_socket is None else listen_at(Path(unix_socket))


def _certificate(chain: str | None, key: str | None) -> tuple[Path, Path | None] | None:
    if chain is None:
        if key is not None:
            raise UsageError("--tls-key needs --tls-cert, the certificate of the key")
        return None
    return Path(chain), None if key is None else Path(key)


def _check_workers(workers: int) -> None:
    if workers < 1:
        raise UsageError(f"--workers must be 1 or more, not {workers}")
    if workers > 1 and sys.platform == "win32":
        raise UsageError("--workers: Windows cannot share a server among processes; leave it at 1")


def _flag(limit: Field[float]) -> Parameter:
    """Return the flag of a limit of the server, in the limit's unit."""
    scale, shown = limit.metadata["scale"], limit.metadata["shown"]
    default = getattr(Limits(), limit.name)
    if scale != 1:
        default /= scale
    flag = Flag(limit.metadata["help"], default=shown or "")
    return Parameter(limit.name, type(default), False, None if shown else default, flag)


def _read_limits(given: dict[str, Any]) -> Limits:
    scales = {limit.name: limit.metadata["scale"] for limit in fields(Limits)}
    return Limits(
        **{
            name: value if scales[name] == 1 else int(value * scales[name])
            for name, value in given.items()
            if value is not None
        }
    )


def _names(between_commas: str | None) -> list[str]:
    return [] if between_commas is None else [name.strip() for name in between_commas.split(",")]


add_parameters(serve, map(_flag, fields(Limits)))
