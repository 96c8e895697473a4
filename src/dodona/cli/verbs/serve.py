"""`dodona serve`: models behind HTTP."""

from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag
from dodona.server.limits import Limits

MEGABYTE = 1_000_000


def serve(
    models: Annotated[
        list[str] | None,
        Flag(
            "models, each FILE or NAME=FILE; the first is the default (none: en, which ships)",
            positional=True,
        ),
    ] = None,
    port: Annotated[int, Flag("port to listen on; 0 is any that is free")] = 8000,
    host: Annotated[
        str, Flag("address to listen on; 0.0.0.0 is open to the network", metavar="HOST")
    ] = "127.0.0.1",
    allowed_host: Annotated[
        str | None,
        Flag(
            "names that the server may also be called by, between commas ('*': all)",
            metavar="NAMES",
        ),
    ] = None,
    cors: Annotated[
        str | None,
        Flag("origins whose pages may ask, between commas ('*': all)", metavar="ORIGINS"),
    ] = None,
    threads: Annotated[
        int | None, Flag("threads that parse", default="one more than there are cores")
    ] = None,
    max_size: Annotated[float, Flag("megabytes that a request may have")] = (
        Limits.max_bytes / MEGABYTE
    ),
    max_words: Annotated[int, Flag("words that a request may have")] = Limits.max_words,
    memory: Annotated[float, Flag("megabytes that all requests together may hold")] = (
        Limits.memory / MEGABYTE
    ),
    timeout: Annotated[float, Flag("seconds that a request may take")] = Limits.seconds,
    patience: Annotated[float, Flag("seconds that a client may hang")] = Limits.patience,
    head_timeout: Annotated[
        float, Flag("seconds that the head of a request may take")
    ] = Limits.head_seconds,
    min_rate: Annotated[
        int, Flag("bytes a second that a client must send or take")
    ] = Limits.slowest,
    waiting: Annotated[
        int, Flag("requests that are worked on or wait; more are sent away")
    ] = Limits.waiting,
    streams: Annotated[int, Flag("streams at a time")] = Limits.streams,
    connections: Annotated[int, Flag("connections at a time")] = Limits.connections,
    heads: Annotated[
        int, Flag("connections that have not sent a request's head yet")
    ] = Limits.heads,
    explorers: Annotated[int, Flag("threads that explore")] = Limits.explorers,
    explore_timeout: Annotated[
        float, Flag("seconds that a state may be explored")
    ] = Limits.explore_seconds,
    explore_words: Annotated[
        int, Flag("words of a sentence that is explored or drawn")
    ] = Limits.explore_words,
    explore_arcs: Annotated[int, Flag("arcs of a graph that is explored")] = Limits.explore_arcs,
    explore_actions: Annotated[
        int, Flag("actions that lead to an explored state")
    ] = Limits.explore_actions,
    grace: Annotated[
        float, Flag("seconds for what is under way when the server is told to end")
    ] = Limits.grace,
    quiet: Annotated[bool, Flag("log no requests")] = False,
) -> None:
    """Serve models over HTTP: UDPipe's REST interface, a JSON interface, and pages to look at.

    Only programs on this machine can ask, unless --host says otherwise. SIGTERM and Ctrl-C end it
    after the requests that are under way, or after --grace seconds.
    """
    try:
        from dodona.server.app import make_app
        from dodona.server.gate import own_hosts
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
        max_bytes=int(max_size * MEGABYTE),
        max_words=max_words,
        memory=int(memory * MEGABYTE),
        seconds=timeout,
        patience=patience,
        head_seconds=head_timeout,
        slowest=min_rate,
        waiting=waiting,
        streams=streams,
        connections=connections,
        heads=heads,
        explorers=explorers,
        explore_seconds=explore_timeout,
        explore_words=explore_words,
        explore_arcs=explore_arcs,
        explore_actions=explore_actions,
        grace=grace,
        threads=Limits.threads if threads is None else threads,
    )
    found = load_models(models or [])
    with listen(host, port) as listening:
        shown, actual = listening.getsockname()[:2]
        app = make_app(
            found,
            limits,
            cors=_names(cors),
            hosts=own_hosts(shown, _names(allowed_host)) | own_hosts(host, []),
            log=to_nobody if quiet else to_stderr,
        )
        address = f"[{shown}]" if ":" in shown else shown
        names = ", ".join(model.name for model in found)
        say(f"Dodona serves {names} at http://{address}:{actual}/ (stop with Ctrl-C)")
        run(app, listening, limits)


def _names(between_commas: str | None) -> list[str]:
    return [] if between_commas is None else [name.strip() for name in between_commas.split(",")]
