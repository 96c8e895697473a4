"""Endurance test of the server with many kinds of clients: `python bench/serving.py --soak 10m`.

Good clients parse, process, stream, explore and load pages; other clients send garbage, are slow,
stall, disconnect, send the largest allowed requests, and make all attacks of `attacking.py`.
All good clients must get their responses, and the server's memory must not grow.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import attacking
import measure
from rich.console import Console
from rich.table import Table

TEXT = "The oak at Dodona spoke, and the doves heard it. Who asked? Priests slept on the ground. "
SENTENCE = "Ask 0 root\nthe 3 det\noak 1 obj"
MORE_MEMORY = 1.15  # allowed growth from the first two rounds to the last

ROUNDS = 5  # of the bad clients, with pauses in which memory is measured
PAUSE_SECONDS = 5.0

Client = Callable[[int, random.Random], Awaitable[None]]


@dataclass
class Tally:
    """Responses to the clients of one kind."""

    n: int = 0
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.n += other.n
        self.seconds += other.seconds
        self.errors += other.errors


class Unexpected(Exception):  # noqa: N818
    """A response that a good client should not get."""


async def exchange(port: int, sent: bytes) -> tuple[int, bytes]:
    """Return the status and the body of a response, on a new connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 26)
    try:
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 120)
    finally:
        writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int((head.split(b" ", 2)[1:2] or [b"0"])[0])
    if b"transfer-encoding: chunked" in head.lower():
        body = dechunk(body)
    return status, body


def dechunk(body: bytes) -> bytes:
    """Decode a chunked body; raise an error if the last chunk is missing."""
    found, start = [], 0
    while True:
        end = body.index(b"\r\n", start)
        size = int(body[start:end], 16)
        if not size:
            return b"".join(found)
        found.append(body[end + 2 : end + 2 + size])
        start = end + 2 + size + 2


def request(path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
    """Return a request with `Connection: close`."""
    lines = [
        f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
        "Host: localhost",
        "Connection: close",
    ]
    if body is not None:
        lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return "\r\n".join((*lines, "", "")).encode() + (body or b"")


async def good(port: int, path: str, body: bytes | None, kind: str, expected: bytes) -> None:
    """Send a request and check that the response is complete."""
    status, answer = await exchange(port, request(path, body, kind))
    if status != 200 or expected not in answer:
        raise Unexpected(f"{path}: {status}: {answer[:200]!r}")


async def parse(port: int, pick: random.Random) -> None:
    n = pick.choice([1, 1, 10, 200])
    body = json.dumps({"text": TEXT * n, "output": "sentences"}).encode()
    await good(port, "/api/parse", body, "application/json", b'"sentences"')


async def process(port: int, pick: random.Random) -> None:
    body = f"tokenizer=&tagger=&parser=&data={TEXT * pick.choice([1, 20])}".encode()
    await good(port, "/process", body, "application/x-www-form-urlencoded", b'"result"')


async def stream(port: int, pick: random.Random) -> None:
    body = (TEXT * pick.choice([1, 300])).encode()
    await good(port, "/api/parse.conllu", body, "text/plain", b"\toak\t")


async def explore(port: int, pick: random.Random) -> None:
    asked = {"sentence": SENTENCE, "system": pick.choice(["arc-eager", "swap", "graph-eager"])}
    body = json.dumps(asked).encode()
    await good(port, "/api/explore", body, "application/json", b"<svg")


async def look(port: int, pick: random.Random) -> None:
    path = pick.choice(["/", "/explore", "/health", "/metrics", "/models", "/static/style.css"])
    await good(port, path, None, "", b"")


async def send_garbage(port: int, pick: random.Random) -> None:
    """Send random bytes, or a request with some bytes changed."""
    sent = bytearray(request("/api/parse", json.dumps({"text": TEXT}).encode()))
    for _ in range(pick.randrange(1, 20)):
        sent[pick.randrange(len(sent))] = pick.randrange(256)
    with suppress(OSError, asyncio.TimeoutError, ValueError):
        await asyncio.wait_for(
            exchange(port, pick.choice([bytes(sent), pick.randbytes(500), b"[" * 9999])), 1
        )


async def be_slow(port: int, pick: random.Random) -> None:
    """Send headers, a body or a stream slowly, or read a response byte by byte."""
    whole = request(pick.choice(["/api/parse", "/api/parse.conllu"]), (TEXT * 500).encode())
    with suppress(OSError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 10)
        try:
            start = pick.choice([0, 200, len(whole)])
            writer.write(whole[:start])
            for place in range(start, start + 20):
                writer.write(whole[place : place + 1])
                await reader.read(1) if start == len(whole) else await asyncio.sleep(1)
        finally:
            writer.close()


async def hang(port: int, pick: random.Random) -> None:
    """Start a request, then stall or disconnect."""
    body = json.dumps({"text": TEXT * 200}).encode()
    whole = request("/api/parse", body)
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(whole[: pick.choice([0, 20, 300, len(whole)])])
        await asyncio.sleep(pick.choice([0.01, 1, 20]))
        writer.close()


async def ask_for_much(port: int, pick: random.Random) -> None:
    """Explore the longest allowed sentence, send many words, and exceed the limits."""
    lines = [
        f"{i}\toak\t_\t_\t_\t_\t{i - 1}\tl{i}\t{i - 1}:l{i}|{(7 * i) % 250 + 251}:x{i}\t_"
        for i in range(1, 250)
    ]
    asked = {"sentence": "\n".join(lines).replace("251", "0"), "system": "graph-standard"}
    tokens = b'{"tokens": [' + b'["a"],' * pick.choice([100_000, 2_000_000]) + b'["a"]]}'
    sent = [request("/api/explore", json.dumps(asked).encode()), request("/api/parse", tokens)]
    with suppress(OSError, asyncio.TimeoutError, ValueError):
        await asyncio.wait_for(exchange(port, pick.choice(sent)), 30)


GOOD: dict[str, Client] = {
    "parse": parse,
    "process": process,
    "stream": stream,
    "explore": explore,
    "look at pages": look,
}
BAD: dict[str, tuple[Client, int]] = {  # and the number of concurrent ones
    **{f"attack: {name}": (attack, 1) for name, (attack, _) in attacking.ATTACKS.items()},
    "send garbage": (send_garbage, 2),
    "are slow": (be_slow, 6),
    "hang, or leave": (hang, 20),
    "ask for too much": (ask_for_much, 1),
}


async def repeat(client: Client, port: int, end: float, tally: Tally, pause: float) -> None:
    pick = random.Random(id(tally))
    while time.perf_counter() < end:
        begin = time.perf_counter()
        try:
            await client(port, pick)
        except (Unexpected, OSError, ValueError, asyncio.TimeoutError) as error:
            tally.errors.append(f"{type(error).__name__}: {error}")
        tally.seconds.append(time.perf_counter() - begin)
        tally.n += 1
        await asyncio.sleep(pause)


def run_clients(port: int, seconds: float, are_good: bool) -> dict[str, Tally]:
    """Run all good clients or all others, in a separate process."""

    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns about each closed connection

    async def everybody() -> dict[str, Tally]:
        end = time.perf_counter() + seconds
        kinds = {name: (client, 1) for name, client in GOOD.items()} if are_good else BAD
        tallies = {name: Tally() for name in kinds}
        pause = 0.05 if are_good else 0.2
        jobs = [
            repeat(client, port, end, tallies[name], pause)
            for name, (client, n) in kinds.items()
            for _ in range(n)
        ]
        with suppress(asyncio.TimeoutError):  # bad clients may take longer than they should
            await asyncio.wait_for(asyncio.gather(*jobs), None if are_good else seconds)
        return tallies

    return asyncio.run(everybody())


def memory(pid: int) -> tuple[float, float]:
    """Return the memory of a process and its children in megabytes."""
    command = ["ps", "-axo", "pid=,ppid=,rss="]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    table = [tuple(map(int, line.split())) for line in lines]
    own = sum(rss for number, _, rss in table if number == pid)
    return own / 1000, sum(rss for _, parent, rss in table if parent == pid) / 1000


async def _soak(
    port: int, pid: int, seconds: float
) -> tuple[dict[str, Tally], list[tuple[float, float]], list[float]]:
    """Return the tallies, the memory at all times, and that of the pauses between the attacks."""
    loop = asyncio.get_running_loop()
    span = max(seconds / ROUNDS - PAUSE_SECONDS, 1)
    good = loop.run_in_executor(None, measure.apart, run_clients, port, seconds, True)
    tallies = {name: Tally() for name in BAD}
    looks, calm = [], []
    for _ in range(ROUNDS):
        bad = loop.run_in_executor(None, measure.apart, run_clients, port, span, False)
        while not bad.done():
            looks.append(memory(pid))
            await asyncio.wait([bad], timeout=1)
        for name, tally in bad.result().items():
            tallies[name].add(tally)
        end, lowest = time.perf_counter() + PAUSE_SECONDS, float("inf")
        while time.perf_counter() < end:
            lowest = min(lowest, memory(pid)[0])
            await asyncio.sleep(0.2)
        calm.append(lowest)
    return await good | tallies, looks, calm


def soak(port: int, pid: int, seconds: float) -> dict[str, Any]:
    """Return the figures."""
    tallies, looks, calm = asyncio.run(_soak(port, pid, seconds))
    megabytes, helpers = zip(*looks, strict=True)
    before, after = max(calm[:2]), calm[-1]  # in the first rounds, memory may grow
    clients = {
        name: {
            "requests": tally.n,
            "errors": len(tally.errors) if name in GOOD else None,
            "median_seconds": statistics.median(tally.seconds),
            "slowest_seconds": max(tally.seconds),
            "first_errors": tally.errors[:3] if name in GOOD else [],
        }
        for name, tally in tallies.items()
        if tally.n
    }
    n_errors = sum(tally["errors"] or 0 for tally in clients.values())
    return {
        "seconds": seconds,
        "clients": clients,
        "megabytes_early": before,
        "megabytes_late": after,
        "megabytes_most": max(megabytes),
        "megabytes_helpers": max(helpers),
        "passes": not n_errors and after <= MORE_MEMORY * before,
    }


def show(figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    title = f"{figures['seconds']:g} s among all sorts of clients"
    table = Table("clients that", "requests", "errors", "median", "slowest", title=title)
    for name, tally in figures["clients"].items():
        errors = "" if tally["errors"] is None else f"{tally['errors']:,}"
        times = (f"{1000 * tally[key]:,.0f} ms" for key in ("median_seconds", "slowest_seconds"))
        table.add_row(name, f"{tally['requests']:,}", errors, *times)
    console = Console()
    console.print(table)
    megabytes = (figures[f"megabytes_{when}"] for when in ("early", "late", "most", "helpers"))
    line = "memory: {:.0f} MB early, {:.0f} MB late, {:.0f} MB at most; helpers {:.0f} MB at most"
    console.print(line.format(*megabytes))
    for tally in figures["clients"].values():
        for error in tally["first_errors"]:
            console.print(error)
    console.print("passes" if figures["passes"] else "fails")


def read_span(span: str) -> float:
    """Return the seconds of a duration: 90, 90s, 10m, 1h.

    >>> read_span("10m"), read_span("90")
    (600.0, 90.0)
    """
    found = re.fullmatch(r"([\d.]+)([smh]?)", span)
    if not found:
        raise SystemExit(f"a span is as in 90s, 10m or 1h, not {span!r}")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]
