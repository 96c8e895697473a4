"""`dodona serve`: serve models over HTTP."""

from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag
from dodona.server.limits import Limits

MEGABYTE = 1_000_000


def serve(
    models: Annotated[
        list[str] | None,
        Flag(
            "models, each FILE or NAME=FILE; the first is the default of requests (none: en)",
            positional=True,
        ),
    ] = None,
    port: Annotated[int, Flag("port to listen on; 0: any free port")] = 8000,
    host: Annotated[
        str, Flag("address to listen on; 0.0.0.0: all interfaces", metavar="HOST")
    ] = "127.0.0.1",
    allowed_host: Annotated[
        str | None,
        Flag(
            "further host names of the server, separated by commas ('*': any)",
            metavar="NAMES",
        ),
    ] = None,
    cors: Annotated[
        str | None,
        Flag(
            "origins whose pages may send requests, separated by commas ('*': any)",
            metavar="ORIGINS",
        ),
    ] = None,
    threads: Annotated[
        int | None, Flag("threads that parse", default="the number of cores plus one")
    ] = None,
    max_size: Annotated[float, Flag("maximum size of a request in megabytes")] = (
        Limits.max_bytes / MEGABYTE
    ),
    max_words: Annotated[int, Flag("maximum number of words in a request")] = Limits.max_words,
    memory: Annotated[float, Flag("maximum memory of all requests in megabytes")] = (
        Limits.memory / MEGABYTE
    ),
    timeout: Annotated[float, Flag("maximum duration of a request in seconds")] = Limits.seconds,
    patience: Annotated[
        float, Flag("seconds after which a stalled client is disconnected")
    ] = Limits.patience,
    head_timeout: Annotated[
        float, Flag("maximum time to receive request headers in seconds")
    ] = Limits.head_seconds,
    min_rate: Annotated[
        int, Flag("minimum transfer rate of a client in bytes per second")
    ] = Limits.slowest,
    waiting: Annotated[
        int, Flag("maximum number of active and queued requests; more are rejected")
    ] = Limits.waiting,
    streams: Annotated[int, Flag("maximum number of concurrent streams")] = Limits.streams,
    connections: Annotated[int, Flag("maximum number of connections")] = Limits.connections,
    heads: Annotated[
        int, Flag("maximum number of connections without complete request headers")
    ] = Limits.heads,
    explorers: Annotated[int, Flag("threads for the explorer")] = Limits.explorers,
    explore_timeout: Annotated[
        float, Flag("maximum time to explore a state in seconds")
    ] = Limits.explore_seconds,
    explore_words: Annotated[
        int, Flag("maximum number of words in an explored or drawn sentence")
    ] = Limits.explore_words,
    explore_arcs: Annotated[
        int, Flag("maximum number of arcs in an explored graph")
    ] = Limits.explore_arcs,
    explore_actions: Annotated[
        int, Flag("maximum number of actions before an explored state")
    ] = Limits.explore_actions,
    grace: Annotated[
        float, Flag("seconds that active requests have to finish at shutdown")
    ] = Limits.grace,
    quiet: Annotated[bool, Flag("log no requests")] = False,
) -> None:
    """Serve models over HTTP: UDPipe's REST interface, a JSON interface, and web pages.

    By default the server accepts only connections from this machine; --host changes that. SIGTERM
    and Ctrl-C stop it after active requests have finished, or after --grace seconds.
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
            f'dodona serve requires {error.name}: pip install "dodona[server]"'
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
