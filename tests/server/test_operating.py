"""What operators rely on: tokens, TLS, sockets, reloads, workers, logs, counters."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="the client of these tests")

import httpx

from support import small
from support.server_lab import conllu
from support.server_process import COMMAND, HANG_SECONDS, Running, children, read_all, start
from support.waiting import until

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
only_posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals and sockets")
TOKEN = "whispered-by-oaks"


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[Running]:
    with start(model, "--quiet") as running:
        yield running


def test_long_answers_are_compressed_for_clients_that_accept_it(server: Running) -> None:
    body = {"tokens": [["oak"] * 50] * 200}
    plain = server.client.post("/api/parse", json=body, headers={"Accept-Encoding": "identity"})
    packed = server.client.post("/api/parse", json=body, headers={"Accept-Encoding": "gzip"})
    assert plain.headers.get("content-encoding") is None
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert packed.content == plain.content
    sent = b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with server.connect() as client:
        client.sendall(sent + b"Accept-Encoding: gzip\r\n\r\n")
        found = gzip.decompress(read_all(client).partition(b"\r\n\r\n")[2])
    assert found == server.client.get("/static/style.css").content
    assert "content-encoding" not in server.client.get("/health").headers


def test_streams_are_compressed(server: Running) -> None:
    answers = [
        server.client.post(
            "/api/parse.conllu?input=conllu", content=conllu(), headers={"Accept-Encoding": coding}
        )
        for coding in ("identity", "gzip")
    ]
    assert answers[1].headers["content-encoding"] == "gzip"
    assert answers[0].text == answers[1].text


@pytest.mark.parametrize("source", ["flag", "file", "environment"])
def test_a_token_is_required_where_one_is_given(
    model: Path, tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"{TOKEN}\nanother-one\n")
    given = {"flag": ["--token", TOKEN], "file": ["--token-file", file], "environment": []}[source]
    if source == "environment":
        monkeypatch.setenv("DODONA_TOKEN", TOKEN)
    with start(model, *given) as server:
        body = {"conllu": conllu()}

        def status(path: str, **more: object) -> int:
            ask = server.client.post if path == "/api/parse" else server.client.get
            more = more | ({"json": body} if path == "/api/parse" else {})
            return int(ask(path, **more).status_code)  # type: ignore[arg-type, operator]

        for path in ("/api/parse", "/models", "/metrics", "/", "/static/style.css", "/nothing"):
            assert status(path) == 401
            assert status(path, headers={"Authorization": "Bearer wrong-token"}) == 401
            assert status(path, headers={"Authorization": "Basic ???"}) == 401
        assert status("/health") == status("/ready") == 200
        assert status("/api/parse", headers={"Authorization": f"Bearer {TOKEN}"}) == 200
        assert status("/", auth=("anybody", TOKEN)) == 200  # as browsers do
        assert "WWW-Authenticate" in server.client.get("/").headers
        if source == "file":
            assert status("/", auth=("anybody", "another-one")) == 200
        server.process.terminate()
        log = server.end()[1]
    assert TOKEN not in log
    assert TOKEN not in server.greeting


@pytest.mark.parametrize("token", ["", "short", "with a space", "ünïcödé-token"])
def test_a_token_that_is_none_is_refused(model: Path, token: str) -> None:
    command = [*COMMAND, str(model), "--token", token]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode
    assert "a token has at least 8 characters, without spaces" in done.stderr


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the files of a self-signed certificate and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    chain, key = folder / "cert.pem", folder / "key.pem"
    make_certificate(chain, key)
    return chain, key


def make_certificate(chain: Path, key: Path) -> None:
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    kind = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    files = ["-out", str(chain), "-keyout", str(key)]
    subprocess.run([*kind, *subject, *files], check=True, capture_output=True)


def test_it_speaks_tls(model: Path, certificate: tuple[Path, Path]) -> None:
    chain, key = certificate
    context = ssl.create_default_context(cafile=str(chain))
    with start(model, "--tls-cert", chain, "--tls-key", key, "--quiet") as server:
        assert server.greeting.startswith("Dodona serves tiny at https://127.0.0.1:")
        url = f"https://127.0.0.1:{server.address[1]}"
        silent = [server.connect() for _ in range(300)]  # more than may be without headers
        with httpx.Client(base_url=url, verify=context, timeout=HANG_SECONDS) as client:
            body = {"tokens": [["oak"] * 50] * 500}
            assert client.post("/api/parse", json=body).status_code == 200
            assert client.post("/api/parse", content=b" " * 20_000_000).status_code in (413, 415)
            assert client.get("/health").json()["status"] == "ok"
        with server.connect() as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"HTTP/1.1 200" not in read_all(plain)
        for connection in silent:
            connection.close()
        server.process.terminate()
        assert server.end() == (0, "")


@pytest.mark.parametrize("flags", [["--tls-cert", "no.pem"], ["--tls-key", "no.pem"]])
def test_a_certificate_that_cannot_be_read_is_an_error(model: Path, flags: list[str]) -> None:
    done = subprocess.run([*COMMAND, str(model), *flags], capture_output=True, text=True)
    assert done.returncode
    assert "certificate" in done.stderr
    assert "Traceback" not in done.stderr


@only_posix
def test_it_listens_at_a_unix_socket(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "oak.sock"
    for _ in range(2):  # the second server replaces the socket that the first left
        command = [*COMMAND, str(model), "--unix-socket", str(path), "--trusted-proxy", "unix"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                assert f"unix:{path}" in process.stderr.readline()
                transport = httpx.HTTPTransport(uds=str(path))
                url = "http://localhost"
                with httpx.Client(
                    transport=transport, base_url=url, timeout=HANG_SECONDS
                ) as client:
                    answer = client.get("/health", headers={"X-Forwarded-For": "6.6.6.6"})
                    assert answer.status_code == 200
                process.terminate()
                assert " 6.6.6.6 GET /health 200 " in process.communicate(timeout=HANG_SECONDS)[1]
            finally:
                process.kill()


@only_posix
@pytest.mark.thorough
@pytest.mark.parametrize("workers", ["1", "2"])
def test_models_are_reloaded_without_a_lost_request(tmp_path: Path, workers: str) -> None:
    path = tmp_path / "oak.dodona"
    small.train(small.treebank(60, 1), tags="gold").save(path)
    other = small.train(small.treebank(60, 1), small.treebank(20, 2), tags="predicted")
    with start(path, "--workers", workers) as server:
        is_over, statuses = threading.Event(), []

        def ask() -> None:
            with httpx.Client(base_url=server.client.base_url, timeout=HANG_SECONDS) as client:
                while not is_over.is_set():
                    answer = client.post("/api/parse", json={"conllu": conllu()})
                    statuses.append(answer.status_code)

        def parts() -> set[str]:
            with httpx.Client(base_url=server.client.base_url, timeout=HANG_SECONDS) as client:
                return {*client.get("/api/models").json()[0]["parts"]}

        with ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask) for _ in range(4)]
            assert parts() == {"parser"}
            other.save(path)
            server.process.send_signal(signal.SIGHUP)
            assert until(lambda: server.log.count("reloaded oak") == int(workers))
            assert all(parts() == {"tagger", "parser"} for _ in range(10))
            path.write_bytes(b"damaged")
            server.process.send_signal(signal.SIGHUP)
            assert until(lambda: server.log.count("not reloaded") == int(workers))
            n_before = len(statuses)
            assert until(lambda: len(statuses) > n_before + 50)
            is_over.set()
            for future in asking:
                future.result()
        assert set(statuses) == {200}
        assert parts() == {"tagger", "parser"}
        server.process.terminate()
        code, log = server.end()
    assert code == 0
    assert log.count("reloaded oak") == int(workers)
    assert re.search(r"not reloaded: .*oak\.dodona", log)
    assert "Traceback" not in log


@only_linux
@pytest.mark.thorough
def test_the_successor_of_a_worker_has_the_reloaded_models(tmp_path: Path) -> None:
    path = tmp_path / "oak.dodona"
    small.train(small.treebank(60, 1), tags="gold").save(path)
    other = small.train(small.treebank(60, 1), small.treebank(20, 2), tags="predicted")
    with start(path, "--workers", "2") as server:
        assert until(lambda: len(children(server.process.pid)) == 2)
        other.save(path)
        server.process.send_signal(signal.SIGHUP)
        assert until(lambda: server.log.count("reloaded oak") == 2)
        for worker in children(server.process.pid):
            os.kill(worker, signal.SIGKILL)
        assert until(lambda: server.log.count("reloaded oak") == 4)
        with httpx.Client(base_url=server.client.base_url, timeout=HANG_SECONDS) as client:
            assert "tagger" in client.get("/api/models").json()[0]["parts"]


RELOADING = """
import os, signal, socket, sys
from dodona.server.limits import Limits
from dodona.server.models import load_models
from dodona.server.program import Settings, run

def send(number):
    os.kill(os.getpid(), number)

class Slow(Settings):
    def load(self):
        send(followers.pop(0))  # before it is done
        return models

followers, models = [signal.SIGHUP, signal.SIGTERM], load_models(sys.argv[1:], None, None)
settings = Slow([], None, None, Limits(), (), frozenset(), (), (), None, None, None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
send(signal.SIGHUP)
run(settings, models, socket.create_server(("127.0.0.1", 0)))
"""


@only_posix
def test_a_reload_that_is_asked_for_during_another_is_not_forgotten(model: Path) -> None:
    command = [sys.executable, "-c", RELOADING, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


STARTING_WORKER = """
import asyncio, os, signal
from dodona.server import supervisor
from dodona.server.http.serving import handle_signals
from dodona.server.limits import Limits
from dodona.server.program import Settings

async def wait_for_signal():
    found = asyncio.Event()
    handle_signals({signal.SIGHUP: found.set})
    await found.wait()

def run(settings, models, listening, team):
    os.kill(os.getpid(), signal.SIGHUP)  # before it is ready
    asyncio.run(wait_for_signal())
    print("seen", flush=True)
    os.kill(os.getppid(), signal.SIGTERM)

supervisor.run = run
settings = Settings([], None, None, Limits(), (), frozenset(), (), (), None, None, None)
supervisor.Supervisor(settings, None, None, 1).run(1)
"""


@only_posix
def test_a_signal_that_comes_while_a_worker_starts_is_not_lost() -> None:
    command = [sys.executable, "-c", STARTING_WORKER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "seen\n", "")


@only_linux
@pytest.mark.thorough
def test_workers_share_a_port_and_their_counters(model: Path) -> None:
    with start(model, "--workers", "3", "--quiet") as server:
        assert until(lambda: len(children(server.process.pid)) == 3)  # after the greeting
        workers = children(server.process.pid)

        def ask(_: int) -> int:
            return httpx.post(
                f"{server.client.base_url}/api/parse",
                json={"conllu": conllu()},
                timeout=HANG_SECONDS,
            ).status_code

        with ThreadPoolExecutor(8) as pool:
            assert {*pool.map(ask, range(60))} == {200}
        name = 'dodona_requests_total{path="/api/parse",status="200"}'
        assert until(lambda: server.metric(name) == 60)
        os.kill(workers[0], signal.SIGKILL)  # as when memory is short: another takes its place

        def is_replaced() -> bool:
            now = children(server.process.pid)
            return workers[0] not in now and len(now) == 3

        assert until(is_replaced)
        with ThreadPoolExecutor(8) as pool:
            assert {*pool.map(ask, range(20))} == {200}
        assert until(lambda: server.metric(name) == 80)
        server.process.terminate()
        code, log = server.end()
        assert code == 0
        assert re.fullmatch(r"worker \d ended; another takes its place\n", log)
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


@only_posix
@pytest.mark.thorough
def test_workers_end_with_their_supervisor(model: Path) -> None:
    with start(model, "--workers", "2", "--quiet") as server:
        assert server.is_healthy()
        server.process.kill()

        def is_gone() -> bool:
            with socket.socket() as client:
                return client.connect_ex(server.address) != 0

        assert until(is_gone)


@only_posix
def test_logs_in_json_have_ids(model: Path) -> None:
    with start(model, "--log-format", "json") as server:
        first = server.client.post("/api/parse", json={"conllu": conllu()})
        second = server.client.get("/nothing", headers={"X-Request-ID": "from-the-proxy.1"})
        third = server.client.get("/nothing", headers={"X-Request-ID": 'forged" id'})
        server.process.terminate()
        lines = [json.loads(line) for line in server.end()[1].splitlines()]
    assert [line["id"] for line in lines] == [
        answer.headers["x-request-id"] for answer in (first, second, third)
    ]
    assert lines[1]["id"] == "from-the-proxy.1"
    assert '"' not in lines[2]["id"]
    assert len({line["id"] for line in lines}) == 3
    assert {name: lines[0][name] for name in ("client", "method", "path", "status", "model")} == {
        **{"client": "127.0.0.1", "method": "POST", "path": "/api/parse"},
        **{"status": 200, "model": "tiny"},
    }
    assert lines[0]["words"] > 0
    assert lines[0]["ms"] > 0


def test_metrics_tell_what_took_long_and_what_was_refused(server: Running) -> None:
    server.client.post("/api/parse", json={"conllu": conllu()})
    server.client.post(
        "/api/parse", content=b"x" * 17_000_000, headers={"Content-Type": "application/json"}
    )
    server.client.post("/api/parse", content=b"{}", headers={"Content-Type": "text/plain"})
    server.client.get("/health", headers={"Host": "evil.example"})
    server.client.post("/api/parse", json={}, headers={"Origin": "http://evil.example"})
    with server.connect() as client:
        client.sendall(b"nonsense\r\n\r\n")
        read_all(client)
    text = server.client.get("/metrics").text
    for line in (
        'dodona_route_seconds_count{path="/api/parse",model="tiny"} ',
        'dodona_route_seconds_bucket{path="/api/parse",model="tiny",le="+Inf"} ',
        *(
            f'dodona_refused_total{{reason="{reason}"}} 1'
            for reason in ("max_size", "media_type", "host", "origin", "malformed")
        ),
    ):
        assert f"\n{line}" in text
