"""Requests are parsed as h11 parses them; what programs could read differently is refused."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("h11", reason="the parser that ours is compared with")

import h11
from hypothesis import given
from hypothesis import strategies as st

from dodona.server.errors import Refused
from dodona.server.http.messages import (
    END_OF_HEAD,
    FREE_CHUNKS,
    MAX_CHUNK_LINE,
    MAX_HEADERS,
    Body,
    read_head,
)

HEAD = b"POST /process?tagger HTTP/1.1\r\nHost: oak\r\n"


def read_all(data: bytes, cuts: list[int]) -> tuple[list[tuple[bytes, bytes]], bytes, bytes]:
    """Return the headers, the body and the rest, from data that arrive in pieces."""
    head, _, rest = data.partition(END_OF_HEAD)
    found = read_head(head)
    body, content, start = Body(found.length), b"", 0
    for cut in [*sorted(cuts), len(rest)]:
        if not body.is_complete and cut > start:
            content += body.feed(rest[start:cut])
            start = cut
    assert body.is_complete
    return found.headers, content, body.rest + rest[start:]


def by_h11(data: bytes) -> tuple[list[tuple[bytes, bytes]], bytes] | None:
    """Return the headers and the body as h11 reads them; None if it refuses them."""
    connection = h11.Connection(h11.SERVER, 1 << 20)
    connection.receive_data(data)
    headers, body = [], b""
    try:
        while type(event := connection.next_event()) is not h11.EndOfMessage:
            if isinstance(event, h11.Request):
                headers = [(name.lower(), value) for name, value in event.headers]
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            else:
                return None
    except h11.RemoteProtocolError:
        return None
    return headers, body


def chunked(pieces: list[bytes]) -> bytes:
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece)
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


@given(
    pieces=st.lists(st.binary(max_size=40), max_size=8),
    cuts=st.lists(st.integers(0, 200), max_size=20),
)
def test_a_body_is_the_same_however_it_is_cut(pieces: list[bytes], cuts: list[int]) -> None:
    body = b"".join(pieces)
    plain = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    for data in (plain, chunked(pieces)):
        assert read_all(data + b"GET /", cuts)[1:] == (body, b"GET /")


def test_what_is_accepted_h11_reads_in_the_same_way() -> None:
    pick, n_accepted = random.Random(3), 0
    whole = [
        chunked([b"oak", b"and dove"]),
        HEAD + b"Content-Length: 3\r\nAccept:\t*/* \r\nExpect: 100-continue\r\n\r\noak",
        b"GET http://oak/x HTTP/1.0\r\nConnection: close\r\n\r\n",
    ]
    for _ in range(5_000):
        data = bytearray(pick.choice(whole))
        for _ in range(pick.randrange(3)):
            at = pick.randrange(len(data))
            data[at : at + pick.randrange(3)] = pick.choice(
                [
                    b"\r\n",
                    b"\n",
                    b" ",
                    b":",
                    b";",
                    b"0",
                    b"\t",
                    b"\x00",
                    b"5\r\n",
                    b"chunked",
                    b"\x85",
                ]
            )
        try:
            found = read_all(bytes(data), [pick.randrange(60)])
        except (Refused, AssertionError):
            continue
        n_accepted += 1
        assert by_h11(bytes(data)) == found[:2], bytes(data)
    assert n_accepted > 1000


@pytest.mark.parametrize(
    "lines",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: gzip, chunked",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: +5",
        b"Content-Length: 5, 5",
        b"Content-Length: 0x5",
        b"Content-Length:",
        b"Content-Length : 5",
        b" folded: 1",
        b"no colon",
        b": no name",
        b"a: b\nc: d",
        b"a: b\rc: d",
        b"a: \x00",
        b"Host: two",
    ],
)
def test_ambiguous_requests_are_refused(lines: bytes) -> None:
    with pytest.raises(Refused, match=r"malformed HTTP/1\.1 request"):
        read_head(HEAD + lines)


def test_a_request_names_its_host() -> None:
    with pytest.raises(Refused, match="one Host"):
        read_head(b"GET / HTTP/1.1\r\nAccept: */*")


def test_the_number_of_headers_is_limited() -> None:
    assert len(read_head(HEAD + b"\r\n".join([b"a: b"] * (MAX_HEADERS - 1))).headers) == MAX_HEADERS
    with pytest.raises(Refused, match="more than 100 headers"):
        read_head(HEAD + b"\r\n".join([b"a: b"] * MAX_HEADERS))


@pytest.mark.parametrize(
    "sent",
    [
        b"1" * (MAX_CHUNK_LINE + 1),
        b"1;" + b"x" * MAX_CHUNK_LINE + b"\r\n",
        b"1\noak",
        b"-1\r\n",
        b"3\r\noakX\r\n",
        b"\r\n",
        b"0\r\n" + b"a: b\r\n" * 3000,
    ],
)
def test_malformed_chunks_are_refused(sent: bytes) -> None:
    for n in (len(sent), 1):
        body = Body(None)
        with pytest.raises(Refused):
            for start in range(0, len(sent), n):
                body.feed(sent[start : start + n])


def test_short_chunks_are_limited_in_their_rate() -> None:
    body = Body(None)
    body._begin += 3600  # no time has passed, however slow this machine is
    assert body.feed(b"1\r\na\r\n" * (FREE_CHUNKS - 1)) == b"a" * (FREE_CHUNKS - 1)
    with pytest.raises(Refused, match="too fast"):
        body.feed(b"1\r\na\r\n" * FREE_CHUNKS)
    slow = Body(None)
    slow._begin -= 3600  # an hour has passed
    assert len(slow.feed(b"1\r\na\r\n" * 3 * FREE_CHUNKS)) == 3 * FREE_CHUNKS
    long = Body(None)
    long._begin += 3600
    assert len(long.feed((b"40\r\n" + b"a" * 64 + b"\r\n") * 3 * FREE_CHUNKS)) == 192 * FREE_CHUNKS
