"""Heads and bodies of HTTP/1.1 as the server reads them: strictly, and in pieces as in one."""

from __future__ import annotations

from random import Random
from zlib import crc32

from dodona.server.errors import Refused
from dodona.server.http.messages import END_OF_HEAD, Body, Head, read_head
from fuzz.mutation import BLIND, change_lines, replace_word, words
from fuzz.target import Target, promise

PIECES = [
    *("Content-Length: 3", "Transfer-Encoding: chunked", "Connection: close", "Host: oak", "\r\n"),
    *("Expect: 100-continue", "HTTP/1.0", "HTTP/1.1", "chunked, gzip", "\r\n\r\n", "\n", "\t"),
    *(
        "0\r\n\r\n",
        "3\r\noak\r\n",
        "3;a=b\r\n",
        "ffffffff\r\n",
        "Trailer: x",
        " ",
        ":",
        "+3",
        "0x3",
    ),
]
SEPARATORS = b"\r\n :;"


def run(data: bytes) -> object:
    """Read the head twice, and the body in one piece, byte by byte, and in pieces of any length."""
    start, _, rest = data.partition(END_OF_HEAD)
    head = read_head(start)
    promise(read_head(write(head)) == head, "a head that is written again reads the same")
    cuts = Random(crc32(data))
    pieces, at = [], 0
    while at < len(rest):
        pieces.append(rest[at : at + cuts.choice((1, 2, 3, 20))])
        at += len(pieces[-1])
    found = read_body(head.length, [rest])
    promise(read_body(head.length, pieces) == found, "pieces change nothing")
    promise(head.length is None or len(found[0]) <= head.length, "no more than announced")
    return head.method[:8], head.length is None, head.keeps_alive, found[1], found[2][:30]


def write(head: Head) -> bytes:
    """Write a head as it was read, with names in lower case."""
    first = b"%b %b HTTP/%b" % (head.method.encode(), head.target, head.version.encode())
    return b"\r\n".join((first, *(b"%b: %b" % pair for pair in head.headers)))


def read_body(length: int | None, pieces: list[bytes]) -> tuple[bytes, bool, str, bytes]:
    """Return the body, whether it is complete, why it is refused, and what comes after it."""
    body, found, rest = Body(length), b"", b""
    for number, piece in enumerate(pieces):
        if body.is_complete:
            rest = b"".join(pieces[number:])
            break
        try:
            found += body.feed(piece)
        except Refused as refused:
            return b"", False, str(refused), b""
    return found, body.is_complete, "", body.rest + rest


TARGET = Target(
    run=run,
    refuses=(Refused,),
    mutators=[*BLIND, change_lines, *[words(*PIECES)] * 3, *[replace_word(SEPARATORS)] * 2],
    longest=600,
)
