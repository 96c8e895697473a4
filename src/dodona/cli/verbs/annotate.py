"""`dodona annotate`: make a treebank on a web page, with a parser that learns from it."""

import socket
import webbrowser
from pathlib import Path
from typing import Annotated

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag


def annotate(
    file: Annotated[
        str, Flag("CoNLL-U file, or raw text, which becomes FILE.conllu", positional=True)
    ],
    model: Annotated[
        str, Flag("model to start with: a file or a name; none: an empty one", metavar="MODEL")
    ] = "none",
    dev: Annotated[
        str | None, Flag("CoNLL-U file with the trees that score what is learned")
    ] = None,
    other: Annotated[
        str | None, Flag("file of another annotator, to compare with and to settle")
    ] = None,
    other_model: Annotated[
        str | None,
        Flag("second model, for the order of most disagreement", metavar="MODEL"),
    ] = None,
    port: Annotated[int, Flag("port to listen on; 0 selects a free one")] = 0,
    host: Annotated[
        str, Flag("address to listen on; 0.0.0.0: all interfaces", metavar="HOST")
    ] = "127.0.0.1",
    allowed_host: Annotated[
        str | None,
        Flag("further host names of the page, separated by commas", metavar="NAMES"),
    ] = None,
    browser: Annotated[
        bool,
        Flag("open the page in the browser (the list of processes may then show its address)"),
    ] = False,
    lesson: Annotated[
        bool, Flag("begin FILE with a text in an invented language, and a lesson beside it")
    ] = False,
) -> None:
    """Annotate a treebank on a web page, with a parser that learns while you work.

    The page opens at the address that is printed: a secret in it keeps others out, and only this
    machine can connect, unless --host is given. Every change is on disk before it is shown. Ctrl-C
    writes the file and ends.
    """
    try:
        from dodona.server.http.sockets import listen
        from dodona.server.origin_check import own_hosts
        from dodona.server.workbench.endpoints import Endpoints
        from dodona.server.workbench.lesson import write_lesson
        from dodona.server.workbench.program import run
        from dodona.server.workbench.site import make_site
        from dodona.server.workbench.token_cookie import PARAMETER, new_token
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dodona"):
            raise
        missing = (error.name or "").partition(".")[0]
        raise UsageError(
            f'dodona annotate requires {missing}: pip install "dodona[server]"'
        ) from error
    from dodona.annotate.workbench import Workbench

    if lesson:
        write_lesson(Path(file))
    if other is not None and not Path(other).is_file():
        raise FileNotFoundError(2, "No such file or directory", other)
    names = [] if allowed_host is None else [name.strip() for name in allowed_host.split(",")]
    with listen(host, port) as listening:
        workbench = Workbench(file, model=model, dev=dev, other_model=other_model)
        try:
            served = Endpoints(workbench, None if other is None else Path(other), lesson)
            token = new_token()
            address = f"http://{where(listening)}/?{PARAMETER}={token}"
            bound = listening.getsockname()[0]
            site = make_site(served, token, own_hosts(host, names) | own_hosts(bound, []))
            say(f"Annotate {workbench.path} at {address} (stop with Ctrl-C)")
            if browser:
                webbrowser.open(address)
            run(site, listening)
        finally:
            workbench.close()


def where(listening: socket.socket) -> str:
    """Return the address of a socket as it stands in a URL."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
