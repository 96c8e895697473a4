"""Attacks on `dodona serve` that once broke a promise of SECURITY.md: each must fail now.

As in `test_abuse`, no test is judged by the clock. Attackers go on until a good client has had its
answers, or their requests would last for minutes if nobody cut them off.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="the client of these tests")

import httpx

from support.server_process import COMMAND, HANG_SECONDS, Running, children, head, read_all, start
from support.waiting import until

MEBIBYTES = 512  # that deploy/kubernetes.yaml grants a server with its helpers
FORM = "application/x-www-form-urlencoded"

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
only_posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with start("en", "--quiet") as running:
        yield running


def form(body: bytes, kind: str = FORM) -> bytes:
    lines = "POST /process HTTP/1.1", "Host: localhost", f"Content-Type: {kind}"
    return "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode() + body


def ask(server: Running, sent: bytes) -> bytes:
    """Send a request on a new connection; return its answer, also if sending fails."""
    with server.connect() as client:
        with suppress(OSError):
            client.sendall(sent)
        with suppress(OSError):
            client.shutdown(socket.SHUT_WR)
        return read_all(client)


@contextmanager
def attacked(attack: Callable[[], object], n_attackers: int) -> Iterator[list[int]]:
    """Attack again and again in threads for the duration of a `with` block; count the attacks."""
    is_over, counts = threading.Event(), [0]

    def repeat() -> None:
        while not is_over.is_set():
            with suppress(OSError):
                attack()
            counts[0] += 1

    with ThreadPoolExecutor(n_attackers) as pool:
        for _ in range(n_attackers):
            pool.submit(repeat)
        try:
            yield counts
        finally:
            is_over.set()


def is_served(server: Running, counts: list[int], n_attacks: int = 3) -> None:
    """Check that a good client is answered, and memory is bounded, while attacks go on."""
    end = counts[0] + n_attacks
    while counts[0] < end:
        assert server.is_healthy()
        assert server.client.post("/api/parse", json={"text": "Oaks speak."}).status_code == 200
        if sys.platform == "linux":
            assert server.whole_memory() < MEBIBYTES


def test_marks_are_limited_where_they_are_sorted(server: Running) -> None:
    marks = "a" + "\u0301\u0323" * 300_000  # Python's normaliser takes a quarter of an hour
    found = ask(server, form(f"tokenizer=&normalize=nfc&data={marks}".encode()))
    assert found.startswith(b"HTTP/1.1 400")
    assert b"more than 30 combining marks" in found
    few = "a" + "\u0323\u0301" * 15
    found = ask(server, form(f"tokenizer=&normalize=nfc&data={few} oak".encode()))
    assert found.startswith(b"HTTP/1.1 200")
    assert ask(server, form(f"tokenizer=&data={marks[:9000]}".encode())).startswith(b"HTTP/1.1 200")


def test_short_chunks_are_refused(server: Running) -> None:
    begin = head("/api/parse", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with server.connect() as client, suppress(OSError):
        client.sendall(begin + b"1\r\na\r\n" * 500_000)
        assert b"chunks of less than 16 bytes too fast" in read_all(client)
    assert server.metric('dodona_refused_total{reason="chunks"}') >= 1


@pytest.mark.thorough
def test_others_are_served_while_clients_send_short_chunks(server: Running) -> None:
    begin = head("/api/parse.conllu", 0).replace(
        b"Content-Length: 0", b"Transfer-Encoding: chunked"
    )
    with attacked(lambda: ask(server, begin + b"1\r\na\r\n" * 200_000), 8) as counts:
        is_served(server, counts, 30)


def test_headers_are_counted_before_they_are_kept(server: Running) -> None:
    many = b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 32_200 + b"\r\n"
    assert ask(server, many).startswith(b"HTTP/1.1 431")
    long = b"GET /health HTTP/1.1\r\nHost: localhost\r\na: " + b"x" * 200_000
    assert ask(server, long).startswith(b"HTTP/1.1 431")


@pytest.mark.thorough
@only_linux
def test_unfinished_headers_count_to_the_memory_limit() -> None:
    """1,500 connections with as many headers as fit; half of them never end."""
    begin = b"POST /process HTTP/1.1\r\nHost: localhost\r\n"
    kinds = [
        b"a: " + b"x" * 130_000,
        b"a:\r\n" * 32_200,
        b"a: b\r\n" * 90 + b"Content-Length: 9\r\n\r\n",
    ]
    with start("en", "--quiet", "--head-timeout", "3600") as server, ExitStack() as stack:
        for n in range(1500):
            client = stack.enter_context(server.connect())
            client.setblocking(False)
            with suppress(OSError):
                client.send(begin + kinds[n % 3])
            if n % 100 == 0:
                assert server.is_healthy()
                assert server.whole_memory() < MEBIBYTES
        assert server.is_healthy()
        server.process.terminate()
        assert server.end()[0] == 0


def tangle(n_words: int, n_heads: int) -> str:
    """Return a sentence whose words have many heads."""
    lines = []
    for word in range(1, n_words + 1):
        heads = sorted((word * (7 + n)) % (n_words + 1) for n in range(1, n_heads + 1))
        deps = "|".join(f"{h}:l{word}x{i}" for i, h in enumerate(heads) if h != word)
        lines.append(f"{word}\toak\t_\t_\t_\t_\t{word - 1}\tl{word}\t{deps or '0:root'}\t_\n")
    return "".join(lines) + "\n"


def ladder(n_nodes: int = 2000, label: str = "l" * 100) -> str:
    """Return a chain of empty nodes; contracted, it would have labels of 200 kB for each word."""
    lines = [f"0.1\toak\t_\t_\t_\t_\t_\t_\t0:{label}\t_\n"]
    lines += [f"0.{n}\toak\t_\t_\t_\t_\t_\t_\t0.{n - 1}:{label}\t_\n" for n in range(2, n_nodes)]
    lines += [f"{n}\toak\t_\t_\t_\t_\t_\t_\t0.{n_nodes - 1}:{label}\t_\n" for n in range(1, 251)]
    return "".join(lines) + "\n"


def test_a_graph_through_many_empty_nodes_is_not_drawn(model: Path) -> None:
    asked = {"conllu": ladder(), "graph": True, "output": "sentences"}
    with start(model, "--quiet") as server:
        [sentence] = server.client.post("/api/parse", json=asked).json()["sentences"]
        assert sentence["graph_svg"] is None
        if sys.platform == "linux":
            assert server.whole_memory() < MEBIBYTES


@pytest.mark.thorough
def test_drawing_graphs_ends_with_its_client(server: Running) -> None:
    """Forty graphs of a second each: the helper that draws them is killed, threads stay free."""
    body = json.dumps({"conllu": tangle(250, 4) * 40, "graph": True}).encode()
    with ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(6)]
        for client in clients:
            client.sendall(head("/api/parse", len(body)) + body)
        assert until(lambda: server.n_in_flight == len(clients))
        for _ in range(5):
            assert server.is_healthy()
            assert server.client.post("/api/parse", json={"text": "Oaks."}).status_code == 200
            assert server.whole_memory() < MEBIBYTES
        assert server.n_in_flight > 0
    assert until(lambda: server.n_in_flight == 0)


PART = b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n'


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"tokenizer=&data=" + b"%61" * 5_200_000, FORM),
        (b"tokenizer=&data=" + b"%F0%9F%8C%B3" * 1_300_000, FORM),
        (b"tokenizer=&data=" + b"%" * 15_000_000, FORM),
        (b"tokenizer=&data=" + b"+" * 15_000_000, FORM),
        (PART + b"\r" * 15_000_000 + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"),
        (PART + b"\r\n--" * 3_000_000 + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"),
        (b"--x" + b" " * 15_000_000, "multipart/form-data; boundary=x"),
    ],
    ids=["escapes", "trees", "percent", "plus", "returns", "boundaries", "padding"],
)
@only_linux
def test_forms_are_counted_by_what_they_become(server: Running, body: bytes, kind: str) -> None:
    with attacked(lambda: ask(server, form(body, kind)), 4) as counts:
        is_served(server, counts)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "body",
    [
        b"{" + b",".join(b'"%x":1' % n for n in range(990_000)) + b"}",
        b'{"width": 0.' + b"3" * 15_000_000 + b', "text": "a"}',
        b'{"tokens": [' + b",".join([b"[" + b'"a",' * 19_998 + b'"a"]'] * 6) + b"]}",
        b'{"text": "' + b"oak " * 40_000 + b'", "svg": true}',
    ],
    ids=["keys", "digits", "long sentences", "drawings"],
)
def test_others_are_served_while_clients_send_large_json(server: Running, body: bytes) -> None:
    with attacked(lambda: ask(server, head("/api/parse", len(body)) + body), 4) as counts:
        is_served(server, counts)


def test_polite_clients_keep_their_connections(server: Running) -> None:
    """More than may have unfinished headers, all from one address as behind a proxy."""
    get = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        clients = [stack.enter_context(server.connect()) for _ in range(200)]
        for client in clients:
            client.sendall(get)
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
        more = [stack.enter_context(server.connect()) for _ in range(200)]
        for _ in range(3):
            for client in (*clients, *more):
                client.sendall(get)
                assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("depth", [200, 400, 450, 500, 3000])
def test_nested_expressions_are_an_error_of_the_client(server: Running, depth: int) -> None:
    pattern = f"form=/{'(' * depth}a{')' * depth}/"
    asked = {"sentence": "oak 0 root", "pattern": pattern}
    assert server.client.post("/api/explore/match", json=asked).status_code in (200, 400)


@only_linux
def test_a_helper_that_is_killed_fails_no_request(server: Running) -> None:
    asked = {"sentence": "oak 0 root"}
    for _ in range(3):
        assert server.client.post("/api/explore", json=asked).status_code == 200
        for helper in children(server.process.pid):
            os.kill(helper, signal.SIGKILL)


def test_two_lengths_of_a_body_end_the_connection(server: Running) -> None:
    smuggled = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    begin = head("/process", 5)[:-2] + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    found = ask(server, begin + smuggled)
    assert found.startswith(b"HTTP/1.1 400")
    assert b"HTTP/1.1 200" not in found


@pytest.mark.parametrize("sent", ["6.6.6.6", "6.6.6.6 GET /forged 200", "a\tb", "::1, 6.6.6.6"])
def test_forwarded_addresses_are_believed_of_trusted_proxies_only(model: Path, sent: str) -> None:
    logged = []
    for trust in ((), ("--trusted-proxy", "127.0.0.1")):
        with start(model, *trust) as server:
            server.client.get("/health", headers={"X-Forwarded-For": sent})
            server.process.terminate()
            [line] = server.end()[1].splitlines()
            logged.append(line.split()[1:4])
    assert logged[0] == ["127.0.0.1", "GET", "/health"]
    real = "6.6.6.6" if sent.endswith("6.6.6.6") else "127.0.0.1"
    assert logged[1] == [real, "GET", "/health"]


@only_posix
def test_a_log_that_nobody_reads_blocks_nothing(model: Path) -> None:
    command = [*COMMAND, str(model), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+:\d+/", process.stderr.readline())
            assert found
            with httpx.Client(base_url=found[0], timeout=HANG_SECONDS) as client:
                for _ in range(1000):  # more than a pipe holds
                    assert client.get("x" * 500).status_code == 404
                assert client.get("health").status_code == 200
            process.terminate()
            assert process.wait(HANG_SECONDS) == 0
        finally:
            process.kill()


def test_a_client_that_is_refused_early_sees_why(server: Running) -> None:
    body = b" " * 40_000_000
    for path, kind in (("/api/parse", "application/json"), ("/process", FORM)):
        headers = {"Content-Type": kind}
        answer = server.client.post(path, content=body, headers=headers)
        assert answer.status_code == 413
        pieces = iter([body[:1_000_000]] * 40)  # without a length
        assert server.client.post(path, content=pieces, headers=headers).status_code == 413


def test_compressed_bodies_are_refused(server: Running) -> None:
    body = gzip.compress(b'{"text": "' + b" " * 50_000_000 + b'"}')
    for path in ("/api/parse", "/process", "/api/parse.conllu", "/api/explore"):
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        answer = server.client.post(path, content=body, headers=headers)
        assert answer.status_code == 415
        assert "Content-Encoding gzip; send it uncompressed" in answer.text


@only_posix
@pytest.mark.thorough
def test_it_ends_in_the_middle_of_every_attack() -> None:
    with start("en", "--quiet", "--grace", "1") as server, ExitStack() as stack:
        begin = head("/api/parse.conllu", 0)
        begin = begin.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        graphs = json.dumps({"conllu": tangle(250, 4) * 40, "graph": True}).encode()
        escapes = b"tokenizer=&data=" + b"%61" * 5_200_000
        for sent in (
            begin + b"10\r\n" + b"a" * 16 + b"\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\na: " + b"x" * 100_000,
            head("/api/parse", len(graphs)) + graphs,
            form(escapes),
        ):
            client = stack.enter_context(server.connect())
            client.sendall(sent)
        assert until(lambda: server.n_in_flight >= 2)
        server.process.send_signal(signal.SIGTERM)
        assert server.end()[0] == 0


def test_a_usage_error_shows_no_token(tmp_path: Path) -> None:
    command = [*COMMAND, "no.dodona", "--token", "secret-of-the-oak"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode
    assert not re.search("secret-of-the-oak", done.stdout + done.stderr)
