"""`dodona serve` as a process: stalled clients, malformed requests, and shutdown."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="the client of these tests")

from support import small
from support.server_lab import conllu, sentences
from support.server_process import COMMAND, HANG_SECONDS, Running, head, read_all, start
from support.waiting import until

PATIENCE = 2.0  # seconds: a busy machine must not look like a client that hangs


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[Running]:
    limits = "--patience", str(PATIENCE), "--head-timeout", str(PATIENCE), "--max-size", "1"
    with start(model, *limits, "--quiet") as running:
        yield running


def test_it_reports_its_address_which_is_local_by_default(server: Running) -> None:
    assert server.greeting.startswith("Dodona serves tiny at http://127.0.0.1:")


def test_it_parses(server: Running) -> None:
    found = server.parse().json()
    assert found["model"] == "tiny"
    expected = [tree.heads for tree in small.parser().pipe(sentences())]
    assert [[word["head"] for word in tree["words"]] for tree in found["sentences"]] == expected


HANGING = {
    "silent": b"",
    "half a head": b"POST /api/parse HTTP/1.1\r\nHost",
    "half a body": head("/api/parse", 1000) + b'{"conllu": "',
    "half a form": head("/process", 1000) + b"data=",
    "half a stream": head("/api/parse.conllu?input=conllu", 1000) + b"1\tOak",
}


def test_stalled_clients_are_disconnected(server: Running) -> None:
    with ExitStack() as stack:
        clients = {name: stack.enter_context(server.connect()) for name in HANGING}
        for name, client in clients.items():
            client.sendall(HANGING[name])
        assert server.parse().status_code == 200
        for name, client in clients.items():
            found = read_all(client)  # comes back only when the server ends the connection
            assert not found or b" 408 " in found, name


def test_headers_sent_too_slowly_end_the_connection(server: Running) -> None:
    with server.connect() as client, pytest.raises(OSError):
        client.sendall(b"GET /health HTTP/1.1\r\nX: ")
        for _ in range(1200):
            client.sendall(b"y")
            time.sleep(0.05)


def test_a_client_that_does_not_read_is_disconnected(server: Running) -> None:
    body = json.dumps({"tokens": [["a"] * 50] * 2500}).encode()  # more than systems buffer
    with server.connect() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(head("/api/parse", len(body)) + body)
        assert server.parse().status_code == 200
        end = time.monotonic() + 60
        while not client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):  # reset by the server
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 5000 + b"\r\n\r\n",
        b"GET " + b"/" * 300_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n",
        b"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /process HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["TLS", "zeros", "endless address", "header", "length", "chunks"],
)
def test_garbage_is_refused_and_affects_no_other_client(server: Running, sent: bytes) -> None:
    with server.connect() as client:
        try:
            client.sendall(sent)
            found = read_all(client)
        except OSError:  # it did not even listen to the end
            found = b""
    assert not found or b" 4" in found.splitlines()[0]
    assert server.parse().status_code == 200


def test_a_body_over_the_limit_is_not_read_to_its_end(server: Running) -> None:
    with server.connect() as client:
        client.sendall(head("/api/parse", 1_000_000_000) + b"x" * 1000)
        assert b" 413 " in read_all(client)


def test_many_at_once_get_their_own_answers(server: Running) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def ask(n: int) -> list[int]:
        body = {"tokens": [["oak"] * n], "output": "sentences"}
        found = server.client.post("/api/parse", json=body).json()
        return [len(tree["words"]) for tree in found["sentences"]]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(1, 65))) == [[n] for n in range(1, 65)]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to end it in good order")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_the_open_request(model: Path, number: signal.Signals) -> None:
    body = json.dumps({"conllu": conllu()}).encode()
    with start(model) as server, server.connect() as client, server.connect() as idle:
        idle.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in idle.recv(1 << 16)
        client.sendall(head("/api/parse", len(body)) + body[:100])
        assert until(lambda: server.metric("dodona_requests_in_flight") == 2)
        server.process.send_signal(number)
        time.sleep(0.3)
        client.sendall(body[100:])
        answer = read_all(client)
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.endswith(b"}\n")
        code, said = server.end()
    assert code == 0
    lines = [line.split()[2:5] for line in said.splitlines() if "/metrics" not in line]
    assert lines == [["GET", "/health", "200"], ["POST", "/api/parse", "200"]]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to end it in good order")
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_right_after_the_greeting_ends_it_in_good_order(
    model: Path, number: signal.Signals, workers: str
) -> None:
    command = [*COMMAND, str(model), "--port", "0", "--workers", workers]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline().startswith("Dodona serves")
            process.send_signal(number)
            assert process.communicate(timeout=HANG_SECONDS)[1] == ""
            assert process.returncode == 0
        finally:
            process.kill()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to end it in good order")
def test_the_log_has_a_line_for_each_request(model: Path) -> None:
    with start(model) as server:
        server.parse()
        server.client.get("/nothing?secret")
        server.process.terminate()
        code, said = server.end()
    assert code == 0
    first, second = said.splitlines()
    assert re.fullmatch(r"\S+ 127\.0\.0\.1 POST /api/parse 200 \d+ words [\d.]+ ms", first)
    assert re.fullmatch(r"\S+ 127\.0\.0\.1 GET /nothing 404 [\d.]+ ms", second)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True)


def test_a_port_in_use_is_reported(model: Path, server: Running) -> None:
    done = run(model, "--port", str(server.address[1]))
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {server.address[1]}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["{model}", "{model}"], "two models are called 'tiny'"),
        (["no.dodona"], "no.dodona"),
        (["{model}", "--waiting", "0"], "waiting must be a number above 0"),
        (["{model}", "--port", "70000"], "a port is a number from 0 to 65535"),
    ],
)
def test_usage_errors_are_one_line(model: Path, arguments: list[str], why: str) -> None:
    done = run(*(argument.format(model=model) for argument in arguments))
    assert done.returncode in (1, 2)
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_models_may_be_given_names(model: Path) -> None:
    with start(model, f"english-tiny-251115={model}", "--quiet") as server:
        found = server.client.get("/models").json()
        assert found == {
            "models": {name: ["tagger", "parser"] for name in ("tiny", "english-tiny-251115")},
            "default_model": "tiny",
        }
        answer = server.client.post("/process", data={"data": conllu(), "model": "english"})
        assert answer.json()["model"] == "english-tiny-251115"


@pytest.mark.thorough
def test_what_is_missing_is_named_with_its_extra(model: Path) -> None:
    program = f"import sys; sys.modules['starlette'] = None; {COMMAND[2]}"
    command = [sys.executable, "-c", program, "serve", str(model)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'dodona serve requires starlette: pip install "dodona[server]"\n'
