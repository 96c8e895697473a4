"""Mappers in a local Ray cluster with two workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dodona.arrow as da
from support.arrow_texts import TEXTS, batch, parser

ray = pytest.importorskip("ray", reason="ray is not installed here")
pytest.importorskip("ray.data", reason="ray[data] is not installed here")

DOCUMENTS = [*TEXTS, None, *(f"The oak speaks {i} times." for i in range(40))]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("shipped")
    parser().save(folder / "shipped.dodona")
    return str(folder)


@pytest.fixture(scope="module")
def texts(shipped: str) -> Iterator[Any]:
    os.environ.setdefault("RAY_worker_niceness", "0")  # else others on the machine go first
    # what is in the working folder goes to every worker; the third core is for what else Ray does
    ray.init(
        num_cpus=3,
        include_dashboard=False,
        runtime_env={"working_dir": shipped},
        log_to_driver=False,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield (
        ray.data.from_arrow(pa.Table.from_batches([batch(DOCUMENTS)])).repartition(4).materialize()
    )
    ray.shutdown()


def expected(level: str = "word") -> list[dict[str, Any]]:
    rows = da.Mapper("en", keep=["doc_id"], level=level)(batch(DOCUMENTS)).to_pylist()
    return sorted(rows, key=repr)


def parse(texts: Any, work: Any, *arguments: Any, **options: Any) -> list[dict[str, Any]]:
    made = texts.map_batches(
        work,
        fn_constructor_args=arguments,
        fn_constructor_kwargs={"keep": ["doc_id"], **options},
        batch_format="pyarrow",
        batch_size=5,
        compute=ray.data.ActorPoolStrategy(size=2),
    )
    return sorted(pa.concat_tables(ray.get(made.to_arrow_refs())).to_pylist(), key=repr)


@pytest.mark.parametrize("level", ["word", "document"])
def test_the_same_rows_as_in_process_and_bad_ones_among_them(texts: Any, level: str) -> None:
    rows = parse(texts, da.Mapper, "en", level=level)
    assert rows == expected(level)
    assert [row["doc_id"] for row in rows if row["error"]] == [len(TEXTS)]


def dying_once(marker: Path) -> type[da.Mapper]:
    """The class of mappers whose process is killed in the middle, once.

    It is made in a function, so that it travels as a whole: workers know nothing of the tests.
    """

    class DyingOnce(da.Mapper):
        n_calls = 0

        def __call__(self, table: pa.Table | pa.RecordBatch) -> pa.Table:
            self.n_calls += 1
            if self.n_calls > 1 and not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().__call__(table)

    return DyingOnce


def test_a_worker_is_killed_and_nothing_is_lost_or_there_twice(texts: Any, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    assert parse(texts, dying_once(marker), "en") == expected()
    assert marker.exists()


def test_a_model_comes_with_the_job(texts: Any, shipped: str) -> None:
    for path in Path(shipped).iterdir():
        path.unlink()  # workers have only what Ray brought them
    assert parse(texts, da.Mapper, "shipped.dodona") == expected()
