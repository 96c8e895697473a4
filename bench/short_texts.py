"""Speed of the server for short texts, as a share of one process that parses them one by one.

python bench/short_texts.py [--model en] [--seconds 60]

The parser alone, 8 clients and 64 clients take turns of a second, so that all of them meet the same
load of the machine. Clients and server share its cores; the parser alone has one thread.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Annotated

import measure
import typer
from rich.console import Console
from rich.table import Table
from serving import read_answer, serving

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


async def ask(port: int, end: float, number: int) -> int:
    """Send texts on one connection; return how many were answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent, n = [request(text) for text in TEXTS], 0
    while time.perf_counter() < end:
        writer.write(sent[(n + number) % len(sent)])
        status, _ = await read_answer(reader)
        if status != 200:
            raise SystemExit(f"the server answered with a status of {status}")
        n += 1
    writer.close()
    return n


def run_clients(port: int, n_clients: int, seconds: float) -> float:
    """Return texts per second of some clients, in a separate process."""

    async def everybody() -> float:
        begin = time.perf_counter()
        clients = (ask(port, begin + seconds, number) for number in range(n_clients))
        return sum(await asyncio.gather(*clients)) / (time.perf_counter() - begin)

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
    speeds: dict[int, list[float]] = {n: [] for n in (0, *CLIENTS)}
    with serving(model, None) as (port, _):
        for n_clients in CLIENTS:
            measure.apart(run_clients, port, n_clients, TURN)
        for _ in range(max(int(seconds / TURN / len(speeds)), 1)):
            speeds[0].append(parse_alone(parser, TURN))
            for n_clients in CLIENTS:
                speeds[n_clients].append(measure.apart(run_clients, port, n_clients, TURN))
    mean = {n: sum(found) / len(found) for n, found in speeds.items()}
    table = Table("", "texts/s", f"share (bar: {SHARE})", title=f"{len(speeds[0])} rounds")
    for n_clients, speed in mean.items():
        name = f"{n_clients} clients" if n_clients else "the parser alone"
        table.add_row(name, f"{speed:,.0f}", f"{speed / mean[0]:.2f}")
    Console().print(table)
    raise SystemExit(0 if all(mean[n] >= SHARE * mean[0] for n in CLIENTS) else 1)


if __name__ == "__main__":
    typer.run(main)
