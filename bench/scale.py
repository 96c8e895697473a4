"""Measure one worker, and extrapolate to a cluster: speed, memory, bytes, 10¹² words.

    python bench/scale.py kernel texts.txt.gz               the mapper and the parser; files
    python bench/scale.py growth texts.txt.gz --words 1e8   memory of a long-running worker
    python bench/scale.py workers texts.txt.gz --engine ray two workers and one
    python bench/scale.py skew                              long documents: a simulation
    python bench/scale.py plan --speed 89000                core hours, bytes and files

Any English text can be used; it is split into documents of 3,000 characters. `--model` selects
another model than `en`; the overhead of an engine is most visible with a linear one. `workers`
needs the engine.
"""

from __future__ import annotations

import gzip
import heapq
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import measure
import pyarrow as pa
import typer
from pyarrow import parquet
from rich.console import Console
from rich.table import Table

import dodona
import dodona.arrow as da
from dodona.arrow.outputs import ParquetOutput

app = typer.Typer(add_completion=False, help=__doc__)
Text = Annotated[Path, typer.Argument(help="Plain text, maybe .gz")]
Model = Annotated[str, typer.Option(help="A model for raw text: its name or its file")]
DOCUMENT = 3000  # characters


def read_texts(path: Path, most_chars: int) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as file:
        text = file.read(most_chars)
    return [text[i : i + DOCUMENT] for i in range(0, len(text), DOCUMENT)]


def batch_of(texts: list[str]) -> pa.RecordBatch:
    return pa.record_batch({"doc_id": range(len(texts)), "text": texts})


def show(title: str, figures: dict[str, str]) -> None:
    table = Table(title=title, show_header=False)
    for name, value in figures.items():
        table.add_row(name, value)
    Console().print(table)


def cpu_seconds(work: Callable[[], Any], repeat: int) -> float:
    """Return the least time of several runs: other programs can only add time."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def worker(texts: list[str], model: str) -> tuple[float, int]:
    """Return seconds to the first rows and peak memory, in a new process."""
    begin = time.perf_counter()
    mapper = da.mapper(model, keep=["doc_id"])
    next(iter(mapper([batch_of(texts[:1])])))
    started = time.perf_counter() - begin
    for _ in mapper([batch_of(texts)]):
        pass
    return started, measure.peak_memory() or 0


@app.command()
def kernel(path: Text, chars: int = 1_500_000, repeat: int = 3, model: Model = "en") -> None:
    """Compare the mapper with the parser on one core, and measure reading and writing."""
    measure.use_one_core()
    texts = read_texts(path, chars)
    given = batch_of(texts)
    parser = dodona.load(model)
    n_words = sum(made.num_rows for made in da.mapper(model)([given]))

    def parse() -> None:
        sentences = (s for text in texts for s in parser.segmenter.segment(text))
        for _ in parser.pipe(sentences):
            pass

    alone = cpu_seconds(parse, repeat)
    figures = {"words": f"{n_words:,}", "parser": f"{n_words / alone:,.0f} words/s"}
    for level in da.LEVELS:
        mapper = da.mapper(model, keep=["doc_id"], level=level)
        seconds = cpu_seconds(lambda m=mapper: list(m([given])), repeat)
        speed = f"{n_words / seconds:,.0f} words/s, {alone / seconds:.2f} of the parser"
        figures[f"mapper, {level}"] = speed
    started, memory = measure.apart(worker, texts, model)
    figures["from nothing to the first rows"] = f"{started:.2f} s"
    figures["most memory of a worker"] = f"{memory / 1e6:.0f} MB"
    made = list(da.mapper(model, keep=["doc_id"])([given]))
    figures |= files(given, made, alone, repeat)
    show("One worker", figures)


def files(
    given: pa.RecordBatch, made: list[pa.RecordBatch], alone: float, repeat: int
) -> dict[str, str]:
    """Return bytes of Parquet input and output, and the time of reading and writing."""
    n_words = sum(batch.num_rows for batch in made)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.parquet"), Path(folder, "out.parquet")
        parquet.write_table(pa.Table.from_batches([given]), source, compression="zstd")

        def write() -> None:
            with target.open("wb") as file:
                writer = ParquetOutput(file, made[0].schema)
                for batch in made:
                    writer.write(batch)
                writer.finish()

        reading = cpu_seconds(lambda: parquet.read_table(source), repeat)
        writing = cpu_seconds(write, repeat)
        return {
            "bytes in, Parquet with zstd": f"{source.stat().st_size / n_words:.2f} a word",
            "bytes out, level word": f"{target.stat().st_size / n_words:.2f} a word",
            "decompressing and reading": f"{100 * reading / alone:.2f}% of parsing",
            "compressing and writing": f"{100 * writing / alone:.1f}% of parsing",
        }


@app.command()
def growth(path: Text, words: float = 1e7, marks: int = 10, model: Model = "en") -> None:
    """Measure the memory of one worker over many words, with the same text repeated."""
    batch = batch_of(read_texts(path, 1_500_000))

    def forever() -> Iterator[pa.RecordBatch]:
        while True:
            yield batch

    n_words, next_mark = 0, words / marks
    begin = time.process_time()
    for made in da.mapper(model, keep=["doc_id"])(forever()):
        n_words += made.num_rows
        if n_words >= next_mark:
            next_mark += words / marks
            speed = n_words / (time.process_time() - begin)
            print(
                f"{n_words:>12,} words  {resident() / 1e6:6.1f} MB  {speed:,.0f} words/s",
                flush=True,
            )
        if n_words >= words:
            return


def resident() -> int:
    """Return the current memory of this process, or its peak if the system reports no other."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return measure.peak_memory() or 0


@app.command()
def workers(
    path: Text, engine: str = "ray", chars: int = 3_000_000, repeat: int = 3, model: Model = "en"
) -> None:
    """Compare two worker processes of an engine with one; start-up is not counted.

    Where others keep the cores busy, two workers get less than twice of what one gets. Ray's also
    say how much CPU time they took: what that grows by is what workers cost each other.
    """
    texts = read_texts(path, chars)
    run = {"ray": on_ray, "spark": on_spark}[engine](texts, model)
    n_words, _ = run(1)  # loads the model
    run(2)
    times: dict[int, list[float]] = {1: [], 2: []}
    of_cpu: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeat):
        for n in times:
            begin = time.perf_counter()
            of_cpu[n].append(run(n)[1])
            times[n].append(time.perf_counter() - begin)
    one, two = (min(times[n]) for n in (1, 2))
    figures = {
        "one worker": f"{n_words / one:,.0f} words/s",
        "two": f"{n_words / two:,.0f} words/s, {one / two:.2f} times as fast",
    }
    if any(of_cpu[2]):
        alone, both = (min(of_cpu[n]) for n in (1, 2))
        figures["CPU time of two, of that of one"] = f"{both / alone:.2f}"
        figures["so on idle cores"] = f"{2 * alone / both:.2f} times as fast"
    show(engine, figures)


def on_ray(texts: list[str], model: str) -> Callable[[int], tuple[int, float]]:
    import os

    import ray

    os.environ.setdefault("RAY_worker_niceness", "0")  # the default, 15, yields to other programs
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)

    class Worker:
        """Count words, so that only parsing is measured."""

        def __init__(self) -> None:
            self.parse = da.Mapper(model, keep=["doc_id"])

        def count(self, table: pa.Table) -> tuple[int, float]:
            begin = time.process_time()
            return len(self.parse(table)), time.process_time() - begin

    pool = [ray.remote(num_cpus=1)(Worker).remote() for _ in range(2)]
    parts = [ray.put(pa.Table.from_batches([batch_of(texts[i::16])])) for i in range(16)]

    def run(n: int) -> tuple[int, float]:
        done = ray.get([pool[i % n].count.remote(part) for i, part in enumerate(parts)])
        return sum(n_words for n_words, _ in done), sum(seconds for _, seconds in done)

    return run


def on_spark(texts: list[str], model: str) -> Callable[[int], tuple[int, float]]:
    import os

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.createDataFrame([*enumerate(texts)], "doc_id long, text string")
    # one task occupies one worker; of eight, a worker that others slow down takes fewer
    frames = {n: frame.repartition(n_tasks).cache() for n, n_tasks in ((1, 1), (2, 8))}
    for cached in frames.values():
        cached.count()
    schema = da.spark_schema(model, keep=frame.select("doc_id").schema)

    def run(n: int) -> tuple[int, float]:
        return frames[n].mapInArrow(da.mapper(model, keep=["doc_id"]), schema).count(), 0.0

    return run


@app.command()
def skew(n_workers: int = 200, documents: int = 1_000_000, speed: float = 89_000) -> None:
    """Simulate how long workers wait for the longest documents; lengths are log-normal.

    The same documents are parted in three ways: as many in each task, dealt out largest first, and
    in tasks of about as many words, which is what parts of a file of Parquet are.
    """
    lot = random.Random(1)
    words = [min(int(lot.lognormvariate(6.0, 1.4)) + 1, 2_000_000) for _ in range(documents)]
    words[documents // 2] = 2_000_000  # one book of the maximal length: ten million characters
    ideal = sum(words) / n_workers / speed
    size = documents // (4 * n_workers)
    by_number = [sum(words[i : i + size]) for i in range(0, documents, size)]
    bound = sum(words) / (4 * n_workers)
    by_words, task = [], 0
    for n in words:
        task += n
        if task >= bound:
            by_words.append(task)
            task = 0
    by_words.append(task)
    figures = {
        "words": f"{sum(words):,}, the longest document {max(words):,}",
        "no waiting": f"{ideal:.0f} s on {n_workers:,} workers",
    }
    ways = {
        "tasks of as many documents": by_number,
        "tasks of as many words": by_words,
        "the same, largest first": sorted(by_words, reverse=True),
    }
    for name, tasks in ways.items():
        seconds = finish(tasks, n_workers) / speed
        figures[name] = f"{seconds:.0f} s, {seconds / ideal:.2f} times the least"
    show("Skew", figures)


def finish(tasks: list[int], n_workers: int) -> int:
    """Return the total time if each worker takes the next task when it is free."""
    free = [0] * n_workers
    for task in tasks:
        heapq.heapreplace(free, free[0] + task)
    return max(free)


@app.command()
def plan(
    speed: float = 89_000,
    bytes_in: float = 1.8,
    bytes_out: float = 5.8,
    part_words: float = 12e6,
) -> None:
    """Compute the cost of large corpora from the figures of `kernel`."""
    table = Table(
        "words", "core hours", "days on 1,000 cores", "TB in", "TB out", "files", "start-up"
    )
    for exponent in (9, 12, 13):
        n = 10.0**exponent
        hours = n / speed / 3600
        table.add_row(
            f"10^{exponent}",
            f"{hours:,.0f}",
            f"{hours / 24 / 1000:,.2f}",
            f"{n * bytes_in / 1e12:,.2f}",
            f"{n * bytes_out / 1e12:,.2f}",
            f"{math.ceil(n / part_words):,}",
            f"{100 * 1.0 / (part_words / speed):.1f}% where each file starts a worker",
        )
    Console().print(table)


if __name__ == "__main__":
    app()
