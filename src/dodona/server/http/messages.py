"""Request heads and bodies of HTTP/1.1 (RFC 9112), parsed strictly and within limits.

Whatever two programs could read differently is refused, since a proxy in front of the server must
agree with it on where a request ends: bare line feeds, folded headers, spaces before a colon,
`Content-Length` together with `Transfer-Encoding`, and lengths that are not plain digits.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from dodona.server.errors import CLOSE, Refused

MAX_HEAD_BYTES = 1 << 17  # of a request's address and headers: /process takes data there
MAX_HEADERS = 100
MAX_CHUNK_LINE = 256  # bytes: the size of a chunk and its extensions
MAX_TRAILER_BYTES = 1 << 13
# A chunk costs a microsecond or two however short it is, so their rate is limited: a client may
# send many short chunks at once, and some each second; beyond that, their average length counts.
FREE_CHUNKS = 4096
CHUNKS_PER_SECOND = 1000
MIN_CHUNK_BYTES = 16

END_OF_HEAD = b"\r\n\r\n"
_REQUEST_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~]+) HTTP/1\.([01])")
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")  # in a line
_LENGTH = re.compile(rb"[0-9]{1,18}")
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[\t -~]*)?")


@dataclass(slots=True)
class Head:
    """The request line and the headers of a request, and how its body is framed."""

    method: str
    target: bytes
    version: str
    headers: list[tuple[bytes, bytes]]  # names in lower case
    length: int | None  # of the body; None: chunked
    keeps_alive: bool
    awaits_continue: bool


def malformed(why: str, status: int = 400) -> Refused:
    """Return the refusal of a request that is not HTTP/1.1 as this server reads it."""
    return Refused(status, f"malformed HTTP/1.1 request: {why}", CLOSE, reason="malformed")


def read_head(data: bytes) -> Head:
    """Parse the head of a request, without the blank line at its end.

    >>> head = read_head(b"POST /process?tagger HTTP/1.1\\r\\nHost: oak\\r\\nContent-Length: 5")
    >>> head.method, head.target, head.length, head.keeps_alive
    ('POST', b'/process?tagger', 5, True)
    >>> read_head(b"GET / HTTP/1.1\\r\\nHost : oak")
    Traceback (most recent call last):
    dodona.server.errors.Refused: malformed HTTP/1.1 request: a header is not NAME: VALUE
    """
    if data.count(b"\n") > MAX_HEADERS:
        why = f"it has more than {MAX_HEADERS} headers"
        raise Refused(431, f"the request is too large: {why}", CLOSE, reason="headers")
    first, *lines = data.split(b"\r\n")
    found = _REQUEST_LINE.fullmatch(first)
    if found is None:
        raise malformed("the first line is not METHOD ADDRESS HTTP/1.1")
    return _describe(found, list(map(read_header, lines)))


def read_header(line: bytes) -> tuple[bytes, bytes]:
    """Return the name of a header in lower case, and its value."""
    name, colon, value = line.partition(b":")
    if not colon or not _NAME.fullmatch(name) or _FORBIDDEN.search(value):
        raise malformed("a header is not NAME: VALUE")
    return name.lower(), value.strip(b" \t")


def _describe(line: re.Match[bytes], headers: list[tuple[bytes, bytes]]) -> Head:
    lengths, encodings, connection, n_hosts, expected = set(), [], b"", 0, b""
    for name, value in headers:
        if name == b"content-length":
            lengths.add(value)
        elif name == b"transfer-encoding":
            encodings.append(value.lower())
        elif name == b"connection":
            connection += b"," + value.lower()
        elif name == b"host":
            n_hosts += 1
        elif name == b"expect":
            expected = value.lower()
    is_new = line[3] == b"1"
    if n_hosts > 1 or (is_new and not n_hosts):
        raise malformed("it must have one Host")
    return Head(
        line[1].decode(),
        line[2],
        "1.1" if is_new else "1.0",
        headers,
        _body_length(lengths, encodings, is_new=is_new),
        is_new and b"close" not in {token.strip() for token in connection.split(b",")},
        is_new and expected == b"100-continue",
    )


def _body_length(lengths: set[bytes], encodings: list[bytes], *, is_new: bool) -> int | None:
    if not encodings:
        if not lengths:
            return 0
        if len(lengths) > 1 or not _LENGTH.fullmatch(length := lengths.pop()):
            raise malformed("Content-Length is not a number")
        return int(length)
    if lengths or not is_new:
        raise malformed("Transfer-Encoding together with Content-Length, or in HTTP/1.0")
    if encodings != [b"chunked"]:
        raise malformed("the only Transfer-Encoding is chunked", 501)
    return None


class Body:
    """The body of a request, which arrives in pieces; `rest` is what comes after its end."""

    def __init__(self, length: int | None) -> None:
        self.is_complete = length == 0
        self.rest = b""
        self._n_left = length or 0  # of the body, or of the current chunk
        self._is_chunked = length is None
        self._line = b""  # of a chunk's size or of a trailer, as far as it has arrived
        self._is_after_chunk = self._is_in_trailer = False
        self._n_chunks = self._n_bytes = self._n_trailer = 0
        self._begin = time.monotonic()

    def feed(self, data: bytes) -> bytes:
        """Return the part of the body that the data contain."""
        if self._is_chunked:
            return self._feed_chunks(data)
        found = data[: self._n_left]
        self._n_left -= len(found)
        self.is_complete = not self._n_left
        if len(found) < len(data):
            self.rest = data[len(found) :]
        return found

    def _feed_chunks(self, data: bytes) -> bytes:
        found, start = [], 0
        while start < len(data) and not self.is_complete:
            if self._n_left:
                found.append(data[start : start + self._n_left])
                start += len(found[-1])
                self._n_left -= len(found[-1])
                self._n_bytes += len(found[-1])
                continue
            end = data.find(b"\n", start, start + MAX_CHUNK_LINE) + 1
            if len(self._line) + (end or len(data)) - start > MAX_CHUNK_LINE:
                raise malformed("a line of a chunk is too long")
            self._line += data[start : end or None]
            if not end:
                return b"".join(found)
            start = end
            line, self._line = self._line, b""
            if not line.endswith(b"\r\n"):
                raise malformed("a line of a chunk ends without CRLF")
            self._read_line(line[:-2])
        self.rest = data[start:]
        return b"".join(found)

    def _read_line(self, line: bytes) -> None:
        """Read the end of a chunk, the size of the next one, or a trailer."""
        if self._is_after_chunk:
            if line:
                raise malformed("a chunk is longer than its size")
            self._is_after_chunk = False
        elif self._is_in_trailer:
            self._n_trailer += len(line)
            if self._n_trailer > MAX_TRAILER_BYTES:
                raise malformed("the trailers are too long")
            if line:
                read_header(line)
            self.is_complete = not line
        else:
            size = _CHUNK_LINE.fullmatch(line)
            if size is None:
                raise malformed("a chunk has no size")
            self._n_left = int(size[1], 16)
            self._is_in_trailer = not self._n_left
            self._is_after_chunk = not self._is_in_trailer
            self._n_chunks += 1
            if self._n_chunks > FREE_CHUNKS + self._n_bytes // MIN_CHUNK_BYTES:
                self._check_rate()

    def _check_rate(self) -> None:
        n_free = FREE_CHUNKS + CHUNKS_PER_SECOND * (time.monotonic() - self._begin)
        if self._n_chunks > n_free + self._n_bytes // MIN_CHUNK_BYTES:
            why = f"the request sends chunks of less than {MIN_CHUNK_BYTES} bytes too fast"
            raise Refused(400, f"{why}; send longer ones", CLOSE, reason="chunks")
