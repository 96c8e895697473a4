"""Measure the server under load, compared with the parser in the same process.

python bench/serving.py --data DIR --treebank en_ewt [--model FILE] [--seconds 60] [--words 500]
python bench/serving.py --soak 10m [--model FILE]

Each client sends a document of some hundred words to /process, waits for its trees, and sends the
next; one more client sends garbage and one stalls. Server and clients share the cores. The parser
alone is measured before and after, on the same documents with one thread per core; the mean of both
counts. The share by CPU time leaves the clients out, and does not depend on what else the machine
does. `--soak` runs the endurance test of `soaking.py`.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import attacking
import measure
import soaking
import typer
from rich.console import Console
from rich.table import Table

import dodona

COMMAND = (sys.executable, "-c", "from dodona.cli import main; main()", "serve")
GARBAGE = (
    b"\x16\x03\x01\x00\xff" * 50,
    b"GET /\x00 HTTP/1.1\r\n\r\n",
    b"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n\xff\xff\xff\xff",
)
HALF = b"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\ndata="
PATIENCE = 5  # seconds granted to a stalled client
SHARE = 0.7  # share of the parser's speed that the server should reach


@dataclass(frozen=True)
class Document:
    """The text of one request."""

    data: bytes  # raw text or CoNLL-U
    n_words: int


@dataclass
class Tally:
    """Responses as the clients saw them."""

    seconds: list[float] = field(default_factory=list)  # of each request
    n_words: int = 0
    n_garbage: int = 0
    n_hung: int = 0
    errors: list[str] = field(default_factory=list)


def cut(parser: dodona.Parser, file: Path, n_words: int) -> list[Document]:
    """Split a file into documents: raw text if the model reads it, else minimal CoNLL-U."""
    found: list[Document] = []
    batch: list[dodona.Sentence] = []
    for sentence in dodona.read(file, trees="ignored"):
        if parser.tagger is not None:
            sentence = dodona.Sentence.from_columns(sentence.forms)
        batch.append(sentence)
        if sum(map(len, batch)) >= n_words:
            found.append(_document(parser, batch))
            batch = []
    return found or [_document(parser, batch)]


def _document(parser: dodona.Parser, sentences: list[dodona.Sentence]) -> Document:
    n_words = sum(map(len, sentences))
    if parser.segmenter is None:
        return Document(b"".join(map(bytes, sentences)), n_words)
    return Document(" ".join(" ".join(s.forms) for s in sentences).encode(), n_words)


def in_process(
    parser: dodona.Parser, documents: list[Document], threads: int, seconds: float
) -> tuple[float, float]:
    """Return words/s of the parser alone, from bytes to bytes, with some threads.

    The second number is the CPU time of a word.
    """

    def work(seed: int) -> int:
        pick, n_words = random.Random(seed), 0
        while time.perf_counter() < end:
            document = pick.choice(documents)
            if parser.segmenter is None:
                parsed = parser.pipe(dodona.read(io.BytesIO(document.data), trees="ignored"))
            else:
                parsed = iter(parser(document.data.decode()))
            _ = b"".join(map(bytes, parsed)).decode()
            n_words += document.n_words
        return n_words

    begin, cpu = time.perf_counter(), time.process_time()
    end = begin + seconds
    with ThreadPoolExecutor(threads) as pool:
        n_words = sum(pool.map(work, range(threads)))
    return n_words / (time.perf_counter() - begin), (time.process_time() - cpu) / n_words


def request(parser: dodona.Parser, document: Document) -> bytes:
    """Return a document encoded as UDPipe's clients send it."""
    steps = {"tokenizer": parser.segmenter, "tagger": parser.tagger, "parser": parser}
    fields = {name: b"" for name, part in steps.items() if part is not None}
    body = b"".join(
        b'--cut\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (name.encode(), value)
        for name, value in (fields | {"data": document.data}).items()
    )
    body += b"--cut--\r\n"
    head = (
        "POST /process HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: multipart/form-data; boundary=cut\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def ask(port: int, requests: list[tuple[bytes, int]], end: float, tally: Tally) -> None:
    """Send one request after the other on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    while time.perf_counter() < end:
        sent, n_words = random.choice(requests)
        begin = time.perf_counter()
        writer.write(sent)
        status, body = await read_answer(reader)
        tally.seconds.append(time.perf_counter() - begin)
        if status == 200 and body.endswith(b'"\n}\n'):
            tally.n_words += n_words
        else:
            tally.errors.append(f"{status}: {body[:200]!r}")
    writer.close()


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    if length:
        return status, await reader.readexactly(int(length[1]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return status, body


async def disturb(port: int, end: float, tally: Tally) -> None:
    """Send garbage, ten times a second."""
    while time.perf_counter() < end:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(random.choice(GARBAGE))
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(1000), 1)
            writer.close()
        tally.n_garbage += 1
        await asyncio.sleep(0.1)


async def hang(port: int, end: float, tally: Tally) -> None:
    """Open ten connections that start a request and stall."""

    async def one() -> None:
        while time.perf_counter() < end:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(HALF)
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(reader.read(), end - time.perf_counter())
                writer.close()
            tally.n_hung += 1

    await asyncio.gather(*(one() for _ in range(10)))


def run_clients(port: int, requests: list[tuple[bytes, int]], n: int, seconds: float) -> Tally:
    """Run all clients, in a separate process."""

    async def everybody() -> Tally:
        tally, end = Tally(), time.perf_counter() + seconds
        clients = [ask(port, requests, end, tally) for _ in range(n)]
        await asyncio.gather(*clients, disturb(port, end, tally), hang(port, end, tally))
        return tally

    return asyncio.run(everybody())


@contextmanager
def serving(model: Path | str, threads: int | None) -> Iterator[tuple[int, int]]:
    """Start a server in a separate process; yield its port and process id."""
    options = ["--port", "0", "--patience", str(PATIENCE), "--quiet"]
    if threads is not None:
        options += ["--threads", str(threads)]
    command = [*COMMAND, str(model), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        greeting = process.stderr.readline()
        found = re.search(r":(\d+)/", greeting)
        if not found:
            raise SystemExit(greeting + process.stderr.read())
        try:
            yield int(found[1]), process.pid
        finally:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)


def report(tally: Tally, served: float, alone: float, cpu_share: float) -> dict[str, Any]:
    """Return the figures, and whether they meet the targets."""
    ordered = sorted(tally.seconds)
    median, p99 = statistics.median(ordered), ordered[int(0.99 * (len(ordered) - 1))]
    return {
        "requests": len(ordered),
        "errors": len(tally.errors),
        "median_seconds": median,
        "p99_seconds": p99,
        "slowest_seconds": ordered[-1],
        "p99_over_median": p99 / median,
        "words_per_second": served,
        "in_process_words_per_second": alone,
        "share": served / alone,
        "cpu_share": cpu_share,
        "garbage": tally.n_garbage,
        "hung": tally.n_hung,
        "passes": not tally.errors and p99 <= 5 * median and served >= SHARE * alone,
    }


def show(figures: dict[str, Any], title: str) -> None:
    rows = {
        "requests": f"{figures['requests']:,}",
        "errors": f"{figures['errors']:,}",
        "median": f"{1000 * figures['median_seconds']:.1f} ms",
        "99 of 100 are faster than": f"{1000 * figures['p99_seconds']:.1f} ms",
        "… over the median (bar: 5)": f"{figures['p99_over_median']:.2f}",
        "slowest": f"{1000 * figures['slowest_seconds']:.1f} ms",
        "words/s": f"{figures['words_per_second']:,.0f}",
        "words/s of the parser alone": f"{figures['in_process_words_per_second']:,.0f}",
        f"share (bar: {SHARE:.0%})": f"{100 * figures['share']:.0f}%",
        "share by CPU time, without clients": f"{100 * figures['cpu_share']:.0f}%",
        "garbage sent, connections hung": f"{figures['garbage']:,}, {figures['hung']:,}",
    }
    table = Table("", "", title=title, show_header=False)
    for row in rows.items():
        table.add_row(*row)
    Console().print(table)


def main(
    data: Annotated[
        Path | None, typer.Option(envvar="DODONA_DATA", help="Folder of treebanks.")
    ] = None,
    treebank: Annotated[str, typer.Option(help="The treebank's folder in it.")] = "en_ewt",
    model: Annotated[
        Path | None, typer.Option(help="Use this model instead of training one.")
    ] = None,
    epochs: Annotated[int, typer.Option(help="Training epochs.")] = 3,
    seconds: Annotated[float, typer.Option(help="Duration of the load.")] = 60,
    clients: Annotated[int, typer.Option(help="Number of concurrent clients.")] = 16,
    words: Annotated[int, typer.Option(help="Words in a document.")] = 500,
    threads: Annotated[
        int | None, typer.Option(help="Threads of the server; by default its own choice.")
    ] = None,
    attack: Annotated[
        str | None, typer.Option(help="Run each attack for this long, one after the other: 20s.")
    ] = None,
    only: Annotated[list[str], typer.Option(help="Attacks to run; by default all.")] = [],  # noqa: B006
    soak: Annotated[
        str | None, typer.Option(help="Run the endurance test for this long: 90s, 10m, 1h.")
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Measure the server under load and the parser alone, or run the endurance test."""
    if attack is not None:
        span = soaking.read_span(attack)
        passes = attacking.attack_all(partial(serving, model or "en", threads), span, only)
        raise SystemExit(0 if passes else 1)
    if soak is not None:
        with serving(model or "en", threads) as found:
            figures = soaking.soak(*found, soaking.read_span(soak))
        soaking.show(figures)
        write_figures(as_json, figures)
        raise SystemExit(0 if figures["passes"] else 1)
    if data is None:
        raise SystemExit("--data DIR: where are the treebanks? (--soak needs none)")
    files = data / treebank
    with tempfile.TemporaryDirectory() as folder:
        if model is None:
            model = Path(folder, "bench.dodona")
            dodona.train(files / "train.conllu", epochs=epochs, pipeline="text").save(model)
        parser = dodona.load(model)
        documents = cut(parser, files / "dev.conllu", words)
        requests = [(request(parser, found), found.n_words) for found in documents]
        n_cores = len(measure.cores())
        in_process(parser, documents, n_cores, 0.5)  # loads the model file into memory
        before = in_process(parser, documents, n_cores, seconds / 4)
        with serving(model, threads) as (port, pid):
            measure.apart(run_clients, port, requests, clients, 0.5)
            cpu = measure.cpu_seconds(pid)
            tally = measure.apart(run_clients, port, requests, clients, seconds)
            cpu = measure.cpu_seconds(pid) - cpu
        after = in_process(parser, documents, n_cores, seconds / 4)
    alone, of_a_word = ((a + b) / 2 for a, b in zip(before, after, strict=True))
    cpu_share = of_a_word * tally.n_words / cpu if cpu else float("nan")
    figures = report(tally, tally.n_words / seconds, alone, cpu_share)
    show(figures, f"{clients} clients, documents of {words} words, {seconds:g} s")
    for error in tally.errors[:3]:
        print(error)
    write_figures(as_json, {"treebank": treebank, **figures})


def write_figures(file: Path | None, figures: dict[str, Any]) -> None:
    """Write the figures and the machine to a file, if one is given."""
    if file is not None:
        found = {"machine": measure.machine(), **figures}
        file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
