"""The recipes for reverse proxies in deploy/ work, where the proxies are installed."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="the client of these tests")

import httpx

from support.server_lab import conllu
from support.server_process import COMMAND, HANG_SECONDS
from support.waiting import until

DEPLOY = Path(__file__).parents[2] / "deploy"
HOST = "parse.example"
PLACES = {  # in the recipes, which the test moves to a folder of its own
    "/run/dodona/dodona.sock": "dodona.sock",
    "/etc/dodona/cert.pem": "cert.pem",
    "/etc/dodona/key.pem": "key.pem",
    "/run/nginx.pid": "nginx.pid",
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def moved(name: str, folder: Path) -> str:
    text = (DEPLOY / name).read_text()
    for place, file in PLACES.items():
        text = text.replace(place, str(folder / file))
    return text


@contextmanager
def behind(command: list[str], model: Path, folder: Path, port: int) -> Iterator[httpx.Client]:
    """Start Dodona as the recipe says, and a proxy; yield a client of the proxy."""
    flags = ["--trusted-proxy", "unix", "--allowed-host", HOST]
    server = [*COMMAND, str(model), "--unix-socket", str(folder / "dodona.sock"), *flags]
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        subprocess.Popen(server, stderr=subprocess.PIPE, text=True) as dodona,
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as proxy,
        httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            headers={"Host": HOST},
            verify=context,
            timeout=HANG_SECONDS,
        ) as client,
    ):
        try:
            assert dodona.stderr is not None
            assert "unix:" in dodona.stderr.readline()

            def is_up() -> bool:
                try:
                    extensions = {"sni_hostname": HOST}
                    return client.get("/health", extensions=extensions).status_code == 200
                except httpx.HTTPError:
                    return False

            assert until(is_up), proxy.poll()
            yield client
            dodona.terminate()
            log = dodona.communicate(timeout=HANG_SECONDS)[1]
            assert re.search(r" 127\.0\.0\.1 POST /api/parse 200 ", log)
        finally:
            dodona.kill()
            proxy.terminate()


def check(client: httpx.Client) -> None:
    more = {"sni_hostname": HOST}
    answer = client.post("/api/parse", json={"conllu": conllu()}, extensions=more)
    assert answer.status_code == 200
    assert re.fullmatch(r"[0-9a-f-]{32,36}", answer.headers["x-request-id"])  # the proxy's
    headers = {"Content-Type": "application/json"}
    large = client.post("/api/parse", content=b" " * 17_000_000, headers=headers, extensions=more)
    assert large.status_code == 413
    assert client.get("/metrics", extensions=more).status_code == 403


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_nginx(model: Path, tmp_path: Path) -> None:
    port = free_port()
    subject = [
        "-subj",
        f"/CN={HOST}",
        "-out",
        tmp_path / "cert.pem",
        "-keyout",
        tmp_path / "key.pem",
    ]
    kind = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*kind, *subject], check=True, capture_output=True)
    config = tmp_path / "nginx.conf"
    config.write_text(moved("nginx.conf", tmp_path).replace("listen 443", f"listen {port}"))
    user = [
        "-g",
        "daemon off; user root;" if os.name == "posix" and not os.getuid() else "daemon off;",
    ]
    command = ["nginx", "-p", str(tmp_path), "-c", str(config), *user]
    with behind(command, model, tmp_path, port) as client:
        check(client)
        assert client.post("/api/parse.conllu", content=b"").status_code == 501


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
def test_caddy(model: Path, tmp_path: Path) -> None:
    port = free_port()
    config = tmp_path / "Caddyfile"
    text = moved("Caddyfile", tmp_path).replace(
        f"{HOST} {{", f"{{\n\tadmin off\n}}\nhttps://{HOST}:{port} {{\n\ttls internal"
    )
    config.write_text(text)
    command = ["caddy", "run", "--config", str(config), "--adapter", "caddyfile"]
    with behind(command, model, tmp_path, port) as client:
        check(client)
        url, more = "/api/parse.conllu?input=conllu", {"sni_hostname": HOST}
        streamed = client.post(url, content=conllu(), extensions=more)
        assert streamed.text.count("\n\n") == conllu().count("\n\n")
