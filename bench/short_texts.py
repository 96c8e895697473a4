"""Speed of the server for short texts, as a share of one process that parses them one by one.

python bench/short_texts.py [--model en] [--seconds 60]

The parser alone, 8 clients and 64 clients take turns of a second, so that all of them meet the same
load of the machine. Clients and server share its cores; the parser alone has one thread. The share
by CPU time is what a server would reach on a core of its own, whatever else the machine does.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from functools import partial
from typing import Annotated
from urllib.parse import quote
from urllib.request import urlopen

import measure
import typer
from rich.console import Console
from rich.table import Table
from serving import serving

import dodona

TEXTS = (
    "The old oak at the edge of the village speaks to nobody.",
    "Who asked the doves what they had heard yesterday?",
    "Three priests slept on the ground and washed no feet.",
    "She wrote the question on a strip of lead and folded it twice.",
    "It rains.",
    "When the wind moves the leaves, somebody explains what they mean.",
)
CLIENTS = (8, 64)
SHARE = 0.7  # of the parser's speed that the server should reach
TURN = 1.0  # seconds


def request(text: str) -> bytes:
    body = json.dumps({"text": text, "output": "conllu"}).encode()
    head = "POST /api/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Client(asyncio.Protocol):
    """A client that sends texts on one connection; as cheap as possible, as it shares the cores."""

    def __init__(self, end: float, number: int) -> None:
        self.n = 0
        self.is_done = asyncio.get_running_loop().create_future()
        self._end, self._number = end, number
        self._sent = [request(text) for text in TEXTS]
        self._received = b""

    def itself(self) -> Client:
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.is_done.set_exception(SystemError(f"the server answered {head!r}"))
            return
        length = head.partition(b"content-length: ")[2].split()[:1]
        # a request that is the first of its thread may take longer, and be answered in chunks
        if len(body) < int(length[0]) if length else not body.endswith(b"\r\n0\r\n\r\n"):
            return
        self._received = b""
        self.n += 1
        if time.perf_counter() < self._end:
            self._ask()
        else:
            self._transport.close()
            self.is_done.set_result(None)

    def _ask(self) -> None:
        self._transport.write(self._sent[(self.n + self._number) % len(self._sent)])


def run_clients(port: int, n_clients: int, seconds: float) -> float:
    """Return texts per second of some clients, in a separate process."""

    async def everybody() -> float:
        begin = time.perf_counter()
        clients = [Client(begin + seconds, number) for number in range(n_clients)]
        loop = asyncio.get_running_loop()
        for client in clients:
            await loop.create_connection(partial(Client.itself, client), "127.0.0.1", port)
        await asyncio.gather(*(client.is_done for client in clients))
        return sum(client.n for client in clients) / (time.perf_counter() - begin)

    return asyncio.run(everybody())


def parse_alone(parser: dodona.Parser, seconds: float) -> float:
    """Return texts per second of the parser in this process."""
    begin, n = time.perf_counter(), 0
    while time.perf_counter() < begin + seconds:
        parser(TEXTS[n % len(TEXTS)]).to_conllu()
        n += 1
    return n / (time.perf_counter() - begin)


def main(
    model: Annotated[str, typer.Option(help="Model file or name.")] = "en",
    seconds: Annotated[float, typer.Option(help="Duration in all.")] = 60,
) -> None:
    """Compare the server with the parser alone."""
    parser = dodona.load(model)
    parse_alone(parser, TURN)
    kinds = (0, *CLIENTS)
    texts, cpu = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0.0)
    n_rounds = max(int(seconds / TURN / len(kinds)), 1)
    with serving(model, None) as (port, pid):
        for text in TEXTS:  # the first requests take longer
            with urlopen(f"http://127.0.0.1:{port}/process?tokenizer&parser&data={quote(text)}"):
                pass
        for n_clients in CLIENTS:
            measure.apart(run_clients, port, n_clients, TURN)
        for _ in range(n_rounds):
            for n_clients in kinds:
                process = pid if n_clients else os.getpid()
                before = measure.cpu_seconds(process)
                if n_clients:
                    texts[n_clients] += measure.apart(run_clients, port, n_clients, TURN)
                else:
                    texts[0] += parse_alone(parser, TURN)
                cpu[n_clients] += measure.cpu_seconds(process) - before
    titles = "texts/s", f"share (bar: {SHARE})", "CPU time of a text", "share of it"
    table = Table("", *titles, title=f"{n_rounds} rounds")
    each = {n: cpu[n] / texts[n] for n in kinds}
    for n in kinds:
        shares = (
            f"{texts[n] / texts[0]:.2f}",
            f"{1000 * each[n]:.2f} ms",
            f"{each[0] / each[n]:.2f}",
        )
        name = f"{n} clients" if n else "the parser alone"
        table.add_row(name, f"{texts[n] / n_rounds:,.0f}", *shares)
    Console().print(table)
    raise SystemExit(0 if all(texts[n] >= SHARE * texts[0] for n in CLIENTS) else 1)


if __name__ == "__main__":
    typer.run(main)
