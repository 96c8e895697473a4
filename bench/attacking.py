"""Attacks on the server, one by one: `python bench/serving.py --attack 20s`.

During each attack a good client asks for /health and has a sentence parsed. The bars: /health
within a second, the sentence within two, 512 MiB for the server and its helpers together, and an
end within 15 seconds of SIGTERM. `soaking.py` runs all attacks at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import measure
from rich.console import Console
from rich.table import Table

HEALTH_SECONDS, PARSE_SECONDS, END_SECONDS, MEBIBYTES = 1.0, 2.0, 15.0, 512.0
FORM = "application/x-www-form-urlencoded"

Attack = Callable[[int, random.Random], Awaitable[None]]


def request(
    path: str, body: bytes, kind: str = "application/json", *, chunked: bool = False
) -> bytes:
    """Return a request; with `chunked`, only its head."""
    framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
    lines = (f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", framing, "", "")
    return "\r\n".join(lines).encode() + (b"" if chunked else body)


async def send(port: int, sent: bytes, seconds: float = 15.0) -> bytes:
    """Send bytes on a new connection, and read the answer until it is closed or time is up."""
    found = b""
    with suppress(OSError, asyncio.TimeoutError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        try:
            found = await asyncio.wait_for(read_to_end(reader), seconds)
        finally:
            writer.close()
    return found


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Return the last bytes of an answer."""
    found = b""
    while data := await reader.read(1 << 16):
        found = data
    return found


async def send_marks(port: int, pick: random.Random) -> None:
    """Have Unicode's normaliser sort 600,000 combining marks."""
    text = "a" + "\u0301\u0323" * pick.choice([20, 3_000, 300_000])
    await send(port, request("/process", f"tokenizer=&normalize=nfc&data={text}".encode(), FORM))


async def send_short_chunks(port: int, pick: random.Random) -> None:
    """Send chunks of a byte each."""
    size = pick.choice([1, 1, 16])
    chunk = b"%x\r\n%b\r\n" % (size, b"a" * size)
    path = pick.choice(["/api/parse", "/api/parse.conllu"])
    await send(port, request(path, b"", chunked=True) + chunk * 500_000)


async def send_headers(port: int, pick: random.Random) -> None:
    """Send as many headers as fit, on many connections."""
    lines = pick.choice([b"a:\r\n" * 32_000, b"a: " + b"x" * 130_000, b"a:b\r\n" * 99])
    head = b"POST /process HTTP/1.1\r\nHost: localhost\r\n" + lines
    more = pick.choice([b"", b"\r\nContent-Length: 9\r\n\r\n"])
    await asyncio.gather(*(send(port, head + more, 3.0) for _ in range(50)))


def tangle(n_words: int = 250, n_arcs: int = 4) -> bytes:
    """Return a sentence whose graph is as large as the explorer draws."""
    pick = random.Random(1)
    lines = []
    for word in range(1, n_words + 1):
        heads = sorted(pick.sample([n for n in range(n_words + 1) if n != word], n_arcs))
        deps = "|".join(f"{head}:l{word}x{head}" for head in heads)
        lines.append(f"{word}\toak\t_\t_\t_\t_\t{word - 1}\tl{word}\t{deps}\t_\n")
    return "".join(lines).encode() + b"\n"


def ladder(n_nodes: int = 700) -> bytes:
    """Return a sentence with a chain of empty nodes, whose labels add up along it."""
    label = "l" * 300
    chain = [f"0.{n}\toak\t_\t_\t_\t_\t_\t_\t0.{n - 1}:{label}\t_\n" for n in range(2, n_nodes)]
    first = f"0.1\toak\t_\t_\t_\t_\t_\t_\t0:{label}\t_\n"
    words = [f"{n}\toak\t_\t_\t_\t_\t_\t_\t0.{n_nodes - 1}:{label}\t_\n" for n in range(1, 251)]
    return "".join((first, *chain, *words)).encode() + b"\n"


async def draw_graphs(port: int, pick: random.Random) -> None:
    """Have the largest graphs drawn, and leave."""
    conllu = pick.choice([tangle() * 40, tangle(250, 40) * 4, ladder()])
    body = json.dumps({"conllu": conllu.decode(), "graph": True, "svg": True}).encode()
    await send(port, request("/api/parse", body), pick.choice([1, 5, 15]))


async def send_escapes(port: int, pick: random.Random) -> None:
    """Send a form in which each letter is percent-encoded, or one of many lines."""
    body = pick.choice(
        [b"tokenizer=&data=" + b"%61" * 5_200_000, b"data=" + b"%F0%9F%8C%B3" * 1_300_000]
    )
    part = b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n'
    lines = part + b"\r" * 15_000_000 + b"\r\n--x--\r\n"
    sent = [
        request("/process", body, FORM),
        request("/process", lines, "multipart/form-data; boundary=x"),
    ]
    await send(port, pick.choice(sent))


async def send_json(port: int, pick: random.Random) -> None:
    """Send JSON that takes long to read, or much memory."""
    body = pick.choice(
        [
            b'{"tokens": [' + b'["a"],' * 2_600_000 + b'["a"]]}',
            b"{" + b",".join(b'"%x":1' % n for n in range(900_000)) + b"}",
            b'{"width": 0.' + b"3" * 15_000_000 + b', "text": "a"}',
            b'{"text": "' + "Ask. 🌳".encode() * 1_700_000 + b'"}',
            b'{"text": "' + b"a " * 120_000 + b'", "svg": true}',
            b'{"tokens": [' + b",".join([b"[" + b",".join([b'"a"'] * 19_999) + b"]"] * 10) + b"]}",
        ]
    )
    await send(port, request("/api/parse", body))


async def find_patterns(port: int, pick: random.Random) -> None:
    """Search by regular expressions that are nested, or that backtrack."""
    pattern = pick.choice(["form=/" + "(" * 450 + "a" + ")" * 450 + "/", r"form=/(a*)*b/"])
    asked = {"sentence": " ".join(["a" * 40 + "\n0 root"] * 3), "pattern": pattern}
    await send(port, request("/api/explore/match", json.dumps(asked).encode()))


async def stay_idle(port: int, pick: random.Random) -> None:
    """Keep connections open after a request, and before one."""
    sent = [b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"", b"GET /hea"]
    await asyncio.gather(*(send(port, pick.choice(sent), 4.0) for _ in range(200)))


ATTACKS: dict[str, tuple[Attack, int]] = {  # and the number of attackers at a time
    "marks": (send_marks, 2),
    "short chunks": (send_short_chunks, 8),
    "headers": (send_headers, 6),
    "graphs": (draw_graphs, 4),
    "escapes": (send_escapes, 4),
    "JSON": (send_json, 4),
    "patterns": (find_patterns, 4),
    "idle connections": (stay_idle, 4),
}


async def repeat(attack: Attack, port: int, end: float, seed: int) -> None:
    """Attack again and again."""
    pick = random.Random(seed)
    while time.perf_counter() < end:
        await attack(port, pick)
        await asyncio.sleep(0.05)


def run_attack(name: str, port: int, seconds: float) -> None:
    """Run an attack, in a separate process."""

    async def run() -> None:
        attack, n = ATTACKS[name]
        end = time.perf_counter() + seconds
        attackers = asyncio.gather(*(repeat(attack, port, end, seed) for seed in range(n)))
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(attackers, seconds + 5)

    asyncio.run(run())


async def ask(port: int, sent: bytes) -> float:
    """Return the seconds until a good client has its answer; raise an error if it gets none."""
    begin = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    answer = await reader.read()
    writer.close()
    if not answer.startswith(b"HTTP/1.1 200") or not answer.rstrip().endswith((b"}", b"\r\n0")):
        raise OSError(f"a good client got {answer[:200]!r}")
    return time.perf_counter() - begin


HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SENTENCE = request("/api/parse", b'{"text": "The old oak speaks to nobody."}').replace(
    b"Host", b"Connection: close\r\nHost"
)


def memory(pid: int) -> float:
    """Return the memory of a process and its descendants in MiB; what they share counts once."""
    table = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in table.stdout.splitlines()]
    family = {pid}
    for _ in range(3):
        family |= {child for child, parent in pairs if parent in family}
    total = 0
    for member in family:
        with suppress(OSError):
            lines = Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


async def watch(name: str, port: int, pid: int, seconds: float) -> dict[str, Any]:
    """Run an attack and a good client."""
    found: dict[str, Any] = {"health": 0.0, "parse": 0.0, "mebibytes": 0.0, "errors": []}
    loop = asyncio.get_running_loop()
    attack = loop.run_in_executor(None, measure.apart, run_attack, name, port, seconds)
    while not attack.done():
        for key, sent in (("health", HEALTH), ("parse", SENTENCE)):
            try:
                found[key] = max(found[key], await ask(port, sent))
            except OSError as error:
                found["errors"].append(str(error))
        found["mebibytes"] = max(found["mebibytes"], memory(pid))
        await asyncio.sleep(0.1)
    return found


def end(pid: int) -> float:
    """Return the seconds that a server takes to end after SIGTERM."""
    begin = time.perf_counter()
    os.kill(pid, signal.SIGTERM)
    while True:
        done, _ = os.waitpid(pid, os.WNOHANG)
        if done:
            return time.perf_counter() - begin
        time.sleep(0.02)


def attack_all(serving: Callable[[], Any], seconds: float, names: list[str]) -> bool:
    """Run attacks one after the other, each on a new server; return whether all bars are met."""
    table = Table(
        "attack", "/health", "sentence", "memory", "end", "lost", title=f"{seconds:g} s each"
    )
    passes = True
    for name in names or ATTACKS:
        with serving() as (port, pid):
            found = asyncio.run(watch(name, port, pid, seconds))
            found["end"] = end(pid)
        is_good = (
            found["health"] <= HEALTH_SECONDS
            and found["parse"] <= PARSE_SECONDS
            and found["mebibytes"] <= MEBIBYTES
            and found["end"] <= END_SECONDS
            and not found["errors"]
        )
        passes &= is_good
        times = (f"{found[key]:.2f} s" for key in ("health", "parse"))
        table.add_row(
            name,
            *times,
            f"{found['mebibytes']:.0f} MiB",
            f"{found['end']:.1f} s",
            str(len(found["errors"])),
        )
        for error in found["errors"][:3]:
            print(error)
    Console().print(table)
    return passes
