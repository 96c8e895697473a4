"""`dodona serve`: models behind HTTP."""

from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag


def serve(
    models: Annotated[
        list[str] | None,
        Flag(
            "models, each FILE or NAME=FILE; the first is the default (none: the English one that "
            "ships)",
            positional=True,
        ),
    ] = None,
    port: Annotated[int, Flag("port to listen on; 0 is any that is free")] = 8000,
    host: Annotated[
        str, Flag("address to listen on; 0.0.0.0 is open to the network", metavar="HOST")
    ] = "127.0.0.1",
    threads: Annotated[
        int | None, Flag("threads that parse", default="as many as there are cores")
    ] = None,
    max_size: Annotated[float, Flag("megabytes that a request may have")] = 16.0,
    timeout: Annotated[float, Flag("seconds that a request may take")] = 60.0,
    patience: Annotated[float, Flag("seconds that a client may hang")] = 20.0,
    waiting: Annotated[int, Flag("requests that are worked on or wait; more are sent away")] = 64,
    cors: Annotated[
        str | None,
        Flag("origins whose pages may ask, between commas ('*': all)", metavar="ORIGINS"),
    ] = None,
    quiet: Annotated[bool, Flag("log no requests")] = False,
) -> None:
    """Serve models over HTTP: UDPipe's REST interface, a JSON interface, and pages to look at.

    Only programs on this machine can ask, unless --host says otherwise. SIGTERM and Ctrl-C end it
    after the requests that are under way.
    """
    try:
        from dodona.server.app import make_app
        from dodona.server.limits import Limits
        from dodona.server.middleware import to_nobody, to_stderr
        from dodona.server.models import load_models
        from dodona.server.running import listen, run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dodona"):
            raise
        raise UsageError(
            f'dodona serve needs {error.name}: pip install "dodona[server]"'
        ) from error
    limits = Limits(
        max_bytes=int(max_size * 1_000_000),
        seconds=timeout,
        patience=patience,
        waiting=waiting,
        **({} if threads is None else {"threads": threads}),
    )
    found = load_models(models or [])
    origins = [] if cors is None else cors.split(",")
    app = make_app(found, limits, cors=origins, log=to_nobody if quiet else to_stderr)
    with listen(host, port) as listening:
        shown, actual = listening.getsockname()[:2]
        address = f"[{shown}]" if ":" in shown else shown
        names = ", ".join(model.name for model in found)
        say(f"Dodona serves {names} at http://{address}:{actual}/ (stop with Ctrl-C)")
        run(app, listening, limits)
