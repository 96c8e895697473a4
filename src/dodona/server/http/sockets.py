"""Listening sockets: TCP, Unix, and TLS."""

from __future__ import annotations

import os
import socket
import ssl
import stat
import sys
from pathlib import Path

BACKLOG = 1024  # connections that the system queues


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise an error that says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"cannot listen on {host} port {port}: {why}; choose another --port"
        ) from error
    except OverflowError:
        raise ValueError(f"a port is a number from 0 to 65535, not {port}") from None


def listen_at(path: Path) -> socket.socket:
    """Return a listening Unix socket, which replaces one that a stopped server left behind."""
    if sys.platform == "win32":
        raise ValueError("Windows has no Unix sockets; use --port")
    found = socket.socket(socket.AF_UNIX)
    try:
        if path.exists() and stat.S_ISSOCK(path.stat().st_mode) and not _is_served(path):
            path.unlink()
        found.bind(os.fspath(path))
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        why = error.strerror or str(error)
        raise OSError(f"cannot listen at {path}: {why}; choose another --unix-socket") from error
    return found


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(os.fspath(path))
        except ConnectionRefusedError:
            return False
        return True


def tls_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """Return the TLS settings of a server with a certificate chain and its key, in PEM files."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols(["http/1.1"])
    load_certificate(context, certificate, key)
    return context


def load_certificate(context: ssl.SSLContext, certificate: Path, key: Path | None) -> None:
    """Load a certificate, also into a context in use: connections made from now on see it."""
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except OSError as error:
        files = certificate if key is None else f"{certificate} and {key}"
        why = error.strerror or str(error)
        raise OSError(f"cannot read the certificate in {files}: {why}") from error


def _no_password() -> str:
    raise ValueError("the key of --tls-key has a password; give a key without one")


def allow_files(n_files: int) -> int:
    """Raise the limit on open files to `n_files` if possible; return how many are allowed."""
    if sys.platform == "win32":
        return n_files
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= n_files:
        return n_files
    allowed = n_files if hard == resource.RLIM_INFINITY else min(n_files, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed
