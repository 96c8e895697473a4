"""Mappers in a local Spark session with worker processes."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dodona.arrow as da
from support.arrow_texts import TEXTS, batch, parser

pytest.importorskip("pyspark", reason="pyspark is not installed here")
if shutil.which("java") is None:
    pytest.skip("there is no Java here, which Spark needs", allow_module_level=True)

from pyspark.sql import SparkSession

Batches = Iterator[pa.RecordBatch]
DOCUMENTS = [*TEXTS, None, *(f"The oak speaks {i} times." for i in range(40))]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,4]")  # two workers; a task may fail three times
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "5")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def texts(spark: SparkSession) -> Any:
    rows = list(enumerate(DOCUMENTS))
    return spark.createDataFrame(rows, "doc_id long, text string").repartition(2).cache()


def expected(level: str) -> list[dict[str, Any]]:
    rows = da.Mapper("en", keep=["doc_id"], level=level)(batch(DOCUMENTS)).to_pylist()
    return sorted(rows, key=repr)


def collect(frame: Any) -> list[dict[str, Any]]:
    return sorted((row.asDict(recursive=True) for row in frame.collect()), key=repr)


def parse(texts: Any, work: Any, level: str = "word") -> list[dict[str, Any]]:
    schema = da.spark_schema("en", level=level, keep=texts.select("doc_id").schema)
    return collect(texts.mapInArrow(work, schema))


@pytest.mark.parametrize("level", da.LEVELS)
def test_the_same_rows_as_in_process_and_bad_ones_among_them(texts: Any, level: str) -> None:
    rows = parse(texts, da.mapper("en", keep=["doc_id"], level=level), level)
    assert rows == expected(level)
    assert [row["doc_id"] for row in rows if row["error"]] == [len(TEXTS)]


def dying_once(marker: Path) -> Callable[[Batches], Batches]:
    """Map batches in a process that is killed once in the middle."""
    work = da.mapper("en", keep=["doc_id"])

    def run(batches: Batches) -> Batches:
        for made in work(batches):
            yield made
            try:
                marker.touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)

    return run


def test_a_worker_is_killed_and_nothing_is_lost_or_there_twice(texts: Any, tmp_path: Path) -> None:
    assert parse(texts, dying_once(tmp_path / "killed")) == expected("word")
    assert (tmp_path / "killed").exists()


def offline(work: Callable[[Batches], Batches]) -> Callable[[Batches], Batches]:
    """Map batches without network access."""

    def run(batches: Batches) -> Batches:
        def refuse(*_: Any) -> None:
            raise OSError("there is no network")

        connect = socket.socket.connect
        socket.socket.connect = refuse  # type: ignore[assignment, method-assign]
        try:
            yield from work(batches)
        finally:
            socket.socket.connect = connect  # type: ignore[method-assign]

    return run


def test_a_model_comes_with_the_job(spark: SparkSession, texts: Any, tmp_path: Path) -> None:
    parser().save(tmp_path / "shipped.dodona")
    spark.sparkContext.addFile(str(tmp_path / "shipped.dodona"))
    work = da.mapper("shipped.dodona", keep=["doc_id"])  # no such file where workers run
    assert parse(texts, offline(work)) == expected("word")
