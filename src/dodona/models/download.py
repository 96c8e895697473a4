"""Downloads over HTTP and HTTPS, limited in size, that leave nothing behind when they fail."""

from __future__ import annotations

import urllib.request as requests
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from dodona.errors import DodonaError
from dodona.storage.atomic import atomic_write

TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 3
BLOCK = 1 << 16

T = TypeVar("T")


class DownloadError(DodonaError, OSError):
    """A download that failed; the message names the URL and the reason."""


class _BrokenError(DownloadError):
    """A connection that broke: worth another attempt."""


class _Redirects(requests.HTTPRedirectHandler):
    """Redirects that stay on the web, and on an encrypted connection."""

    def redirect_request(
        self,
        req: requests.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> requests.Request | None:
        check_url(newurl, f"{req.full_url} redirects to ")
        if req.full_url.startswith("https:") and not newurl.startswith("https:"):
            raise DownloadError(f"{req.full_url} redirects to {newurl}, which is not encrypted")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def check_url(url: str, what: str = "") -> None:
    """Refuse a URL that is not one of the web.

    >>> check_url("file:///etc/passwd")
    Traceback (most recent call last):
    dodona.models.download.DownloadError: file:///etc/passwd: only http and https are read
    """
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_good = False
    if not is_good:
        raise DownloadError(f"{what}{url}: only http and https are read")


def download_text(url: str, max_bytes: int) -> str:
    """Return a short text, such as an index."""

    def read() -> str:
        with _open(url, max_bytes) as blocks:
            return b"".join(blocks).decode(errors="replace")

    return _retry(read)


def download_file(url: str, path: Path, max_bytes: int) -> None:
    """Download a file; `path` exists only if all of it has arrived."""

    def save() -> None:
        with _open(url, max_bytes) as blocks, atomic_write(path) as file:
            file.writelines(blocks)

    _retry(save)


def _retry(task: Callable[[], T]) -> T:
    """Run a download from its beginning again if the connection breaks."""
    for _ in range(ATTEMPTS - 1):
        with suppress(_BrokenError):
            return task()
    return task()


@contextmanager
def _open(url: str, max_bytes: int) -> Iterator[Iterator[bytes]]:
    """Open a URL and yield the blocks of its content; too many bytes are an error."""
    check_url(url)
    opener = requests.OpenerDirector()  # without handlers of file:, ftp: and data:
    for handler in (
        requests.ProxyHandler(),
        requests.HTTPHandler(),
        requests.HTTPSHandler(),
        requests.HTTPDefaultErrorHandler(),
        requests.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    request = requests.Request(url, headers={"User-Agent": "dodona", "Accept-Encoding": "identity"})
    try:
        with opener.open(request, timeout=TIMEOUT) as response:
            yield _blocks(response, url, max_bytes)
    except DownloadError:
        raise
    except HTTPError as error:
        raise DownloadError(f"{url}: the server answers {error.code} {error.reason}") from None
    except URLError as error:
        raise DownloadError(f"{url}: no connection ({error.reason})") from None
    except (HTTPException, ConnectionError, TimeoutError) as error:
        raise _BrokenError(f"{url}: the connection broke ({error!r}); try again") from None


def _blocks(response: HTTPResponse, url: str, max_bytes: int) -> Iterator[bytes]:
    announced = response.headers.get("Content-Length", "")
    expected = int(announced) if announced.isascii() and announced.isdigit() else None
    problem = f"{url}: larger than {max_bytes:,} bytes, which is what is expected at most"
    if expected is not None and expected > max_bytes:
        raise DownloadError(problem)
    n_read = 0
    while block := response.read(BLOCK):
        n_read += len(block)
        if n_read > max_bytes:
            raise DownloadError(problem)
        yield block
    if expected is not None and n_read < expected:
        raise _BrokenError(f"{url}: the connection broke after {n_read:,} bytes; try again")
