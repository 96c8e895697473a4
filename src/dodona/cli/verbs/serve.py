"""`dodona serve`: models over HTTP."""

from dataclasses import Field, fields
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Constraints, Flag, Parameter, RulesFile, add_parameters
from dodona.server.limits import Limits


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
    quiet: Annotated[bool, Flag("do not log requests")] = False,
    **limits: Any,
) -> None:
    """Serve models over HTTP: UDPipe's REST interface, a JSON interface, and web pages.

    Only programs on this machine can connect, unless --host is given. SIGTERM and Ctrl-C end the
    server after the open requests, or after --grace seconds.
    """
    try:
        from dodona.server.app import make_app
        from dodona.server.middleware import no_log, to_stderr
        from dodona.server.models import load_models
        from dodona.server.origin_check import own_hosts
        from dodona.server.uvicorn_adapter import listen, run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dodona"):
            raise
        raise UsageError(
            f'dodona serve requires {error.name}: pip install "dodona[server]"'
        ) from error
    bounds = _read_limits(limits)
    found = load_models(models or [], constraints, rules)
    with listen(host, port) as listening:
        shown, actual = listening.getsockname()[:2]
        app = make_app(
            found,
            bounds,
            cors=_names(cors),
            hosts=own_hosts(shown, _names(allowed_host)) | own_hosts(host, []),
            log=no_log if quiet else to_stderr,
        )
        address = f"[{shown}]" if ":" in shown else shown
        names = ", ".join(model.name for model in found)
        say(f"Dodona serves {names} at http://{address}:{actual}/ (stop with Ctrl-C)")
        run(app, listening, bounds)


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
