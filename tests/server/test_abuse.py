"""`dodona serve` under attack: others are served, memory is bounded, and it shuts down.

No test is judged by the clock: limits in seconds are set so high (`NEVER`) that what happens must
have another cause, and the order of events shows that nobody waited for a misbehaving client.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="the client of these tests")

from dodona.server.limits import Limits
from support.server_lab import conllu
from support.server_process import Running, head, read_all, start
from support.waiting import until

MEGABYTES = 500  # that a server with a small model stays under, whatever happens
NEVER = "3600"  # seconds
TIMEOUTS = ("timeout", "patience", "head-timeout", "explore-timeout")
ENDLESS = tuple(word for name in TIMEOUTS for word in (f"--{name}", NEVER))

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[Running]:
    with start(model, "--quiet") as running:
        yield running


def post(path: str, body: bytes, kind: str = "application/json") -> bytes:
    """Return a complete request."""
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def tangle(n_words: int = 250, n_heads: int = 4) -> str:
    """Return a graph at the explorer's limits with a label per arc, whose costs take minutes."""
    pick, lines = random.Random(1), []
    for word in range(1, n_words + 1):
        heads = pick.sample([head for head in range(n_words + 1) if head != word], n_heads)
        deps = "|".join(f"{head}:l{word}x{head}" for head in sorted(heads))
        lines.append(f"{word}\toak\t_\t_\t_\t_\t{word - 1}\tl{word}\t{deps}\t_\n")
    return "".join(lines) + "\n"


HOSTILE = post(
    "/api/explore",
    json.dumps({"sentence": tangle(), "system": "graph-standard", "width": 800}).encode(),
)


def explore(server: Running, stack: ExitStack, n_clients: int = 10) -> list[socket.socket]:
    clients = [stack.enter_context(server.connect()) for _ in range(n_clients)]
    for client in clients:
        client.sendall(HOSTILE)
    return clients


@pytest.mark.thorough
def test_others_are_answered_before_hostile_explorers(model: Path) -> None:
    with start(model, "--quiet", *ENDLESS) as server:
        with ExitStack() as stack:
            n_hostile = len(explore(server, stack))
            assert until(lambda: server.n_in_flight == n_hostile)
            for _ in range(5):
                assert server.is_healthy()
                assert server.parse().status_code == 200
            assert server.n_in_flight == n_hostile
        # the clients have disconnected: their work is cancelled
        assert until(lambda: server.n_in_flight == 0)


def test_short_requests_overtake_a_long_one(model: Path) -> None:
    words = [["oak", "and", "oak"] * 7] * 20_000
    sent = post("/api/parse", json.dumps({"tokens": words, "output": "sentences"}).encode())
    with start(model, "--quiet", "--threads", "1", *ENDLESS) as server, server.connect() as client:
        client.sendall(sent)
        assert until(lambda: server.n_in_flight == 1)
        assert server.is_healthy()
        assert server.parse().status_code == 200
        assert server.n_in_flight == 1


def test_a_graph_with_thousands_of_arcs_is_refused(server: Running) -> None:
    body = {"sentence": tangle(100, 50), "system": "graph-eager"}
    answer = server.client.post("/api/explore", json=body)
    assert answer.status_code == 400
    assert answer.json() == {"error": "the graph has 5000 arcs; the explorer shows up to 1000"}


@pytest.mark.thorough
@pytest.mark.parametrize("is_announced", [True, False], ids=["Content-Length", "chunked"])
@only_linux
def test_unfinished_uploads_are_bounded(model: Path, is_announced: bool) -> None:
    size = 15_000_000
    begin = post("/api/parse", b"")[: -len(b"Content-Length: 0\r\n\r\n")]
    begin += b"Content-Length: %d\r\n\r\n" % size
    if not is_announced:
        begin = begin.replace(b"Content-Length: %d" % size, b"Transfer-Encoding: chunked")
        begin += b"%x\r\n" % size
    with start(model, "--quiet", *ENDLESS) as server, ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(300)]
        for client in clients:
            client.setblocking(False)
        upload(clients, begin + b" " * (size - 1))
        assert server.is_healthy()
        assert server.parse().status_code == 200
        assert server.n_in_flight > 0  # nobody waited for the uploads to end
        assert server.memory() < MEGABYTES


@pytest.mark.thorough
@only_linux
def test_lists_of_words_take_no_more_memory_than_other_texts() -> None:
    """Eight requests at a time of 10,000 words without an end of sentence, for a network."""
    with start("en", "--quiet") as server, ThreadPoolExecutor(8) as pool:

        def ask(text: str) -> int:
            return int(server.client.post("/api/parse", json={"text": text}).status_code)

        def peak_after(text: str) -> float:
            assert {*pool.map(ask, [text] * 8)} == {200}
            return server.memory()

        prose = peak_after("The old oak in the garden speaks to nobody. " * 450)
        assert peak_after("a " * 10_000) < prose + 100
        assert server.memory() < MEGABYTES


def upload(clients: list[socket.socket], sent: bytes) -> None:
    """Send to all clients in parallel, until none has accepted data for a while."""
    left = {client: memoryview(sent) for client in clients}
    idle = time.monotonic()
    while left and time.monotonic() < idle + 0.5:
        for client, rest in list(left.items()):
            try:
                n_sent = client.send(rest[: 1 << 18])
            except BlockingIOError:
                continue
            except OSError:  # refused
                del left[client]
                continue
            left[client] = rest[n_sent:]
            idle = time.monotonic()
            if not left[client]:
                del left[client]
        time.sleep(0.001)


@pytest.mark.parametrize(
    "body",
    [
        b'{"tokens": [' + b'["a"],' * 2_600_000 + b'["a"]]}',
        b'{"tokens": [["a"' + b',"a"' * 3_900_000 + b"]]}",
        b'{"tokens": "' + b"ab " * 5_000_000 + b'"}',
        b'{"tokens": "' + b"a\\n" * 5_000_000 + b'"}',
        b'{"text": "' + b"a " * 7_500_000 + b'"}',
        b'{"text": "' + "Ask. 🌳".encode() * 1_700_000 + b'"}',
        b"[" * 15_900_000,
    ],
    ids=["sentences", "words", "line", "lines", "text", "trees", "depth"],
)
@only_linux
def test_sixteen_megabytes_are_bounded(server: Running, body: bytes) -> None:
    answers = []

    def ask() -> None:
        headers = {"Content-Type": "application/json"}
        answers.append(server.client.post("/api/parse", content=body, headers=headers))

    asking = threading.Thread(target=ask)
    asking.start()
    while asking.is_alive():
        assert server.is_healthy()
        asking.join(0.1)
    assert answers[0].status_code in (400, 413)
    assert server.memory() < MEGABYTES


def test_half_sent_headers_keep_nobody_out(model: Path) -> None:
    with start(model, "--quiet", *ENDLESS) as server, ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(1100)]
        for client in clients:
            with suppress(ConnectionError):
                client.sendall(b"GET /health HTTP/1.1\r\nHost: local")
        assert server.is_healthy()
        assert server.parse().status_code == 200
        n_open = 1100
        for client in clients:
            client.setblocking(False)
            try:
                n_open -= client.recv(1) == b""
            except BlockingIOError:
                continue
            except ConnectionError:
                n_open -= 1
        assert n_open <= Limits().heads  # the others were closed, and not by a timeout


def test_slow_streams_yield(model: Path) -> None:
    with start(model, "--streams", "4", "--quiet", *ENDLESS) as server, ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(server.connect())
            client.sendall(head("/api/parse.conllu?input=conllu", 1_000_000) + b"1\tOak")
        url = "/api/parse.conllu?input=conllu"
        assert until(lambda: server.client.post(url, content=conllu()).status_code == 503)
        assert until(lambda: server.client.post(url, content=conllu()).status_code == 200)


@pytest.mark.thorough
def test_streams_that_are_not_read_yield(model: Path) -> None:
    with start(model, "--streams", "2", "--quiet", *ENDLESS) as server, ExitStack() as stack:
        body = conllu(400).encode() * 100
        for _ in range(2):
            client = stack.enter_context(server.connect())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            upload([client], head("/api/parse.conllu?input=conllu", len(body)) + body)
        url = "/api/parse.conllu?input=conllu"
        assert until(lambda: server.client.post(url, content=conllu()).status_code == 200)


def test_answers_that_are_not_read_yield(model: Path) -> None:
    body = json.dumps({"tokens": [["a"] * 50] * 2500, "output": "sentences"}).encode()
    with start(model, "--waiting", "1", "--quiet", *ENDLESS) as server, server.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(post("/api/parse", body))
        assert until(lambda: server.n_in_flight == 1)
        assert until(lambda: server.parse().status_code == 200)  # 503 as long as it holds the slot


def test_a_client_that_closes_only_its_side_gets_an_answer(server: Running) -> None:
    body = json.dumps({"conllu": conllu()}).encode()
    for sent in (post("/api/parse", body), b"GET /health HTTP/1.0\r\n\r\n"):
        with server.connect() as client:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            found = read_all(client)
        assert found.startswith(b"HTTP/1.1 200")
        assert found.endswith(b"}\n") or b'"ok"' in found


def test_two_pipelined_requests_of_a_client_that_closes_its_side(server: Running) -> None:
    with server.connect() as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
        client.shutdown(socket.SHUT_WR)
        assert read_all(client).count(b'"ok"') == 2


def test_exploring_is_given_up_after_its_timeout(model: Path) -> None:
    impatient = "--explore-timeout", "0.05", "--quiet"
    with start(model, *impatient) as server, server.connect() as client:
        client.sendall(HOSTILE)
        client.shutdown(socket.SHUT_WR)
        found = read_all(client)
    assert b"HTTP/1.1 503" in found
    assert b"exploring took more than 0.05 seconds" in found


def test_work_for_a_client_that_disconnects_is_cancelled(server: Running) -> None:
    words = [["oak", "and", "oak"] * 7] * 20_000
    sent = post("/api/parse", json.dumps({"tokens": words, "output": "sentences"}).encode())
    before = server.metric("dodona_words_total")
    with server.connect() as client:
        client.sendall(sent)
        assert until(lambda: server.n_in_flight == 1)
    assert until(lambda: server.n_in_flight == 0)
    assert server.metric("dodona_words_total") < before + 21 * 20_000


def answer_to(server: Running, *lines: str) -> bytes:
    with server.connect() as client:
        client.sendall("\r\n".join((*lines, "Connection: close", "", "")).encode())
        return read_all(client)


def test_a_foreign_host_name_is_refused(server: Running, model: Path) -> None:
    found = answer_to(server, "GET /health HTTP/1.1", "Host: evil.example")
    assert found.startswith(b"HTTP/1.1 421")
    assert b"this server is not called 'evil.example'" in found
    port = server.address[1]
    for name in ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", "[::1]"):
        assert answer_to(server, "GET /health HTTP/1.1", f"Host: {name}").startswith(b"HTTP/1.1 2")
    with start(model, "--allowed-host", "oak.example", "--quiet") as other:
        named = answer_to(other, "GET /health HTTP/1.1", "Host: oak.example:80")
        assert named.startswith(b"HTTP/1.1 200")


def hostile_explorers(server: Running, stack: ExitStack) -> list[socket.socket]:
    return explore(server, stack)


def half_headers(server: Running, stack: ExitStack) -> list[socket.socket]:
    clients = [stack.enter_context(server.connect()) for _ in range(50)]
    for client in clients:
        client.sendall(b"GET / HTTP/1.1\r\nHost")
    return clients


def half_bodies(server: Running, stack: ExitStack) -> list[socket.socket]:
    paths = "/api/parse", "/process", "/api/explore", "/api/parse.conllu?input=conllu"
    clients = [stack.enter_context(server.connect()) for _ in paths]
    for client, path in zip(clients, paths, strict=True):
        client.sendall(head(path, 1000) + b"1\t")
    return clients


def does_not_read(server: Running, stack: ExitStack) -> list[socket.socket]:
    body = json.dumps({"tokens": [["a"] * 50] * 2500}).encode()
    client = stack.enter_context(server.connect())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.sendall(post("/api/parse", body))
    return [client]


def all_at_once(server: Running, stack: ExitStack) -> list[socket.socket]:
    kinds = hostile_explorers, half_headers, half_bodies, does_not_read
    return [client for kind in kinds for client in kind(server, stack)]


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal for an orderly shutdown")
@pytest.mark.parametrize(
    "abuse", [hostile_explorers, half_headers, half_bodies, does_not_read, all_at_once]
)
def test_it_shuts_down_without_waiting_for_misbehaving_clients(
    model: Path, abuse: Callable[[Running, ExitStack], list[socket.socket]]
) -> None:
    with start(model, "--quiet", "--grace", "1", *ENDLESS) as server, ExitStack() as stack:
        clients = abuse(server, stack)
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        code, errors = server.end()
        assert code == 0
        assert "Traceback" not in errors
        for client in clients:  # it ended although none of them was answered in full
            assert not read_all(client).endswith((b"}", b"}\n"))
